"""What a command says while it runs and when it is done."""

from __future__ import annotations

import contextlib
import json
import math
import sys
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from drr._checks.names import printable
from drr.cli._errors import in_one_line
from drr.cli._streams import say, shows_unicode


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
        bar = Bar()
        if not self._quiet and _is_watched():
            with contextlib.suppress(ImportError):
                from tqdm import tqdm

                ascii_only = None if shows_unicode(sys.stderr) else True
                bar = Bar(
                    tqdm(
                        total=total,
                        desc=printable(label),
                        unit=unit,
                        unit_scale=True,
                        leave=False,
                        file=sys.stderr,
                        ascii=ascii_only,
                    )
                )
        try:
            yield bar
        finally:
            bar.close()

    @contextlib.contextmanager
    def stage(self, label: str) -> Iterator[None]:
        """Show a line that says what is being done until it is done, on a terminal only."""
        shown = not self._quiet and _is_watched()
        if shown:
            label = printable(label)
            print(f"{label} …", end="\r", file=sys.stderr, flush=True)
        try:
            yield
        finally:
            if shown:
                print(" " * (len(label) + 4), end="\r", file=sys.stderr, flush=True)


class Bar:
    """A progress bar, or none."""

    def __init__(self, shown: Any = None) -> None:
        self._shown = shown

    def reach(self, position: int) -> None:
        """Say how much is done by now."""
        if self._shown is not None:
            self._shown.update(position - self._shown.n)

    def close(self) -> None:
        if self._shown is not None:
            self._shown.close()


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
