"""The command line: ``drr fit``, ``drr score``, ``drr report``, ``drr check`` and ``drr demo``."""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code.

    Every problem is reported in one line on the standard error. Files are written whole or not at all.
    """
    try:
        # Inside the try block: Ctrl-C is answered in one line from the first import on.
        from drr.cli._main import run_command

        return run_command(arguments)
    except KeyboardInterrupt:
        print("drr: interrupted; nothing was written", file=sys.stderr)
        return 130
