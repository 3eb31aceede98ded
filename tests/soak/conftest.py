"""Long runs: what a service goes through in years. `make soak` runs them at full length, `make test` short forms."""

from __future__ import annotations

from tests.http.conftest import own_data, sample_index

__all__ = ["own_data", "sample_index"]
