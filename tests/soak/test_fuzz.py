"""Random questions and names of documents: no answer is a fault of the service, and none takes a second."""

from __future__ import annotations

import json
import random
import threading
import time
from pathlib import Path
from urllib.parse import quote

from tests.http.client import Answer, Client
from tests.http.conftest import running
from tests.soak.scale import scaled

ASKED = scaled(short=400, long=10_000)
CLIENTS = 4
SECONDS = 1.0
TRIES = 3  # of an answer that came late: a busy machine is not a slow service

_WORDS = (
    "artículo", "Artículo 5º", "PSAA16-10476", "ley 270 de 1996", "¿quién", "responde?", "SIERJU", "plazo", "juzgado",
    "civil", "de acuerdo con", "enumera", "cuáles son", "qué pasa si", "no", "sin", "circular 2023", "a" * 300,
    "*", "????*",
)  # fmt: skip
_ODD = "'\"<>{}[]()\\/|&;`$%#@!?*+-=~^_.,:·¿¡«»—–…ñÑáÁüß中文日本🙂\u202e\u200b\ufeff٣४½Ⅳﬁ\t\n"
_NAMES = (
    "acuerdo_no._psaa16-10476.md",
    "sierju/",
    "../../etc/passwd",
    "..%2f..%2f",
    "CON",
    "general/",
    ".md",
    "%00",
    "~",
)


def _text(chance: random.Random) -> str:
    kind = chance.randrange(6)
    if kind == 0:
        return "".join(chance.choice(_ODD) for _ in range(chance.randrange(1, 80)))
    if kind == 1:
        return "".join(
            chr(chance.choice((chance.randrange(32, 0xD800), chance.randrange(0xE000, 0x110000)))) for _ in range(40)
        )
    if kind == 2:
        return chance.choice(_WORDS) * chance.randrange(1, 200)
    if kind == 3:
        return "".join(chr(chance.randrange(0, 256)) for _ in range(chance.randrange(0, 2100)))
    return " ".join(chance.choice(_WORDS) + chance.choice(_ODD) for _ in range(chance.randrange(1, 30)))


def _request(client: Client, chance: random.Random) -> tuple[str, bytes | None]:
    """Return a random address, and a body when it is a conversation."""
    question = quote(_text(chance), safe="")
    name = quote(
        chance.choice((chance.choice(_NAMES), _text(chance), chance.choice(_NAMES) + _text(chance)))[:300], safe=""
    )
    match chance.randrange(7):
        case 0:
            return f"/siaa/enrutar?q={question}&explicar={chance.randrange(2)}", None
        case 1:
            return f"/siaa/fragmento?doc={name}&q={question}", None
        case 2:
            return f"/siaa/keywords/{name}", None
        case 3:
            return f"/siaa/ver/{name}?q={question}&sec={question[:60]}", None
        case 4:
            return f"/siaa/densidad/{name}", None
        case 5:
            return f"/siaa/debug_tokens?q={question}", None
        case _:
            messages = [{"role": "user", "content": _text(chance)} for _ in range(chance.randrange(1, 4))]
            return "/siaa/chat", json.dumps({"messages": messages}).encode()


def _ask(client: Client, path: str, body: bytes | None) -> Answer:
    if body is None:
        return client.request("GET", path)
    return client.request("POST", path, body, Content_Type="application/json")


def test_no_fault_and_no_wait(sample_index: Path, tmp_path: Path) -> None:
    wrong: list[str] = []
    late: list[float] = []
    lock = threading.Lock()

    def ask(client: Client, seed: int) -> None:
        chance = random.Random(seed)
        for _ in range(ASKED // CLIENTS):
            path, body = _request(client, chance)
            try:
                seconds = []
                for _ in range(TRIES):
                    began = time.monotonic()
                    answer = _ask(client, path, body)
                    seconds.append(time.monotonic() - began)
                    if seconds[-1] <= SECONDS:
                        break
                told = answer.text
                whole = body is None or answer.status != 200 or answer.events[-1] == "[DONE]"
                faulty = answer.status >= 500 or "error_interno" in told or not whole or min(seconds) > SECONDS
            except Exception as error:
                faulty, told, seconds = True, f"{type(error).__name__}: {error}", [0.0]
            with lock:
                late.append(seconds[0])
                if faulty:
                    wrong.append(f"{path[:300]} {body!r:.300} -> {told[:200]} ({min(seconds):.2f} s)")

    with running(SIAA_INDEX_DIR=str(sample_index), SIAA_DATA_DIR=str(tmp_path), SIAA_CACHE_MAX="1000") as client:
        threads = [threading.Thread(target=ask, args=(client, seed)) for seed in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    late.sort()
    print(
        f"\n{len(late)} preguntas; mediana {1000 * late[len(late) // 2]:.0f} ms, la más lenta {1000 * late[-1]:.0f}; "
        f"{sum(each > SECONDS for each in late)} repetidas por llegar tarde"
    )
    assert wrong == []
