"""The command line: arguments in, exit code out."""

from __future__ import annotations

import argparse
import errno
import os
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn

from drr._dispatch import __version__
from drr.cli import check, demo, fit, report, score
from drr.cli._problems import ExitCode, Problem, in_one_line
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
    try:
        with terminal.warnings_as_notes():
            options.run(options, terminal)
        sys.stdout.flush()
        return ExitCode.OK
    except BrokenPipeError:
        # Whoever read our output has left; nothing may be flushed to it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.BROKEN_PIPE
    except KeyboardInterrupt:
        return _fail("interrupted; nothing was written", ExitCode.INTERRUPTED, options)
    except Problem as problem:
        return _fail(in_one_line(problem), ExitCode.PROBLEM, options)
    except (ValueError, TypeError, ImportError) as error:  # those of the library say what to do
        return _fail(in_one_line(error), ExitCode.PROBLEM, options)
    except MemoryError:
        return _fail("the memory does not suffice; give fewer rows or columns", ExitCode.PROBLEM, options)
    except OSError as error:
        return _fail(_explain(error), ExitCode.PROBLEM, options)
    except Exception as error:
        text = f"unexpected {type(error).__name__}: {in_one_line(error)}; --traceback shows where, please report it"
        return _fail(text, ExitCode.UNEXPECTED, options)


def _fail(text: str, code: ExitCode, options: argparse.Namespace) -> int:
    if options.traceback:
        traceback.print_exc()
    print(f"drr: {text}", file=sys.stderr)
    return code


def _explain(error: OSError) -> str:
    if error.errno == errno.ENOSPC:
        return f"no space is left on the disk for {error.filename or 'the output'}; free some, or write elsewhere with -o"
    if isinstance(error, PermissionError):
        return f"{error.filename} may not be read or written; ask for the permission, or choose another place"
    return f"{in_one_line(error)}; check the file and the disk"
