class HTTPRequestParser:
    path: str
    error: object
    completed: bool
    def parse_header(self, header_plus: bytes) -> None: ...
