class ParsingError(Exception): ...

class HTTPRequestParser:
    path: str
    error: object
    completed: bool
    content_length: int
    body_rcv: object | None
    expect_continue: bool
    headers: dict[str, str]
    def parse_header(self, header_plus: bytes) -> None: ...
