"""Asking without HTTP: what the assistant gives, in which order, and what the world outside is told of it.

1. `Begun` comes first and once; what fails before it raises.
2. Courtesy and what is asked back need no document, and are written down as talk.
3. A known answer comes from the cache; a whole one is kept, a refusal and a cut one are offered as they are.
4. A reader who leaves ends the model's call and gives the index back; a failure is written down and counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import pytest

from siaa.answering.assistant import Assistant
from siaa.answering.events import Begun, Delta, Event, Found, Nearest, Sources
from siaa.answering.exchange import LogLine
from siaa.answering.llm import Tether
from siaa.answering.llm.protocol import ModelBusyError, ModelCutError, ReaderLeftError
from siaa.answering.ports import AnswerKey
from siaa.answering.wording import REFUSAL
from siaa.errors import GenerationError, StoppingError, UnknownCollectionError
from siaa.retrieval import Retriever
from tests.asking import assistant_over, said, text_of
from tests.fakes import FakeModel

ANSWERABLE = "¿Quiénes son los funcionarios responsables de reportar la información?"
NONSENSE = "xqzwk vvbrtl"
FOREIGN = "¿Qué receta de ajiaco con guascas y pollo lleva el formulario?"


@dataclass
class Outside:
    """Everything outside, remembered."""

    known: dict[AnswerKey, tuple[Event, ...]] = field(default_factory=dict)
    lines: list[LogLine] = field(default_factory=list)
    stages: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    over: bool = False
    ends: list[Callable[[], None]] = field(default_factory=list)

    def find(self, key: AnswerKey) -> tuple[Event, ...] | None:
        return self.known.get(key)

    def keep(self, key: AnswerKey, events: Iterable[Event]) -> None:
        self.known[key] = tuple(events)

    def write(self, line: LogLine) -> bool:
        self.lines.append(line)
        return True

    def stage(self, name: str, seconds: float) -> None:
        assert seconds >= 0
        self.stages.append(name)

    def refusal(self, code: str) -> None:
        self.refusals.append(code)

    def model_fault(self, code: str) -> None:
        self.faults.append(code)

    @contextmanager
    def ended_by(self, end: Callable[[], None]) -> Iterator[None]:
        self.ends.append(end)
        try:
            yield
        finally:
            self.ends.remove(end)


@dataclass
class CountedIndex:
    """An index that knows how many leases are out."""

    retriever: Retriever
    out: int = 0

    @contextmanager
    def lease(self) -> Iterator[Retriever]:
        self.out += 1
        try:
            yield self.retriever
        finally:
            self.out -= 1


class NoIndex:
    """Nothing is published."""

    @contextmanager
    def lease(self) -> Iterator[Retriever]:
        raise GenerationError("No hay índice.")
        yield


def over(sample: Retriever, outside: Outside, model: FakeModel | None = None) -> Assistant:
    plain = assistant_over(sample, model)
    return replace(plain, cache=outside, log=outside, measures=outside, stop=outside)


def kinds(events: Sequence[object]) -> list[type]:
    return [type(event) for event in events]


def test_quotations_come_in_order_and_are_written_down(sample: Retriever) -> None:
    outside = Outside()
    begun, *events = over(sample, outside).answer(said(ANSWERABLE))
    assert begun == Begun(sample.generation.name)
    assert kinds(events) == [Found, Delta, Sources]
    (line,) = outside.lines
    assert (line.kind, line.alert, line.code, line.complete) == ("DOC", "OK", "", True)
    assert line.documents
    assert "«" in line.answer


def test_courtesy_needs_no_index(sample: Retriever) -> None:
    outside = Outside()
    assistant = replace(over(sample, outside), index=NoIndex())
    begun, *events = assistant.answer(said("hola, buenos días"))
    assert begun == Begun()
    assert kinds(events) == [Found, Delta, Sources]
    assert outside.lines[0].kind == "CONV"
    with pytest.raises(GenerationError):
        next(assistant.answer(said(ANSWERABLE)))
    assert (outside.lines[1].kind, outside.lines[1].code) == ("ERROR", "indice_no_disponible")


def test_a_refusal_is_counted_by_its_code(sample: Retriever) -> None:
    outside = Outside()
    events = list(over(sample, outside).answer(said(FOREIGN)))
    assert kinds(events) == [Begun, Found, Delta, Nearest]
    assert outside.refusals == [outside.lines[0].code] == ["sin_evidencia"]
    assert outside.lines[0].alert == "SIN_CONTEXTO"


def test_a_known_answer_is_not_made_again(sample: Retriever) -> None:
    outside = Outside()
    model = FakeModel(["Los funcionarios responsables son los jueces."])
    first = list(over(sample, outside, model).answer(said(ANSWERABLE)))
    begun, *again = over(sample, outside, model).answer(said(ANSWERABLE))
    assert begun == Begun(sample.generation.name, cached=True)
    assert again == first[1:]
    assert len(model.asked) == 1
    assert [line.kind for line in outside.lines] == ["DOC", "CACHE_HIT"]


def test_a_model_s_answer_is_measured(sample: Retriever) -> None:
    outside = Outside()
    begun, *events = over(sample, outside, FakeModel(["Los funcionarios ", "son los jueces."])).answer(said(ANSWERABLE))
    assert begun == Begun(sample.generation.name, by_model=True)
    assert kinds(events) == [Found, Delta, Delta, Sources]
    assert outside.stages == ["primer_token", "modelo"]
    assert outside.ends == []


def test_what_fails_before_the_first_event_raises(sample: Retriever) -> None:
    outside = Outside()
    model = FakeModel(busy=ModelBusyError("llena"))
    with pytest.raises(ModelBusyError):
        list(over(sample, outside, model).answer(said(ANSWERABLE)))
    assert outside.faults == ["modelo_ocupado"]
    conversation = replace(said(ANSWERABLE), collection="ninguna")
    with pytest.raises(UnknownCollectionError):
        next(over(sample, outside).answer(conversation))
    assert [line.code for line in outside.lines] == ["modelo_ocupado"]  # a slip of the reader's is no line


def test_what_breaks_under_way_keeps_what_was_said(sample: Retriever) -> None:
    outside = Outside()
    events = over(sample, outside, FakeModel(["Los funcionarios "], failure=ModelCutError("x"))).answer(
        said(ANSWERABLE)
    )
    with pytest.raises(ModelCutError):
        list(events)
    (line,) = outside.lines
    assert (line.kind, line.code, line.answer) == ("ERROR", "modelo_cortado", "Los funcionarios ")
    assert outside.faults == ["modelo_cortado"]
    assert outside.known == {}


def test_a_reader_who_leaves_gives_everything_back(sample: Retriever) -> None:
    outside, index = Outside(), CountedIndex(sample)
    model = FakeModel([f"{number} " for number in range(100)])
    events = replace(over(sample, outside, model), index=index).answer(said(ANSWERABLE))
    assert kinds([next(events), next(events), next(events)]) == [Begun, Found, Delta]
    assert (index.out, len(outside.ends)) == (1, 1)
    events.close()
    assert (index.out, len(outside.ends)) == (0, 0)
    assert model.closed.is_set()
    assert [(line.kind, line.complete) for line in outside.lines] == [("DOC", False)]
    assert outside.known == {}


@pytest.mark.parametrize(("over_now", "raised"), [(False, ReaderLeftError), (True, StoppingError)])
def test_an_answer_cut_from_outside_is_called_by_its_name(
    sample: Retriever, over_now: bool, raised: type[Exception]
) -> None:
    outside, tether = Outside(over=over_now), Tether()
    events = over(sample, outside, FakeModel(["uno ", "dos "])).answer(said(ANSWERABLE), tether)
    assert kinds([next(events), next(events), next(events)]) == [Begun, Found, Delta]
    tether.abandon()
    with pytest.raises(raised):
        next(events)
    assert outside.lines[0].complete is False
    assert outside.faults == []


def test_a_model_that_refuses_is_not_read_to_its_end(sample: Retriever) -> None:
    outside = Outside()
    model = FakeModel([REFUSAL, " y sigo", " y sigo"])
    events = list(over(sample, outside, model).answer(said(ANSWERABLE)))
    assert text_of([event for event in events if isinstance(event, Delta)]) == REFUSAL
    assert outside.refusals == ["modelo"]
    assert model.closed.is_set()
