"""Attacks on the library, one command each: `python -m tools.attack NAME --help`."""

from __future__ import annotations

import importlib
import sys

ATTACKS = {
    "properties": "generated raking problems, certificates computed again from outside",
    "boundary": "arrays of any type, stride and content, and broken CSR matrices, against the bindings",
}


def main() -> int:
    if len(sys.argv) < 2 or sys.argv[1] not in ATTACKS:
        print(__doc__)
        for name, what in ATTACKS.items():
            print(f"  {name:14s} {what}")
        return 2
    return importlib.import_module(f"tools.attack.{sys.argv[1]}").main(sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
