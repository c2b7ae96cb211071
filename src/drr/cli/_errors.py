"""What can go wrong on the command line, as exit codes and one-line messages."""

from __future__ import annotations

import importlib
from enum import IntEnum
from typing import Any

INSTALL = 'pip install "density-ratio-rescoring[cli]"'


class ExitCode(IntEnum):
    """What the shell gets to know."""

    OK = 0
    PROBLEM = 1  # with the data, the model or a file
    USAGE = 2  # argparse's own
    UNEXPECTED = 3  # a defect of drr, or of a base classifier from elsewhere
    INTERRUPTED = 130  # 128 + SIGINT, as shells have it
    BROKEN_PIPE = 141  # 128 + SIGPIPE: the reader of our output has left


class CommandError(Exception):
    """The cause of a failure and its remedy, in one line."""

    code = ExitCode.PROBLEM


class OptionError(CommandError):
    """The value of an option cannot be used, whatever the table holds."""

    code = ExitCode.USAGE


def require(module: str) -> Any:
    """Import a package of the extra `cli`."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        if getattr(error, "name", None) not in (package, module):
            raise
        raise CommandError(f"this command needs {package}: {INSTALL}") from None


def in_one_line(error: BaseException) -> str:
    """Return the message of an error without line breaks, or its name if it has none."""
    text = " ".join(str(error).split())
    return text or type(error).__name__
