"""The help of every command as a text file, for the page of the command line."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from drr.cli._parser import make_parser


def write_help(app: Sphinx, config: object) -> None:
    """Write one file per command, as wide as a page."""
    folder = Path(app.srcdir) / "generated" / "help"
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["COLUMNS"] = "90"  # argparse wraps at the width of the terminal
    for action in make_parser()._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                (folder / f"{name}.txt").write_text(command.format_help())


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the files before any page is read."""
    app.connect("config-inited", write_help)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
