"""Attacks on the library, one command each: `python -m tools.attack NAME --help`."""

from __future__ import annotations

import importlib
import sys

ATTACKS = {
    "properties": "generated raking problems, certificates computed again from outside",
    "boundary": "arrays of any type, stride and content, and broken CSR matrices, against the bindings",
    "mutants": "operators changed in the core and in the stages: does a test notice?",
    "mutation": "data that change while they are being solved for",
    "concurrency": "threads, forks, workers, and interrupts at random moments",
    "endurance": "thousands of small calls in one process: memory, files and threads",
    "null": "tables without signal: how often does a verdict claim some?",
    "resources": "too little memory, full disks",
    "terminal": "streams of every encoding, closed and full, and names meant for the terminal",
    "model_files": "damaged and hostile model files",
    "instructions": "instruction counts of the main kernels against those stored",
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
