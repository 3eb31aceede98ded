"""Decide who may use the operations that change something or show what people asked."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Mapping

from service.http.failures import CredentialsError, NotLocalError
from siaa.config import Settings

_BEARER = "bearer "
_PROXY = ("HTTP_FORWARDED", "werkzeug.proxy_fix.orig")  # the second is there whenever a proxy is believed


def require_operator(environ: Mapping[str, object], settings: Settings) -> None:
    """Let pass a request with the operator's key, or a local one while no key is set (contract, Others).

    Raises CredentialsError or NotLocalError.
    """
    token = settings.admin_token.get_secret_value()
    if not token:
        if not is_local(environ):
            raise NotLocalError(
                "Esta operación solo se admite desde el propio equipo mientras no haya clave: defina SIAA_ADMIN_TOKEN."
            )
        return
    given = str(environ.get("HTTP_AUTHORIZATION", ""))
    # WSGI gives header bytes as Latin-1 characters; a key may hold any character.
    offered = given[len(_BEARER) :].strip() if given[: len(_BEARER)].lower() == _BEARER else ""
    if not hmac.compare_digest(offered.encode("latin-1", "replace"), token.encode()):
        raise CredentialsError("Falta la clave de operador o no es la correcta: envíe «Authorization: Bearer <clave>».")


def is_local(environ: Mapping[str, object]) -> bool:
    """Tell whether a request comes from this machine itself; one that passed a proxy, or may have, never does."""
    if any(name in _PROXY or name.startswith("HTTP_X_FORWARDED") for name in environ):
        return False
    try:
        address = ipaddress.ip_address(str(environ.get("REMOTE_ADDR", "")))
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback
