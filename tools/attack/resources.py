"""Resource faults: too little memory gives MemoryError, a full disk an OSError, and neither leaves anything half done.

python -m tools.attack resources
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter

# Rows enough that a solve needs room of its own; the limit leaves `spare` bytes beyond what is in use by then.
MEMORY = """
import ctypes, resource, sys
import numpy as np, scipy.sparse, drr
rng = np.random.default_rng(0)
features = rng.normal(size=(30_000, 40))
target = features[:50].mean(axis=0)
sparse = scipy.sparse.csr_array(np.where(rng.uniform(size=features.shape) < 0.1, features, 0))
wide = features[:2000].reshape(100, -1)
X, y = features[:, :6].copy(), (np.arange(30_000) < 500).astype(int)
model = drr.RakingDual(drr.RakingFeatureMap(64, random_state=0), n_threads=2)
drr.rake(features[:100], target)
call = {
    "rake": lambda: drr.rake(features, target, n_threads=2),
    "sparse": lambda: drr.rake(sparse, target, n_threads=2),
    "wide": lambda: drr.rake(wide, wide[:9].mean(axis=0)),
    "fit": lambda: model.fit(X, y).score_samples(X),
}[sys.argv[1]]
class Megabyte(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char * 2**20)]
# A stack that has to grow beyond the limit ends any process; passing this by value makes it grow before.
ctypes.CFUNCTYPE(None, Megabyte)(lambda _: None)(Megabyte())
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[2]),) * 2)
try:
    call()
    print("served")
except MemoryError:
    print("MemoryError")
small = drr.rake(np.array([[0.0], [1.0]]), [0.7], n_threads=1)  # the process goes on
assert small.dual.status.is_success
"""

DISK = """
import pathlib, sys
import numpy as np, drr
from sklearn.linear_model import LogisticRegression
rng = np.random.default_rng(0)
y = np.arange(300) < 40
model = drr.DRRClassifier(LogisticRegression(), random_state=0).fit(rng.normal(size=(300, 4)) + y[:, None], y)
path = pathlib.Path(sys.argv[1], "model.skops")
drr.save(model, path)
before = path.read_bytes()
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # then a write beyond the limit is an error, as on a full disk
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
try:
    drr.save(model, path)
    print("served")
except OSError as error:
    print("OSError")
assert path.read_bytes() == before or drr.load(path) is not None, "the former file is damaged"
assert [each.name for each in path.parent.iterdir()] == ["model.skops"], "a draft was left behind"
"""


def run(code: str, *arguments: str) -> str:
    """How a process that runs this code ended: what it printed, or what is wrong."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=600
    )
    if done.returncode == 0:
        return done.stdout.strip()
    if done.returncode < 0:
        return f"FAILED: killed by signal {-done.returncode}: {done.stderr[-300:]}"
    return f"FAILED: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else done.returncode}"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.attack resources", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--levels", type=int, default=6, help="memory limits for each call")
    options = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    for call in ("rake", "sparse", "wide", "fit"):
        for level in range(options.levels):
            end = run(MEMORY, call, str(int(2**16 * 4**level)))
            counts[end.split(":")[0]] += 1
            print(f"memory  {call:7s} {2**16 * 4**level >> 10:8d} KiB spare: {end}", flush=True)
    for limit in (0, 100, 5000, 10**6):
        with tempfile.TemporaryDirectory() as folder:
            end = run(DISK, folder, str(limit))
        counts[end.split(":")[0]] += 1
        print(f"disk    {limit:8d} bytes: {end}", flush=True)
    print(", ".join(f"{end} {count}" for end, count in sorted(counts.items())))
    return bool(counts["FAILED"])
