"""The command line: arguments in, exit code out."""

from __future__ import annotations

import errno
import importlib
import signal
import sys
import threading
import traceback
from collections.abc import Sequence

from drr.cli._errors import CommandError, ExitCode, in_one_line
from drr.cli._streams import abandon_output, check_output_is_open, readable_streams, say
from drr.cli._terminal import Terminal


def run_command(arguments: Sequence[str] | None = None) -> int:
    """Read the arguments, then import and run their command; what is imported may fail like the command itself."""
    shows_traceback = False
    with _Interruption() as interruption, readable_streams():
        try:
            check_output_is_open()
            from drr.cli._parser import make_parser

            options = make_parser().parse_args(arguments)
            shows_traceback = options.traceback
            command = importlib.import_module(f"drr.cli.{options.command}")
            terminal = Terminal(as_json=options.json, quiet=options.quiet)
            with terminal.warnings_as_notes():
                command.run(options, terminal)
            sys.stdout.flush()
            return ExitCode.OK
        except (SystemExit, KeyboardInterrupt, Exception) as error:
            code = _report(error, interrupted=interruption.happened, shows_traceback=shows_traceback)
            abandon_output()
            return code


def _report(error: BaseException, *, interrupted: bool, shows_traceback: bool) -> int:
    """Say in one line what went wrong; return the exit code."""
    if isinstance(error, SystemExit):  # argparse has said why
        try:
            sys.stdout.flush()
            return int(error.code or 0)
        except OSError as full:
            error = full
    if isinstance(error, BrokenPipeError):  # the reader of our output has left
        return ExitCode.BROKEN_PIPE
    if shows_traceback:
        say("".join(traceback.format_exception(error)), lines=True)
    text, code = _explain(error)
    if interrupted:
        text, code = "interrupted; nothing was written", ExitCode.INTERRUPTED
    say(f"drr: {text}")
    return code


def _explain(error: BaseException) -> tuple[str, ExitCode]:
    """Return one line on what went wrong and what to do, and the exit code."""
    if isinstance(error, KeyboardInterrupt):
        return "interrupted; nothing was written", ExitCode.INTERRUPTED
    if isinstance(error, MemoryError):
        return "out of memory; use fewer rows or columns", ExitCode.PROBLEM
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        what = error.filename or "the output"
        return (
            f"no space is left on the disk for {what}; free some, or write elsewhere with -o",
            ExitCode.PROBLEM,
        )
    if isinstance(error, PermissionError):
        return (
            f"permission denied: {error.filename}; choose another file, or change its permissions",
            ExitCode.PROBLEM,
        )
    if isinstance(error, OSError):
        return f"{in_one_line(error)}; check the file and the disk", ExitCode.PROBLEM
    if isinstance(error, CommandError):
        return in_one_line(error), error.code
    if isinstance(error, ValueError | TypeError | ImportError):  # the library says what to do
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
