"""The command line: arguments in, exit code out."""

from __future__ import annotations

import argparse
import errno
import os
import signal
import sys
import threading
import traceback
from collections.abc import Sequence
from typing import NoReturn

from drr._native import __version__
from drr.cli import check, demo, fit, report, score
from drr.cli._errors import CommandError, ExitCode, in_one_line
from drr.cli._terminal import Terminal

_EPILOG = """\
exit codes: 0 done; 1 a problem with the data, the model or a file; 2 a problem with the options;
3 an unexpected error (please report it); 130 interrupted. `drr COMMAND --help` explains a command."""


class _Parser(argparse.ArgumentParser):
    """Errors in one line, with where to look for help."""

    def error(self, message: str) -> NoReturn:
        self.exit(ExitCode.USAGE, f"{self.prog}: {message}; see `{self.prog} --help`\n")


def make_parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    parser = _Parser(
        prog="drr",
        description="Density-ratio rescoring: better ranking of a rare class from any classifier.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"drr {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_Parser)
    for command in (check, fit, score, report, demo):
        command.add_parser(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code.

    Whatever goes wrong is told in one line on the standard error. Files are written whole or not at all.
    """
    try:
        options = make_parser().parse_args(arguments)
    except SystemExit as end:  # argparse has said why
        return int(end.code or 0)
    terminal = Terminal(as_json=options.json, quiet=options.quiet)
    with _Interruption() as interruption:
        try:
            with terminal.warnings_as_notes():
                options.run(options, terminal)
            sys.stdout.flush()
            return ExitCode.OK
        except BrokenPipeError:
            # Whoever read our output has left; nothing may be flushed to it at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return ExitCode.BROKEN_PIPE
        except (KeyboardInterrupt, Exception) as error:
            if options.traceback:
                traceback.print_exc()
            text, code = _explain(error)
            if interruption.happened:
                text, code = "interrupted; nothing was written", ExitCode.INTERRUPTED
            print(f"drr: {text}", file=sys.stderr)
            return code


def _explain(error: BaseException) -> tuple[str, ExitCode]:
    """One line on what went wrong and what to do, and the exit code."""
    if isinstance(error, KeyboardInterrupt):
        return "interrupted; nothing was written", ExitCode.INTERRUPTED
    if isinstance(error, MemoryError):
        return "the memory does not suffice; give fewer rows or columns", ExitCode.PROBLEM
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        what = error.filename or "the output"
        return (
            f"no space is left on the disk for {what}; free some, or write elsewhere with -o",
            ExitCode.PROBLEM,
        )
    if isinstance(error, PermissionError):
        return f"{error.filename} may not be read or written; choose another place", ExitCode.PROBLEM
    if isinstance(error, OSError):
        return f"{in_one_line(error)}; check the file and the disk", ExitCode.PROBLEM
    if isinstance(error, CommandError | ValueError | TypeError | ImportError):  # the library says what to do
        return in_one_line(error), ExitCode.PROBLEM
    return (
        f"unexpected {type(error).__name__}: {in_one_line(error)}; --traceback shows where, please report it",
        ExitCode.UNEXPECTED,
    )


class _Interruption:
    """Remembers Ctrl-C: compiled parsers turn its exception into an error of their own."""

    def __enter__(self) -> _Interruption:
        self.happened = False
        self._previous = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is threading.main_thread() and callable(self._previous):
            signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        if signal.getsignal(signal.SIGINT) == self._handle:
            signal.signal(signal.SIGINT, self._previous)

    def _handle(self, *_: object) -> None:
        self.happened = True
        raise KeyboardInterrupt
