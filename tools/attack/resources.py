"""Resource faults: too little memory gives MemoryError, a full disk an OSError, and neither leaves anything half done.

    python -m tools.attack resources

Every call runs in a forked child. For memory, the child first takes all that its heap has free, then may have `spare`
bytes more: whatever the call needs beyond has to be refused. For disks, no file may grow beyond a limit.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import io
import os
import resource
import signal
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy.sparse
from sklearn.linear_model import LogisticRegression

import drr
import drr.cli
from tools.attack.children import in_child

PAGE = resource.getpagesize()
LIMITS = [0, 100, 5000, 50_000, 10**8]  # bytes of a file


class _Megabyte(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char * 2**20)]


def _take_free_heap() -> list[int]:
    """Every block of a page or more that the heap can give without growing."""
    malloc = ctypes.CDLL(None).malloc
    malloc.restype, malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    taken = []
    for size in (2**20, 2**16, 2**12):
        while block := malloc(size):
            taken.append(block)
    return taken


def with_little_memory(call: Callable[[], object], spare: int) -> str:
    """How the call ends where `spare` bytes are to be had. The process must go on afterwards."""
    # A stack that has to grow beyond the limit ends any process; passing a megabyte by value makes it grow before.
    ctypes.CFUNCTYPE(None, _Megabyte)(lambda _: None)(_Megabyte())
    free = ctypes.CDLL(None).free
    free.argtypes = [ctypes.c_void_p]
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * PAGE
    resource.setrlimit(resource.RLIMIT_AS, (used, hard))
    taken = _take_free_heap()
    resource.setrlimit(resource.RLIMIT_AS, (used + spare, hard))
    try:
        call()
        end = "served"
    except MemoryError:
        end = "MemoryError"
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    for block in taken:
        free(block)
    small = drr.rake(np.array([[0.0], [1.0]]), [0.7], n_threads=2)
    return end if small.dual.status.is_success else "FAILED: a solve after the fault is wrong"


def memory_calls() -> dict[str, Callable[[], object]]:
    """Calls that need from a hundred kilobytes to tens of megabytes of their own."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=(30_000, 40))
    target = features[:50].mean(axis=0)
    sparse = scipy.sparse.csr_array(np.where(rng.uniform(size=features.shape) < 0.1, features, 0))
    wide = rng.normal(size=(300, 4000))
    X, y = features[:, :6].copy(), (np.arange(30_000) < 500).astype(int)
    dual = drr.RakingDual(drr.RakingFeatureMap(64, random_state=0), n_threads=2)
    model = drr.DRRClassifier(LogisticRegression(), dual=dual, random_state=0).fit(X[:3000], y[:3000])
    return {
        "dense rake": lambda: drr.rake(features, target, n_threads=2),
        "sparse rake": lambda: drr.rake(sparse, target, n_threads=2),
        "wide rake": lambda: drr.rake(wide, wide[:9].mean(axis=0), n_threads=2),
        "dual fit": lambda: dual.fit(X, y),
        "score": lambda: model.predict_proba(X),
    }


def on_a_full_disk(folder: Path, limit: int, write: Callable[[], str]) -> str:
    """How `write` ends where no file may exceed `limit` bytes. Other files stay, and no draft is left behind."""
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    signal.signal(
        signal.SIGXFSZ, signal.SIG_IGN
    )  # then a write beyond the limit is an error, as on a full disk
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    end = write()
    after = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    damaged = [
        path.name for path, content in before.items() if end != "served" and after.get(path) != content
    ]
    drafts = [path.name for path in folder.rglob(".*")]
    return f"FAILED: damaged {damaged}, left behind {drafts}" if damaged or drafts else end


def _save(folder: Path, model: object) -> str:
    try:
        drr.save(model, folder / "model.skops")
    except OSError:
        return "OSError"
    drr.load(folder / "model.skops")
    return "served"


