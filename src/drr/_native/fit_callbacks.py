"""The callbacks of scikit-learn 1.9 and newer, such as its progress bar, as watchers of a fit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from drr._native.tasks import IterationValues, task, watched_by

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing: there are no callbacks to support."""


__all__ = ["CallbackSupportMixin", "fit_task"]


@contextmanager
def fit_task(estimator: Any, n_parts: int | None, X: Any, y: Any) -> Iterator[None]:
    """Tell watchers and the callbacks of an estimator of its fit.

    A context rather than a decorator: it adds no frame between a warning and the line of the user that it names.
    """
    with task(type(estimator).__name__, n_parts):
        if not (hasattr(estimator, "_skl_callbacks") or hasattr(estimator, "_parent_callback_ctx")):
            yield
            return
        try:
            root = estimator._init_callback_context(max_subtasks=n_parts)
            root.call_on_fit_task_begin(estimator=estimator, X=X, y=y)
            with watched_by(_Contexts(estimator, root)):
                yield
            root.call_on_fit_task_end(estimator=estimator, X=X, y=y, reconstruction_attributes=dict)
        finally:  # what scikit-learn does after a method that it decorates
            with_callbacks(lambda _: None)(estimator)


class _Contexts:
    """A watcher that turns tasks and passes into the contexts of scikit-learn."""

    def __init__(self, estimator: Any, root: Any) -> None:
        self._estimator, self._context = estimator, root

    @contextmanager
    def task(self, name: str, n_parts: int | None, estimator: Any) -> Iterator[None]:
        outer = self._context
        inner = outer.subcontext(task_name=name, max_subtasks=n_parts if estimator is None else 0)
        takes_callbacks = hasattr(estimator, "set_callbacks")
        with inner.propagate_callback_context(estimator) if takes_callbacks else nullcontext():
            inner.call_on_fit_task_begin(estimator=self._estimator)
            self._context = inner
            try:
                yield
            finally:
                self._context = outer
            inner.call_on_fit_task_end(estimator=self._estimator)

    def passed(self, values: IterationValues) -> None:
        with self.task(f"{values['stage']} pass", 0, None):
            pass
