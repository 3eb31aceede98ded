"""Say how the service is reached, or why it cannot listen where it is told to."""

from __future__ import annotations

import errno
import json
import os
import socket
from pathlib import Path
from urllib.parse import quote

from siaa.config import Settings
from siaa.errors import GenerationError
from siaa.generation import DOCUMENTS, current_name

SAMPLE_DOCUMENT = "acuerdo_no._psaa16-10476.md"
ANY_DOCUMENT = "un_documento.md"  # while there is no index of a corpus that is not ours

# The everyday diagnostics, with a document of the index.
EXAMPLES = (
    "/siaa/enrutar?q={question}",
    "/siaa/fragmento?doc={doc}&q={words}",
    "/siaa/keywords/{doc}",
    "/siaa/densidad/{term}",
    "/siaa/debug_tokens?q={another}",
    "/siaa/ver/{doc}?{place}",
    "/siaa/documentos",
    "/siaa/estado",
    "/siaa/status",
    "/healthz",
    "/readyz",
    "/metrics",
    "/openapi.json",
)
# What the examples ask: of the project's own corpus, and of one that we know nothing about.
SAMPLE_WORDS = {
    "question": "¿Cuál+es+la+periodicidad+del+reporte+SIERJU?",
    "words": "funcionarios+responsables",
    "term": "sierju",
    "another": "¿Cuándo+debo+reportar?",
    "place": "sec=art-5&q=funcionarios",
    "said": "¿Quién debe reportar la información?",
}
NEUTRAL_WORDS = {
    "question": "¿Cuál+es+el+plazo?",
    "words": "plazo",
    "term": "plazo",
    "another": "¿Quién+es+el+responsable?",
    "place": "q=plazo",
    "said": "¿Cuál es el plazo?",
}


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
    """Return what is printed once the service is ready: its address, and a `curl` for each everyday diagnostic."""
    base = address_of(settings)
    lines = [f"SIAA atiende en {base} (Ctrl-C lo detiene). Pruebe:"]
    if published_folder(settings) is None:
        lines.insert(0, "Todavía no hay índice: ejecute «make index»; hasta entonces se responde 503.")
    document = _example_document(settings)
    words = SAMPLE_WORDS if document == SAMPLE_DOCUMENT else NEUTRAL_WORDS
    parts = {name: quote(text, safe="/?=&+") for name, text in words.items()}
    lines += [f"  curl '{base}{path.format(doc=quote(document), **parts)}'" for path in EXAMPLES]
    body = json.dumps({"messages": [{"role": "user", "content": words["said"]}]}, ensure_ascii=False)
    lines.append(f"  curl -N -H 'Content-Type: application/json' -d '{body}' {base}/siaa/chat")
    token = ' -H "Authorization: Bearer $SIAA_ADMIN_TOKEN"' if settings.admin_token.get_secret_value() else ""
    lines.append(f"  curl -X POST{token} {base}/siaa/recargar")
    return "\n".join(lines)


def _example_document(settings: Settings) -> str:
    """Return a document of the index: the one that our own questions are about, where there is one."""
    published = published_folder(settings)
    try:
        rows = json.loads((published / DOCUMENTS).read_text(encoding="utf-8")) if published else []
        names = [str(row["name"]) for row in rows if row["chunk_count"]]
    except (OSError, ValueError, KeyError, TypeError):
        names = []
    if SAMPLE_DOCUMENT in names or (not names and settings.own_corpus):
        return SAMPLE_DOCUMENT
    return names[0] if names else ANY_DOCUMENT


def address_of(settings: Settings) -> str:
    """Return the address a browser on this machine would use."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(settings.host, settings.host)
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"


def _another(port: int) -> int:
    return port + 1 if port < 65535 else port - 1


def published_folder(settings: Settings) -> Path | None:
    """Return the folder of the published generation, None when there is none yet."""
    try:
        name = current_name(settings.index_dir)
    except GenerationError:
        return None
    folder = settings.index_dir / name if name else None
    return folder if folder and folder.is_dir() else None
