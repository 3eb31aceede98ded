from collections.abc import Sequence

class Query: ...

class Term(Query):
    def __init__(self, fieldname: str, text: str) -> None: ...

class Or(Query):
    ARRAY_MATCHER: int
    matcher_type: int
    def __init__(self, subqueries: Sequence[Query]) -> None: ...
