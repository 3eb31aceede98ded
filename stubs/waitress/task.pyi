from typing import Any

class Error:
    code: int

class FailedRequest:
    error: Error
    path: str

class ErrorTask:
    request: FailedRequest
    status: str
    response_headers: list[tuple[str, str]]
    content_length: int
    def set_close_on_finish(self) -> None: ...
    def write(self, data: bytes) -> None: ...
    def execute(self) -> None: ...

class ThreadedTaskDispatcher:
    def set_thread_count(self, count: int) -> None: ...
    def add_task(self, task: Any) -> None: ...
    def shutdown(self, cancel_pending: bool = True, timeout: float = 5) -> bool: ...