def _checkpoint(folder: Path, rows: Path) -> str:
    """A checkpoint that cannot be written ends the checkpoint, with a warning, and not the fit."""
    target = np.full(6, 0.2)
    expected = drr.rake(rows, target).dual.theta
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = drr.rake(rows, target, checkpoint=folder / "checkpoint").dual.theta
    if not np.array_equal(found, expected):
        return "FAILED: a fit whose checkpoint cannot be written differs"
    again = drr.rake(rows, target, checkpoint=folder / "checkpoint").dual.theta
    if not np.array_equal(again, expected):
        return "FAILED: a fit from a checkpoint that was given up differs"
    return "warned and fitted" if said else "served"


def _command(folder: Path, arguments: str) -> str:
    """The command line says in one line what went wrong, or does its work."""
    os.chdir(folder)
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
        code = drr.cli.main(arguments.split())
    if code == 0:
        return "served"
    lines = [line for line in errors.getvalue().splitlines() if not line.startswith("drr: note:")]
    if code != 1 or len(lines) != 1 or "Traceback" in errors.getvalue():
        return f"FAILED: exit code {code}: {errors.getvalue()[-500:]}"
    return "told in one line"


def disk_writers(folder: Path) -> dict[str, Callable[[], str]]:
    """Everything that writes a file, each over a file that is there already."""
    rng = np.random.default_rng(0)
    y = np.arange(600) % 10 == 0
    X = rng.normal(size=(600, 6)) + y[:, None]
    model = drr.DRRClassifier(LogisticRegression(), random_state=0).fit(X, y)
    names = [f"x{j}" for j in range(6)]
    table = "\n".join(
        [
            ",".join([*names, "rare"]),
            *(",".join(map(str, [*row, int(r)])) for row, r in zip(X, y, strict=True)),
        ]
    )
    (folder / "train.csv").write_text(table)
    np.save(folder / "rows.npy", rng.normal(size=(5000, 6)))
    drr.save(model, folder / "model.skops")
    for output in ("fit -o m.skops --base logistic --target rare train.csv", "score m.skops train.csv -o s.csv",
                   "score m.skops train.csv -o s.parquet", "report m.skops train.csv -o r.html"):  # fmt: skip
        end = _command(folder, output)
        if end != "served":
            raise RuntimeError(f"drr {output}: {end}")
    return {
        "save": lambda: _save(folder, model),
        "checkpoint": lambda: _checkpoint(folder, folder / "rows.npy"),
        "drr fit": lambda: _command(folder, "fit train.csv --target rare --base logistic -o m.skops"),
        "drr score csv": lambda: _command(folder, "score m.skops train.csv -o s.csv"),
        "drr score parquet": lambda: _command(folder, "score m.skops train.csv -o s.parquet"),
        "drr report": lambda: _command(folder, "report m.skops train.csv -o r.html"),
    }


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.attack resources", description=__doc__.splitlines()[0]
    )
    parser.add_argument(
        "--levels", type=int, default=14, help="memory limits for each call, from 8 KiB by doubling"
    )
    options = parser.parse_args(arguments)
    counts: Counter[str] = Counter()

    def note(what: str, limit: str, end: str) -> None:
        counts[end.split(":")[0]] += 1
        print(f"{what:18s} {limit:>12s}: {end}", flush=True)

    for name, call in memory_calls().items():
        ends = []
        for level in range(options.levels):
            spare = 2 ** (13 + level)
            ends.append(in_child(lambda call=call, spare=spare: with_little_memory(call, spare)))
            note(name, f"{spare >> 10} KiB", ends[-1])
        if not {"MemoryError", "served"} <= set(ends):
            note(
                name,
                "all limits",
                "FAILED: the limits do not reach from too little to enough, and show nothing",
            )
    for limit in LIMITS:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for what, write in disk_writers(folder).items():
                end = in_child(
                    lambda write=write, limit=limit, folder=folder: on_a_full_disk(folder, limit, write)
                )
                note(what, f"{limit} bytes", end)
    print(", ".join(f"{end} {count}" for end, count in sorted(counts.items())))
    return bool(counts["FAILED"])
