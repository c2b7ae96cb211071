"""The standard streams in any state: of another encoding, closed, full, or without a reader."""

from __future__ import annotations

import codecs
import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any

from drr._checks.names import printable
from drr.cli._errors import CommandError

# What is written in place of characters that a stream cannot show.
_READABLE = {
    "→": "->",
    "…": "...",
    "−": "-",
    "–": "-",
    "’": "'",
    "η": "eta",
    "θ": "theta",
    "φ": "phi",
    "½": "1/2",
    "²": "^2",
}
_HANDLER = "drr-readable"


def _replace(error: UnicodeError) -> tuple[str, int]:
    """Give readable ASCII for characters that a stream cannot show."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end]
    return "".join(_READABLE.get(character, "?") for character in lost), error.end


codecs.register_error(_HANDLER, _replace)


@contextlib.contextmanager
def readable_streams() -> Iterator[None]:
    """Replace characters that a stream cannot show, instead of failing."""
    changed = []
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            changed.append((stream, stream.errors))
            stream.reconfigure(errors=_HANDLER)
    try:
        yield
    finally:
        for stream, errors in changed:
            with contextlib.suppress(OSError, ValueError):  # what cannot be flushed was reported already
                stream.reconfigure(errors=errors)


def check_output_is_open() -> None:
    """Raise before any work if the result cannot be printed at its end."""
    if sys.stdout is None or sys.stdout.closed:
        raise CommandError("the standard output is closed; redirect it to a file, or to /dev/null")


def shows_unicode(stream: Any) -> bool:
    """Return whether a stream can show every character."""
    return (getattr(stream, "encoding", None) or "").lower().replace("-", "").startswith("utf")


def say(text: str, *, lines: bool = False) -> None:
    """Print one line on the standard error, or `lines`, if the stream is open."""
    if sys.stderr is None:
        return
    with contextlib.suppress(OSError, ValueError):
        print(printable(text, keep="\n" if lines else ""), file=sys.stderr, flush=True)


def abandon_output() -> None:
    """Send what is still to be flushed nowhere: the interpreter would fail on it when it ends."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
            continue
        with contextlib.suppress(OSError, ValueError, AttributeError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)
