"""One route of the HTTP interface: a row of the table that is served and that /openapi.json is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from inspect import Parameter, signature
from types import UnionType
from typing import Any, get_args

from flask import Response, request

from service.context import current_context
from service.http.admin import require_operator
from service.http.params import parameters
from service.http.wire import json_response


@dataclass(frozen=True, slots=True)
class Route:
    """A view, and what its signature does not tell.

    The signature tells what is read from the address: of the query string `q: Shape` is required, `q: Shape | None =
    None` may be absent or blank, and `q: Shape = False` is a switch. The return type is the shape of the JSON that
    comes back; another answer is a Response that the view makes.
    """

    method: str
    path: str  # as Flask writes it
    view: Callable[..., object]
    summary: str
    errors: tuple[int, ...] = ()  # besides those that follow from the rest (`failures`)
    _: KW_ONLY
    body: Any = None  # shape of the request's body
    answer: Any = None  # shape of the JSON in a Response
    events: tuple[Any, ...] = ()  # shapes of the events in a Response
    text: str = ""  # media type of the text in a Response
    status: int = 200
    operator: bool = False  # for nobody else
    reads: Mapping[str, Any] = field(default_factory=dict)  # what the view itself reads from the query string: shapes
    details: str = ""

    @property
    def name(self) -> str:
        """Return what no other route is called."""
        return self.view.__name__

    @property
    def taken(self) -> list[Parameter]:
        """Return what is read from the address."""
        kind = Parameter.KEYWORD_ONLY
        own = [Parameter(name, kind, annotation=shape | None, default=None) for name, shape in self.reads.items()]
        return [*signature(self.view, eval_str=True).parameters.values(), *own]

    @property
    def answered(self) -> Any:
        """Return the shape of the JSON that comes back, None if none does."""
        told = signature(self.view, eval_str=True).return_annotation
        options = get_args(told) if isinstance(told, UnionType) else (told,)
        return self.answer or next((option for option in options if option is not Response), None)

    @property
    def failures(self) -> list[int]:
        """Return every status but that of success."""
        found = {*self.errors, 429, 500}
        found |= {400} if self.taken else set()
        found |= {400, 413, 415} if self.body else set()
        return sorted(found | ({401, 403} if self.operator else set()))

    def is_in_path(self, name: str) -> bool:
        """Tell whether `name` is a part of the path."""
        return f"<path:{name}>" in self.path

    def handler(self) -> Callable[..., Response]:
        """Return what Flask calls."""
        asked = {p.name: p.default for p in self.taken if not self.is_in_path(p.name) and p.name not in self.reads}
        required = [name for name, default in asked.items() if default is Parameter.empty]

        def handle(**arguments: object) -> Response:
            if self.operator:
                require_operator(request.environ, current_context().settings)
            if asked:
                given = parameters(*asked)
                arguments |= zip(required, given.required(*required), strict=True)
                for name in asked.keys() - arguments.keys():
                    arguments[name] = given.switch(name) if asked[name] is False else given.optional(name)
            made = self.view(**arguments)
            return made if isinstance(made, Response) else json_response(made, self.status)

        return handle
