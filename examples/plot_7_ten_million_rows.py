"""
A majority of ten million rows
==============================

Rows beyond memory are no reason to thin them out. Here the features of the majority are a file on disk, in
single precision, that is read in place, pass by pass.

The size is set by ``DRR_EXAMPLE_ROWS``, small by default. The real thing,
``DRR_EXAMPLE_ROWS=10000000 python examples/plot_7_ten_million_rows.py``, writes 0.8 GB to the temporary folder. On
two idle cores it took 4.4 s for the floor and 16 s for the dual of all rows in a memory map, 23 s for both when read
in passes, and 2 minutes as a whole, with at most 1.5 GB in memory, pages of the map included.
"""

import os
import tempfile
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import drr

n_rows = int(os.environ.get("DRR_EXAMPLE_ROWS", "200000"))
n_columns = 20

# %%
# The file is written in blocks, as an export from a database would be. The columns are correlated and have
# heavy tails.

folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "majority.npy"
rng = np.random.default_rng(0)
mixing = np.eye(n_columns) + 0.3 * rng.standard_normal((n_columns, n_columns)) / np.sqrt(n_columns)
rows = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(n_rows, n_columns))
for begin in range(0, n_rows, 500_000):
    block = rng.standard_normal((min(500_000, n_rows - begin), n_columns), dtype=np.float32)
    rows[begin : begin + len(block)] = np.arcsinh(1.5 * block @ mixing.astype(np.float32))
rows.flush()
del rows
rare_mean = (np.arcsinh(1.5 * rng.standard_normal((500, n_columns)) @ mixing) + 0.5).mean(axis=0)

# %%
# ``mmap_mode="r"`` gives an array that lives on disk. Parts of it, from a thirty-second to all, show how the
# time grows: in proportion to the rows, because the number of passes does not grow.

majority = np.load(path, mmap_mode="r")
sizes = [n_rows // 2**k for k in range(5, -1, -1)]
floor_times, dual_times, passes = [], [], []
for size in sizes:
    part = majority[:size]
    started = time.perf_counter()
    floor = drr.find_floor(part, rare_mean)
    between = time.perf_counter()
    dual = drr.solve_dual(part, rare_mean, drr.choose_tolerance(floor, floor.base_discrepancy), floor=floor)
    floor_times.append(between - started)
    dual_times.append(time.perf_counter() - between)
    passes.append(floor.n_passes)

print(f"{n_rows} rows of {n_columns} columns, {path.stat().st_size / 1e6:.0f} MB on disk")
print(
    f"floor {floor_times[-1]:.2f} s in {passes[-1]} passes, dual {dual_times[-1]:.2f} s in {dual.n_iter} iterations"
)
print(f"floor between {floor.lower_bound:.6g} and {floor.value:.6g}, dual to a gap of {dual.gap:.1e} nats")
print(f"{dual.ess:.0f} effective rows")

# %%
# On the left the time of each stage. On the right the share of the weight that the heaviest rows hold: however
# many rows there are, raking uses most of them a little and few of them much.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
left.loglog(sizes, dual_times, "o-", color="tab:blue", label="dual")
left.loglog(sizes, floor_times, "s-", color="tab:orange", label="floor")
guide = dual_times[-1] * np.array(sizes) / sizes[-1]
left.loglog(sizes, guide, ":", color="0.5", label="in proportion to the rows")
left.set(xlabel="majority rows", ylabel="seconds")
left.legend()
drr.WeightConcentrationDisplay.from_weights(dual.weights, ax=right)
plt.show()

# %%
# A memory map leaves it to the system how much of the file stays in memory. Given the path instead, the file is
# read in blocks of a few megabytes and never held, at the price of more passes. The answer is the same, and the
# certificates hold for the file as a whole: nothing was sampled.

started = time.perf_counter()
in_passes = drr.rake(path, rare_mean)
elapsed = time.perf_counter() - started
difference = np.linalg.norm(in_passes.dual.theta - dual.theta) / np.linalg.norm(dual.theta)
print(f"in passes: {elapsed:.2f} s, dual to a gap of {in_passes.dual.gap:.1e} nats")
print(f"relative difference of the two duals {difference:.1e}")

del majority, part
folder.cleanup()
