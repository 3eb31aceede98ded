"""BM25F over the fields of a passage, as arrays: what each term adds to each passage, computed once when indexing.

True BM25F (Robertson, Zaragoza & Taylor, 2004): the frequencies of a term in all fields are weighted and length-
normalised into one, which is saturated once:

    x(t, p) = sum over fields f of  w_f * tf_f / (1 - b_f + b_f * len_f(p) / avg_f)
    impact(t, p) = idf(t) * x * (k1 + 1) / (x + k1)          idf(t) = ln(N / (df(t) + 1)) + 1

df counts the passages whose body holds t; the idf is Whoosh's own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from siaa.search.whoosh_index import FieldPostings

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]

K1 = 0.9  # saturation; flat between 0.6 and 1.6 on the evaluation sets


@dataclass(frozen=True, slots=True)
class FieldWeight:
    """How a field counts: its weight, and b, the share of its length normalisation (0 none, 1 full)."""

    weight: float
    b: float


BODY_WEIGHT = FieldWeight(1.0, 0.75)
HEADING_WEIGHT = FieldWeight(0.4, 0.5)
TITLE_WEIGHT = FieldWeight(1.0, 0.3)
WORDS_WEIGHT = FieldWeight(1.0, 0.75)


def whoosh_idf(passages: int, holding: npt.NDArray[np.int64]) -> Floats:
    """Return ln(N / (df + 1)) + 1 for each document frequency, at least 0.01."""
    return np.maximum(np.log(passages / (holding + 1.0)) + 1.0, 0.01).astype(np.float32)


def robertson_idf(passages: int, holding: npt.NDArray[np.int64]) -> Floats:
    """Return ln(1 + (N - df + 0.5) / (df + 0.5)) for each document frequency, at least 0.01."""
    return np.maximum(np.log1p((passages - holding + 0.5) / (holding + 0.5)), 0.01).astype(np.float32)


def saturate(frequencies: Floats, *, k1: float = K1) -> Floats:
    """Return x * (k1 + 1) / (x + k1)."""
    return (frequencies * (k1 + 1) / (frequencies + k1)).astype(np.float32)


def normalised(postings: FieldPostings, weight: FieldWeight) -> Floats:
    """Return the weighted, length-normalised frequency of each posting of a field."""
    lengths = postings.lengths
    average = float(lengths[lengths > 0].mean()) if (lengths > 0).any() else 1.0
    norms = 1 - weight.b + weight.b * lengths / average
    values = weight.weight * postings.counts / np.maximum(norms[postings.passages], 0.05)
    return np.asarray(values, dtype=np.float32)
