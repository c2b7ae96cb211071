"""A fit from a file takes a bounded amount of memory, far below the size of the file."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

N_ROWS, N_COLUMNS = 1_000_000, 64  # 256 MB in single precision
BOUND = 140e6  # buffers 12 MB, samples and working set up to 26 MB each, what the solvers make of them

PROGRAM = """
import json, sys, threading
from pathlib import Path
import numpy as np
import drr

def private():
    line = next(line for line in open("/proc/self/smaps_rollup") if line.startswith("Anonymous:"))
    return int(line.split()[1]) * 1024

drr.rake(np.eye(3), np.full(3, 0.3))  # what is loaded once counts before
before = peak = private()
done = threading.Event()

def watch():
    global peak
    while not done.wait(0.01):
        peak = max(peak, private())

thread = threading.Thread(target=watch)
thread.start()
target = np.load(sys.argv[2])
raking = HOW
done.set()
thread.join()
print(json.dumps({"above": peak - before, "status": raking.dual.status.value}))
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    rows = np.lib.format.open_memmap(folder / "rows.npy", "w+", np.float32, (N_ROWS, N_COLUMNS))
    for seed, begin in enumerate(range(0, N_ROWS, 100_000)):
        rows[begin : begin + 100_000] = np.random.default_rng(seed).random(
            (100_000, N_COLUMNS), dtype=np.float32
        )
    rows.flush()
    np.save(folder / "target.npy", np.full(N_COLUMNS, 0.57))
    return folder


def peak_above(files, how):
    program = textwrap.dedent(PROGRAM).replace("HOW", how)
    command = [sys.executable, "-c", program, str(files / "rows.npy"), str(files / "target.npy")]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


@pytest.mark.skipif(
    not Path("/proc/self/smaps_rollup").exists(), reason="needs Linux's count of private memory"
)
def test_memory_of_a_fit_from_a_file(files):
    figures = peak_above(files, "drr.rake(sys.argv[1], target)")
    assert figures["status"] == "converged"
    assert figures["above"] < BOUND


@pytest.mark.skipif(
    not Path("/proc/self/smaps_rollup").exists(), reason="needs Linux's count of private memory"
)
def test_the_bound_can_fail(files):
    """The same fit of the array in memory exceeds it."""
    assert peak_above(files, "drr.rake(np.load(sys.argv[1]), target)")["above"] > BOUND
