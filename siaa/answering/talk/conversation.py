"""Hold what was said so far."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation: `role` is user or assistant."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """What was said, oldest first; the last message is the user's question. `collection` None searches all."""

    messages: tuple[Message, ...]
    collection: str | None = None

    @property
    def question(self) -> str:
        """Return the text of the last message."""
        return self.messages[-1].content

    @property
    def questions(self) -> tuple[str, ...]:
        """Return what the user said, oldest first."""
        return tuple(message.content for message in self.messages if message.role == "user")
