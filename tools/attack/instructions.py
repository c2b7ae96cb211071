"""Regression guard for speed: instructions of the main kernels counted by callgrind, which repeats them exactly.

    python -m tools.attack instructions             # compare with tools/attack/instructions.json
    python -m tools.attack instructions --update    # store the counts of this build

Needs valgrind. Counts belong to one compiler and one instruction set, and count only where both are those stored.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import drr
from drr._dispatch import core

STORED = Path(__file__).with_suffix(".json")
TOLERANCE = 0.05  # of a count: other inlining may cost that much, a lost optimisation costs more

# Small, so that valgrind's fiftyfold slowness is a second; n_threads=1, so that no waiting is counted.
CALLS = {
    "tilt": "drr.tilt(features, theta, n_threads=1)",
    "tilt_sparse": "drr.tilt(sparse, theta, n_threads=1)",
    "find_floor": "drr.find_floor(features, target, n_threads=1)",
    "solve_dual": "drr.solve_dual(features, target, 0.1, n_threads=1)",
    "embed": "feature_map.transform(features[:, :8])",
}
SCRIPT = """
import numpy as np, scipy.sparse, drr
rng = np.random.default_rng(0)
features = rng.normal(size=(2000, 40))
sparse = scipy.sparse.csr_array(np.where(rng.uniform(size=features.shape) < 0.1, features, 0))
theta = rng.normal(size=40) / 10
target = features[:200].mean(axis=0)
feature_map = drr.RakingFeatureMap(64, random_state=0).fit(features[:, :8])
CALL
"""


def count(call: str, folder: Path) -> int:
    """Instructions inside the compiled core during that call; whatever set-up needs of it is taken off."""
    return _instructions(call, folder) - _instructions("", folder)


def _instructions(call: str, folder: Path) -> int:
    output = folder / "callgrind.out"
    subprocess.run(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={output}", "--compress-strings=no", "--compress-pos=no",
         sys.executable, "-X", "frozen_modules=on", "-c", SCRIPT.replace("CALL", call)],
        check=True, capture_output=True, env=_environment(),
    )  # fmt: skip
    total, inside, is_call = 0, False, False
    for line in output.read_text().splitlines():
        if line.startswith("ob="):
            inside = "_core_" in line
        elif line.startswith("calls="):
            is_call = True  # the next line is the inclusive cost of a call, counted where it happens
        elif re.match(r"^[\d+*-]", line):
            if inside and not is_call:
                total += int(line.split()[1])
            is_call = False
    return total


def _environment() -> dict[str, str]:
    import os

    # Valgrind knows no AVX-512; one hash seed and one BLAS thread keep the interpreter's own path the same.
    return os.environ | {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.attack instructions", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args(arguments)
    build = {"compiler": core.compiler, "simd": core.simd, "drr": drr.__version__}
    with tempfile.TemporaryDirectory() as folder:
        found = {name: count(call, Path(folder)) for name, call in CALLS.items()}
    if options.update:
        STORED.write_text(json.dumps({"build": build, "instructions": found}, indent=1) + "\n")
        print(json.dumps(found, indent=1))
        return 0
    stored = json.loads(STORED.read_text())
    comparable = stored["build"] == build
    slower = 0
    for name, number in found.items():
        before = stored["instructions"][name]
        slower += number > (1 + TOLERANCE) * before
        print(f"{name:12s} {number:12,d}  {number / before:6.3f} of the stored count")
    if not comparable:
        print(f"not comparable: stored for {stored['build']}, this is {build}")
        return 0
    print(f"{len(found)} kernels, {slower} slower by more than {TOLERANCE:.0%}")
    return bool(slower)
