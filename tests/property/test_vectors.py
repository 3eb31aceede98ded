"""The store is a table of vectors by model and text, encoding fills it, and the search over them is the exact one."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule

from siaa.meaning import Vectors, VectorStore, encode_passages, key_of, passage_text
from siaa.meaning.vectors import to_fixed
from tests.fake_embedder import FakeEmbedder

MODELS = tuple(FakeEmbedder(name=name, dimensions=16) for name in ("uno", "dos", "tres"))

models = st.sampled_from(MODELS)
some_texts = st.lists(st.integers(0, 40).map("pasaje {}".format), min_size=1, max_size=12, unique=True)
folders = st.sampled_from(["gen-1", "gen-2", "gen-3"])


class Store(RuleBasedStateMachine):
    """Two builds with one store, and a dict that says what it holds."""

    opened = Bundle("opened")

    @initialize()
    def begin(self) -> None:
        self.folder = TemporaryDirectory()
        self.path = Path(self.folder.name)
        self.stores = [VectorStore(self.path / "v", max_bytes=2**30) for _ in range(2)]
        self.held: set[tuple[str, str]] = set()
        self.claims: dict[str, set[tuple[str, str]]] = {}

    @rule(which=st.integers(0, 1), model=models, texts=some_texts)
    def encode(self, which: int, model: FakeEmbedder, texts: list[str]) -> None:
        model.calls.clear()
        made = encode_passages([*texts, *texts[:3]], model, self.stores[which])
        assert np.array_equal(made, to_fixed(model._made([*texts, *texts[:3]])))
        new = {text for text in texts if (model.name, text) not in self.held}
        assert {text for call in model.calls[:-1] for text in call} == new  # the last call is the test's own
        self.held |= {(model.name, text) for text in texts}

    @rule(which=st.integers(0, 1), model=models, texts=some_texts, name=folders)
    def claim(self, which: int, model: FakeEmbedder, texts: list[str], name: str) -> None:
        (self.path / name).mkdir(exist_ok=True)
        self.stores[which].claim(self.path / name, model.fingerprint, map(key_of, texts))
        self.claims[name] = {(model.name, text) for text in texts} & self.held

    @rule(name=folders)
    def remove(self, name: str) -> None:
        if self.claims.pop(name, None) is not None:
            (self.path / name).rmdir()

    @rule(which=st.integers(0, 1))
    def prune(self, which: int) -> None:
        kept = set().union(*self.claims.values())
        assert self.stores[which].prune() == len(self.held - kept)
        self.held &= kept

    @rule(which=st.integers(0, 1))
    def reopen(self, which: int) -> None:
        self.stores[which].close()
        self.stores[which] = VectorStore(self.path / "v", max_bytes=2**30)

    @invariant()
    def both_hold_the_same(self) -> None:
        for store in getattr(self, "stores", ()):
            for model in MODELS:
                texts = {key_of(f"pasaje {n}"): f"pasaje {n}" for n in range(41)}
                found = {texts[key] for key, _ in store.find(model.fingerprint, texts)}
                assert found == {text for name, text in self.held if name == model.name}

    def teardown(self) -> None:
        for store in getattr(self, "stores", ()):
            store.close()
        if hasattr(self, "folder"):
            self.folder.cleanup()


TestStore = Store.TestCase
TestStore.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)


@st.composite
def matrices(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Draw vectors of unit length and a question."""
    rows, size = draw(st.integers(0, 3000)), draw(st.sampled_from([1, 3, 64, 384, 1024]))
    drawn = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    vectors = drawn.standard_normal((rows + 1, size)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors[1:], vectors[0]


@settings(max_examples=40, deadline=None)
@given(matrices(), st.integers(0, 60))
def test_the_search_is_exact(drawn: tuple[np.ndarray, np.ndarray], count: int) -> None:
    rows, question = drawn
    with TemporaryDirectory() as name:
        Vectors(MODELS[0].fingerprint, to_fixed(rows)).save(Path(name) / "m")
        vectors = Vectors.open(Path(name) / "m")
        assert vectors.model == MODELS[0].fingerprint
        found = vectors.similarities(question)
        expected = rows @ question
        assert found.dtype == np.float32
        assert found.shape == (len(rows),)
        # Half a step for each number, at worst all in one direction: that of the question.
        assert np.all(np.abs(found - expected) < np.abs(question).sum() / 65534 + 1e-5)
        best = vectors.top(found, count)
        assert best.tolist() == sorted(range(len(rows)), key=lambda row: (-found[row], row))[:count]


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=200))
def test_the_text_of_a_passage_holds_its_parts(title: str, heading: str, text: str) -> None:
    made = passage_text(title, heading, text)
    words = made.split()
    assert all(word.strip(" .:#") in made for part in (title, heading, text) for word in part.split())
    assert made == " ".join(words)
