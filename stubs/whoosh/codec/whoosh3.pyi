from collections.abc import Sequence

from whoosh.matching import Matcher

class W3LeafMatcher(Matcher):
    _blocklength: int
    _lastblock: bool
    _data: tuple[Sequence[int], Sequence[float] | float | None, object]  # gaps, weights, values
    def _read_data(self) -> None: ...
    def _next_block(self) -> None: ...
