"""Understand what the last question of a conversation asks: with what was chosen, and what it refers to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from siaa.answering.talk import clarifications, follow_ups, small_talk
from siaa.answering.talk.clarifications import Doubt
from siaa.answering.talk.follow_ups import Topic
from siaa.language import Clarification, LanguageTables
from siaa.text import normalise


@dataclass(frozen=True, slots=True)
class Meaning:
    """What the last question asks: as it is searched, or, with `doubt`, what it leaves open."""

    searched: str
    doubt: Doubt | None = None


def understand(
    questions: Sequence[str], tables: LanguageTables, *, document_of: Callable[[str], str | None]
) -> Meaning:
    """Return what the last of a conversation's `questions` (oldest first) asks.

    `document_of` names the document that answers a question. Of each row of the clarifications a conversation is asked
    once at most; what was chosen then holds for the rest of it.
    """
    topic: Topic | None = None
    asked: tuple[str, Doubt] | None = None  # the last question that was asked back
    waiting = False  # for the reply to it
    choices: dict[Clarification, str] = {}  # what was replied to each row that was asked
    meaning = Meaning(questions[-1])
    for raw in questions:
        if small_talk.reply_to(raw) is not None:
            continue
        question = normalise(raw)
        clear = clarifications.resolve(*asked, question, again=not waiting) if asked else None
        if asked and clear:
            choices[asked[1].row] = question
            question = clear
        else:
            topic = Topic(asked[0]) if asked and waiting and not topic else topic
            doubt = clarifications.find_doubt(question, tables.clarifications)
            if doubt and doubt.row not in choices:
                choices[doubt.row], asked, waiting = "", (question, doubt), True
                meaning = Meaning(raw, doubt)
                continue
            if doubt:
                question = clarifications.resolve(question, doubt, choices[doubt.row]) or question
        waiting = False
        if topic and follow_ups.is_follow_up(question, tables):
            question, topic = follow_ups.join(question, topic, tables, document_of=document_of)
        else:
            topic = Topic(question)
        meaning = Meaning(raw if question == normalise(raw) else question)
    return meaning
