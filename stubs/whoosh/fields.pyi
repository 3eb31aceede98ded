from collections.abc import Iterator, Sequence

from whoosh.formats import Format

class FieldType:
    indexed: bool
    stored: bool
    scorable: bool
    unique: bool
    spelling: bool
    vector: Format | None
    format: Format | None
    column_type: object | None
    analyzer: object | None
    def index(self, value: Sequence[str], **kwargs: object) -> Iterator[tuple[bytes, int, float, bytes]]: ...

STORED: type[FieldType]

class Schema:
    def __init__(self, **fields: FieldType | type[FieldType]) -> None: ...
