"""A fit from a file takes a bounded amount of memory, far below the size of the file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

N_ROWS, N_COLUMNS = 1_500_000, 16  # 96 MB in single precision
BOUND = 32e6  # a third of it: three buffers of 4 MB, samples of half a megabyte, what solvers make of them

PROGRAM = """
import json, sys, threading
import numpy as np
import drr

def private():
    line = next(line for line in open("/proc/self/status") if line.startswith("RssAnon:"))
    return int(line.split()[1]) * 1024

drr.rake(np.eye(3), np.full(3, 0.3))  # what is loaded once counts before

def peak_above(work):
    before = peak = private()
    done = threading.Event()

    def watch():
        nonlocal peak
        while not done.wait(0.02):
            peak = max(peak, private())

    thread = threading.Thread(target=watch)
    thread.start()
    result = work()
    peak = max(peak, private())
    done.set()
    thread.join()
    return peak - before, result

target = np.load(sys.argv[2])
of_fit, raking = peak_above(lambda: drr.rake(sys.argv[1], target))
of_array, _ = peak_above(lambda: np.load(sys.argv[1]))
print(json.dumps({"fit": of_fit, "array": of_array, "status": raking.dual.status.value}))
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


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's count of private memory")
def test_memory_of_a_fit_from_a_file(files):
    command = [sys.executable, "-c", PROGRAM, str(files / "rows.npy"), str(files / "target.npy")]
    figures = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    assert figures["status"] == "converged"
    assert figures["fit"] < BOUND
    assert figures["array"] > BOUND  # so the count sees what a fit that held the rows would take
