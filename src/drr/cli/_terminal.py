"""What a command says while it runs and when it is done."""

from __future__ import annotations

import contextlib
import importlib
import json
import math
import os
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from drr._checks.names import printable
from drr.cli._errors import in_one_line
from drr.cli._streams import say, shows_unicode

# What tqdm is told of a terminal that does not say how large it is, as those of containers may not: it would draw
# nothing there.
_HAS_NO_SIZE = {"ncols": 80, "nrows": 24}


class Terminal:
    """Results on the standard output, as text or as JSON; progress and notes on the standard error."""

    def __init__(self, *, as_json: bool = False, quiet: bool = False) -> None:
        self._as_json = as_json
        self._quiet = quiet
        self._notes: list[str] = []

    def note(self, text: str) -> None:
        """Print what the user should know, once."""
        if text in self._notes:
            return
        self._notes.append(text)
        if not self._quiet:
            say(f"drr: note: {text}")

    def result(self, text: str, values: Mapping[str, Any]) -> None:
        """Print what the command found: `text` for people, `values` for machines."""
        if self._as_json:
            content = _plain({**values, "notes": self._notes})
            # Control characters that JSON lets pass are escaped as well.
            as_ascii = (
                not shows_unicode(sys.stdout) or not json.dumps(content, ensure_ascii=False).isprintable()
            )
            print(json.dumps(content, ensure_ascii=as_ascii, allow_nan=False))
        else:
            print(printable(text, keep="\n"))

    @contextlib.contextmanager
    def warnings_as_notes(self) -> Iterator[None]:
        """Show warnings of the library as notes, each once."""

        def show(message: Any, category: Any, *_: Any, **__: Any) -> None:
            if issubclass(category, UserWarning | RuntimeWarning):
                self.note(in_one_line(message))

        with warnings.catch_warnings():
            warnings.simplefilter("default")
            warnings.showwarning = show
            yield

    @contextlib.contextmanager
    def bar(self, label: str, total: int | None, unit: str) -> Iterator[Bar]:
        """Show a progress bar if a person watches, otherwise nothing."""
        with self._shown(label, total=total, unit=unit, unit_scale=True) as shown:
            yield Bar(shown)

    @contextlib.contextmanager
    def stage(self, label: str) -> Iterator[None]:
        """Show the fits and passes of what is being done, and the time it takes, on a terminal only."""
        clock = "{desc} [{elapsed}]{postfix}"
        with self._shown(label, bar_format=clock) as shown:
            if shown is None:
                yield
                return
            from drr._native.tasks import watched_by  # the package may fail to load: within the command

            with watched_by(FitBar(shown, label)), _ticking(shown):
                yield

    @contextlib.contextmanager
    def _shown(self, label: str, **options: Any) -> Iterator[Any]:
        """Open a bar of tqdm; None if it would go to no terminal, or without the package."""
        tqdm: Any = None
        if not self._quiet and _is_watched():
            with contextlib.suppress(ImportError):
                tqdm = importlib.import_module("tqdm").tqdm
        if tqdm is None:
            yield None
            return
        ascii_only = None if shows_unicode(sys.stderr) else True
        with tqdm(
            desc=printable(label),
            leave=False,
            file=sys.stderr,
            ascii=ascii_only,
            **(_HAS_NO_SIZE if _is_without_size() else {"dynamic_ncols": True}),
            **options,
        ) as shown:
            yield shown


class Bar:
    """A progress bar, or none."""

    def __init__(self, shown: Any = None) -> None:
        self._shown = shown

    def reach(self, position: int) -> None:
        """Say how much is done by now."""
        if self._shown is not None:
            self._shown.update(position - self._shown.n)


class FitBar:
    """A watcher that shows the fits of a model one after the other, and the passes of the one that runs."""

    FORMAT = "{desc} |{bar}| {n_fmt}/{total_fmt} [{elapsed}]{postfix}"

    def __init__(self, shown: Any, label: str) -> None:
        self._shown, self._label = shown, printable(label)
        self._depth = self._passes = 0

    @contextlib.contextmanager
    def task(self, name: str, n_parts: int | None, estimator: Any) -> Iterator[None]:
        """Show a task: how many fits there are, then which one it is, then what is being fitted."""
        depth, self._depth, self._passes = self._depth, self._depth + 1, 0
        if depth == 0 and n_parts is not None:
            self._shown.total, self._shown.bar_format = n_parts, self.FORMAT
        elif depth == 1:
            self._shown.set_description_str(f"{self._label}: {printable(name)}", refresh=False)
        # Every fit is drawn at its begin and at its end, however quick it is.
        self._shown.set_postfix_str("" if depth < 2 else printable(name), refresh=depth == 1)
        try:
            yield
        finally:
            self._depth = depth
        if depth == 1:
            self._shown.set_description_str(self._label, refresh=False)
            self._shown.set_postfix_str("", refresh=False)
            self._shown.update()
            self._shown.refresh()

    def passed(self, values: Mapping[str, Any]) -> None:
        """Count the passes over the rows."""
        self._passes += 1
        self._shown.set_postfix_str(f"{values['stage']}, pass {self._passes}", refresh=False)


@contextlib.contextmanager
def _ticking(shown: Any) -> Iterator[None]:
    """Draw a bar again ten times a second, also while compiled code runs."""
    is_done = threading.Event()

    def draw() -> None:
        while not is_done.wait(0.1):
            shown.refresh()

    thread = threading.Thread(target=draw, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_done.set()
        thread.join()


def _is_without_size() -> bool:
    try:
        return 0 in os.get_terminal_size(sys.stderr.fileno())
    except OSError:  # of a stream that is no file
        return False


def _is_watched() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _plain(value: Any) -> Any:
    """Return what JSON can hold: NaN and infinity become null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
