"""Tell a follow-up from a question that stands alone, and join it to what it refers to.

A question is a follow-up, when there is an earlier one, by these rules and no others:

1. it has no informative word of its own, and names no norm ("¿por qué?", "¿y el artículo 6?");
2. it begins with "y", "pero", "entonces" ..., unless it goes on as a whole question: with an interrogative and three
   informative words or more;
3. it holds a pronoun (hacerlo, lo presenta, eso, ese plazo) whose referent is not in the question itself: no clause
   with an informative word comes before it, and the question has four such words at most.

Anything else is searched as it stands, whatever was said before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from siaa.config import MAX_QUESTION_CHARS
from siaa.language import LanguageTables
from siaa.references import Reference, find_references
from siaa.text import fold, normalise, squeeze

MAX_OWN_WORDS = 4  # informative words of a question with a pronoun, above which its referent is taken to be among them
WHOLE_QUESTION_WORDS = 3  # informative words that make a question begun with "y" one of its own

_WORD = re.compile(r"[^\W_]+|[,;:]")
_OPENERS = frozenset({"y", "e", "o", "pero", "entonces", "tambien", "ademas"})
_INTERROGATIVES = frozenset(
    {"que", "quien", "quienes", "cual", "cuales", "cuando", "cuanto", "cuanta", "cuantos", "cuantas", "donde", "como"}
)
# Words of asking on: they say that something is asked, not what about.
_GENERIC = frozenset({
    "hacer", "hace", "hago", "haga", "haria", "hacen", "decir", "dice", "diga", "digame", "dime", "ampliar", "amplie",
    "amplia", "explicar", "explique", "explica", "expliqueme", "explicame", "aclarar", "aclare", "resumir", "resuma",
    "detalle", "detalles", "detallar", "ejemplo", "ejemplos", "puedo", "puede", "pueden", "podemos", "podria", "debo",
    "debe", "deben", "debemos", "tengo", "toca", "pasa", "ocurre", "sucede", "seria", "mejor", "entonces", "tampoco",
    "ahora", "luego", "despues", "mismo", "misma", "mismos", "mismas", "cosa", "cosas", "favor", "claro", "quiero",
    "quisiera", "necesito", "saber", "conocer", "deme", "dame", "no", "sin", "ni", "si", "digalo", "hagalo", "respecto",
    "dicho", "dicha", "dichos", "dichas", "ahi", "alli", "habla", "trata", "exactamente", "hacia", "seguro", "segura",
})  # fmt: skip
_POINTERS = frozenset({
    "eso", "esto", "ello", "aquello", "ese", "esa", "esos", "esas", "este", "estos", "estas", "aquel", "aquella",
    "dicho", "dicha", "dichos", "dichas", "ellos", "ella", "ellas", "ahi", "alli",
})  # fmt: skip
_ENCLITIC = re.compile(r"(\w{2,}(?:ar|er|ir|ando|iendo|yendo))((?:se|me|te|nos)?(?:lo|la|los|las))")
_NO_ENCLITIC = frozenset({"charla", "charlas", "perla", "perlas", "carlos", "carla", "karla", "mirla"})
_BEFORE_ARTICLE = frozenset(
    {"a", "de", "en", "por", "con", "para", "sobre", "segun", "todo", "sin", "hasta", "ante", "bajo"}
)
_AFTER_NEUTER = re.compile(r"que|cual|mas|menos|\w+[aei]d[oa]s?|\w{2,}(?:al|il|sto|cho|nte)")
_BEFORE_PRONOUN = frozenset({"quien", "quienes", "no", "se", "me", "te", "nos"})
_BARE_NUMBER = re.compile(r"^\W*[ye] (?:el|la) (\d{1,4})\W*$", re.IGNORECASE)
_CLAUSE_BREAKS = frozenset({"y", "o", "si", "cuando", "pero", "aunque", "porque", ",", ";", ":"})


@dataclass(frozen=True, slots=True)
class Topic:
    """What a follow-up may refer to: the last question that stood alone, and the words that a follow-up has added."""

    question: str
    added: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a question, folded, or a comma and the like, with its place; `own` says that it is informative."""

    text: str
    start: int
    end: int
    own: bool


def is_follow_up(question: str, tables: LanguageTables) -> bool:
    """Tell whether `question` leans on what was said before it."""
    text = squeeze(normalise(question))
    references = find_references(text)
    words = _words(text, references, tables)
    own = [word for word in words if word.own]
    if words and words[0].text in _OPENERS:
        whole = len(own) >= WHOLE_QUESTION_WORDS and any(word.text in _INTERROGATIVES for word in words)
        return not whole or _points_back(words[1:])
    if any(reference.kind == "norma" for reference in references):
        return False
    return not own or _points_back(words)


