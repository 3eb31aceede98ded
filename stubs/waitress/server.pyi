from collections.abc import Callable
from typing import Any

from waitress.task import ThreadedTaskDispatcher
from waitress.wasyncore import dispatcher

class Adjustments:
    connection_limit: int

class BaseWSGIServer(dispatcher):
    adj: Adjustments
    channel_class: type[Any]
    task_dispatcher: ThreadedTaskDispatcher
    add_task: Callable[[Any], None]
    handle_accept: Callable[[], None]
    def pull_trigger(self) -> None: ...

def create_server(application: Any, map: dict[int, Any], **settings: object) -> object: ...
