"""Serve until told to stop: `python -m service`. Exit codes: 0 stopped, 1 the server failed, 2 wrong use."""

from __future__ import annotations

import errno
import json
import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from service.http.request_log import configure
from service.llm.embedded_model import embedded
from service.servers.server import serve
from siaa.command_line import WRONG_USE, SpanishParser
from siaa.config import Settings, load_settings, unknown_variables
from siaa.errors import ConfigError, GenerationError
from siaa.generation import DOCUMENTS, TUNING, current_name
from siaa.profile import PROFILES

SAMPLE_DOCUMENT = "acuerdo_no._psaa16-10476.md"

# One per endpoint, with a document of the index; the questions are for the sample corpus.
EXAMPLES = (
    "/siaa/enrutar?q=¿Cuál+es+la+periodicidad+del+reporte+SIERJU?",
    "/siaa/fragmento?doc={doc}&q=funcionarios+responsables",
    "/siaa/keywords/{doc}",
    "/siaa/densidad/sierju",
    "/siaa/debug_tokens?q=¿Cuándo+debo+reportar?",
    "/siaa/ver/{doc}?sec=art-5&q=funcionarios",
    "/siaa/documentos",
    "/siaa/estado",
    "/siaa/status",
    "/healthz",
    "/readyz",
    "/metrics",
    "/openapi.json",
)
DESCRIPTION = (
    "Sirve el índice publicado hasta que se le detiene. Todo se ajusta con variables SIAA_*: docs/configuracion.md."
)
CHAT_BODY = '{"messages": [{"role": "user", "content": "¿Quién debe reportar la información?"}]}'


def main(arguments: Sequence[str] | None = None) -> int:
    """Check what can be checked beforehand, then serve."""
    SpanishParser(prog="python -m service", description=DESCRIPTION).parse_args(arguments)
    try:
        settings = load_settings()
    except ConfigError as error:
        return _refuse(error.message)
    configure(settings)
    for name in unknown_variables():
        print(f"aviso: {name} no es un ajuste de SIAA y no hace nada (docs/configuracion.md).", file=sys.stderr)
    if problem := profile_problem(settings) or port_problem(settings):
        return _refuse(problem)
    try:
        with embedded(settings) as settings:
            return serve(settings, ready=lambda: print(welcome(settings), flush=True))
    except ConfigError as error:
        return _refuse(error.message)


def profile_problem(settings: Settings) -> str | None:
    """Return why the profile named cannot be used, None if it can; the profiles are those of the published index."""
    published = _published(settings)
    folder = (published / TUNING if published else settings.tuning_dir) / PROFILES
    known = sorted(path.stem for path in folder.glob("*.toml"))
    if not known or settings.perfil in known:
        return None
    return f"SIAA_PERFIL={settings.perfil!r}: no existe ese perfil; los hay: {', '.join(known)}."


def _published(settings: Settings) -> Path | None:
    """Return the folder of the published generation, None when there is none yet."""
    try:
        name = current_name(settings.index_dir)
    except GenerationError:
        return None
    folder = settings.index_dir / name if name else None
    return folder if folder and folder.is_dir() else None


def port_problem(settings: Settings) -> str | None:
    """Return why the service cannot listen where it is told to, in Spanish with what to do; None if it can."""
    where = f"{settings.host}:{settings.port}"
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            if os.name == "posix":  # elsewhere this option lets two programs share a port
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe.listen(1)
    except socket.gaierror:
        return f"La dirección «{settings.host}» no existe en este equipo: revise SIAA_HOST."
    except OSError as error:
        reasons = {
            errno.EADDRINUSE: f"El puerto {settings.port} ya está en uso en {settings.host}: detenga el otro programa "
            f"o elija otro puerto, por ejemplo con «make serve SIAA_PORT={_another(settings.port)}».",
            errno.EACCES: f"No hay permiso para escuchar en {where}: elija con SIAA_PORT un puerto desde 1024.",
            errno.EADDRNOTAVAIL: f"La dirección «{settings.host}» no es de este equipo: revise SIAA_HOST.",
        }
        return reasons.get(error.errno or 0, f"El sistema no deja escuchar en {where}: error {error.errno}.")
    return None


def welcome(settings: Settings) -> str:
    """Return what is printed once the service is ready: its address, and one `curl` per endpoint."""
    base = address_of(settings)
    lines = [f"SIAA atiende en {base} (Ctrl-C lo detiene). Pruebe:"]
    if _published(settings) is None:
        lines.insert(0, "Todavía no hay índice: ejecute «make index»; hasta entonces se responde 503.")
    document = quote(_example_document(settings))
    lines += [f"  curl '{base}{quote(path, safe='/?=&+{}').format(doc=document)}'" for path in EXAMPLES]
    lines.append(f"  curl -N -H 'Content-Type: application/json' -d '{CHAT_BODY}' {base}/siaa/chat")
    token = ' -H "Authorization: Bearer $SIAA_ADMIN_TOKEN"' if settings.admin_token.get_secret_value() else ""
    lines.append(f"  curl -X POST{token} {base}/siaa/recargar")
    return "\n".join(lines)


def _example_document(settings: Settings) -> str:
    """Return a document of the index: the one that the questions of the examples are about, where there is one."""
    published = _published(settings)
    try:
        rows = json.loads((published / DOCUMENTS).read_text(encoding="utf-8")) if published else []
        names = [str(row["name"]) for row in rows if row["chunk_count"]]
    except (OSError, ValueError, KeyError, TypeError):
        names = []
    return SAMPLE_DOCUMENT if SAMPLE_DOCUMENT in names or not names else names[0]


def address_of(settings: Settings) -> str:
    """Return the address a browser on this machine would use."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(settings.host, settings.host)
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"


def _another(port: int) -> int:
    return port + 1 if port < 65535 else port - 1


def _refuse(sentence: str) -> int:
    print(sentence, file=sys.stderr, flush=True)
    return WRONG_USE


if __name__ == "__main__":
    raise SystemExit(main())
