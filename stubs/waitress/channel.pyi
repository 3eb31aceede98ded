import socket
import threading

from waitress.parser import HTTPRequestParser
from waitress.server import BaseWSGIServer
from waitress.wasyncore import dispatcher

class HTTPChannel(dispatcher):
    server: BaseWSGIServer
    socket: socket.socket
    parser_class: type[HTTPRequestParser]
    request: HTTPRequestParser | None
    requests: list[HTTPRequestParser]
    requests_lock: threading.Lock
    last_activity: float
    will_close: bool
    connected: bool
    total_outbufs_len: int
    def __init__(self, *arguments: object, **options: object) -> None: ...
    def readable(self) -> bool: ...
    def check_client_disconnected(self) -> bool: ...
    def received(self, data: bytes) -> bool: ...
    def handle_read(self) -> None: ...
    def handle_close(self) -> None: ...
