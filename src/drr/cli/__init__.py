"""The command line: ``drr fit``, ``drr score``, ``drr report``, ``drr check`` and ``drr demo``."""

from drr.cli._main import main

__all__ = ["main"]
