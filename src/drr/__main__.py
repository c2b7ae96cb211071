"""``python -m drr``: the command line, and without arguments its demonstration."""

from __future__ import annotations

import sys

from drr.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["demo"]))