def join(
    question: str, topic: Topic, tables: LanguageTables, *, document_of: Callable[[str], str | None]
) -> tuple[str, Topic]:
    """Return a follow-up with what it refers to in parentheses, and the topic that it leaves behind.

    `document_of` names the document that answers a question. The article that a follow-up names takes the place of the
    earlier one, and so does the norm.

    >>> join("¿puede hacerlo un asistente?", Topic("¿Quién debe diligenciar el formulario SIERJU?"), tables, ...)[0]
    '¿puede hacer eso un asistente? (diligenciar formulario SIERJU)'
    """
    text = _with_article(squeeze(normalise(question)), topic)
    references = find_references(text)
    own = _content(text, references, tables)
    if not any(word.own for word in _words(text, references, tables)) and references:
        context: Sequence[str] = _place(topic.question, references, tables, document_of)
    else:
        context = (*topic.added, *_earlier(topic.question, references, tables))
    known = set(fold(text).split())
    told = " ".join(dict.fromkeys(word for word in context if fold(word) not in known))
    joined = _fitted(_without_enclitics(text), told)
    # A follow-up that names a place moves the topic there; any other adds its words for the next one.
    return joined, Topic(joined) if references else replace(topic, added=tuple(own))


def _with_article(text: str, topic: Topic) -> str:
    """Write "¿y el 6?" as "¿y el artículo 6?" when an article was spoken of."""
    bare = _BARE_NUMBER.search(text)
    if not bare or not any(reference.kind == "art" for reference in find_references(topic.question)):
        return text
    return f"{text[: bare.start(1)]}artículo {text[bare.start(1) :]}"


def _words(text: str, references: Iterable[Reference], tables: LanguageTables) -> list[_Word]:
    spans = [(reference.start, reference.end) for reference in references]
    dull = tables.stop_words | tables.question_words | _GENERIC
    found = []
    for match in _WORD.finditer(fold(text)):
        word, start, end = match[0], match.start(), match.end()
        named = any(first <= start < last for first, last in spans)
        own = not named and word[0].isalnum() and word not in dull and not _is_enclitic(word)
        found.append(_Word(word, start, end, own))
    return found


def _points_back(words: Sequence[_Word]) -> bool:
    """Tell whether a pronoun stands in `words` without its referent before it."""
    for position in range(len(words)):
        if not _is_pronoun(words, position):
            continue
        breaks = [place for place, word in enumerate(words[:position]) if word.text in _CLAUSE_BREAKS]
        inside = any(word.own for word in words[: breaks[-1]]) if breaks else False
        return not inside and sum(word.own for word in words) <= MAX_OWN_WORDS
    return False


def _is_pronoun(words: Sequence[_Word], position: int) -> bool:
    word = words[position].text
    before = words[position - 1].text if position else ""
    after = words[position + 1].text if position + 1 < len(words) else ""
    if word in _POINTERS or _is_enclitic(word):
        return True
    if word == "lo":
        neuter = not after or before in _BEFORE_ARTICLE or bool(_AFTER_NEUTER.fullmatch(after))
        return not neuter or after == "anterior"
    return word in ("la", "los", "las") and bool(after) and before in _BEFORE_PRONOUN


def _is_enclitic(word: str) -> bool:
    return word not in _NO_ENCLITIC and bool(_ENCLITIC.fullmatch(word))


def _content(text: str, references: Iterable[Reference], tables: LanguageTables) -> list[str]:
    """Return the informative words of `text` as written, references whole, in reading order."""
    pieces = [(word.start, word.end) for word in _words(text, references, tables) if word.own]
    pieces += [(reference.start, reference.end) for reference in references]
    return [text[start:end].strip(" ?¿!¡.,;:()") for start, end in dict.fromkeys(sorted(pieces))]


def _earlier(question: str, named: Sequence[Reference], tables: LanguageTables) -> list[str]:
    """Return what the earlier question is about, without what the follow-up names anew."""
    text = squeeze(normalise(question))
    replaced = {reference.kind for reference in named}
    references = find_references(text)
    dropped = [reference for reference in references if reference.kind in replaced]
    for reference in dropped:
        text = text[: reference.start] + " " * (reference.end - reference.start) + text[reference.end :]
    return _content(text, [reference for reference in references if reference not in dropped], tables)


def _place(
    question: str, named: Sequence[Reference], tables: LanguageTables, document_of: Callable[[str], str | None]
) -> list[str]:
    """Return the document in which a follow-up looks for an article: the one named before, or that answered."""
    if any(reference.kind == "norma" for reference in named):
        return _earlier(question, named, tables)
    text = squeeze(normalise(question))
    norms = [text[r.start : r.end] for r in find_references(text) if r.kind == "norma"]
    if norms:
        return norms[-1:]
    document = document_of(question)
    return [_readable(document)] if document else _earlier(question, named, tables)


def _readable(name: str) -> str:
    return squeeze(name.rpartition("/")[2].rpartition(".")[0].replace("_", " ")) or name


def _without_enclitics(text: str) -> str:
    """Write "hacerlo" as "hacer eso": the index knows the verb, and a reader what was searched."""
    parts, done = [], 0
    for match in re.finditer(r"[^\W_]+", text):
        folded = fold(match[0])
        found = _ENCLITIC.fullmatch(folded) if folded not in _NO_ENCLITIC else None
        if found:
            parts += [text[done : match.start()], match[0][: found.end(1)], " eso"]
            done = match.end()
    return "".join((*parts, text[done:]))


def _fitted(text: str, told: str) -> str:
    room = MAX_QUESTION_CHARS - len(text) - len(" ()")
    if not told or room <= 0:
        return text[:MAX_QUESTION_CHARS]
    kept = told if len(told) <= room else told[:room].rpartition(" ")[0]
    return f"{text} ({kept})" if kept else text
