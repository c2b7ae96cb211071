"""What a fit is doing, for those who watch it: tasks within tasks, and the passes of the solvers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

IterationValues = Mapping[str, Any]


class Watcher(Protocol):
    """An object that tasks and passes are reported to."""

    def task(self, name: str, n_parts: int | None, estimator: Any) -> AbstractContextManager[object]:
        """Return a context that is open during the task."""

    def passed(self, values: IterationValues) -> None:
        """Take notice of a pass of a solver."""


# Those of this thread: fits in other threads and processes are not seen from within.
watchers: ContextVar[tuple[Watcher, ...]] = ContextVar("watchers", default=())


@contextmanager
def watched_by(watcher: Watcher) -> Iterator[None]:
    """Let `watcher` see what is fitted in the context."""
    token = watchers.set((*watchers.get(), watcher))
    try:
        yield
    finally:
        watchers.reset(token)


@contextmanager
def task(name: str, n_parts: int | None = None, estimator: Any = None) -> Iterator[None]:
    """Tell the watchers of a task with `n_parts` tasks in it; None is an unknown number.

    A task that is the fit of an `estimator` shows nothing of its inside: the estimator may have watchers of its own.
    """
    with ExitStack() as open_tasks:
        for watcher in watchers.get():
            open_tasks.enter_context(watcher.task(name, n_parts, estimator))
        token = watchers.set(() if estimator is not None else watchers.get())
        try:
            yield
        finally:
            watchers.reset(token)


def watch_passes() -> Callable[[IterationValues], object] | None:
    """Return a callback that reports a pass to the watchers; None without any."""
    told = watchers.get()
    if not told:
        return None

    def tell(values: IterationValues) -> None:
        for watcher in told:
            watcher.passed(values)

    return tell
