"""Checkpoints: a fit that was killed goes on where it was, with the same result."""

from __future__ import annotations

import errno
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import drr
from drr import RakingDual, RakingFeatureMap
from drr.streaming import checkpoint as checkpoint_module
from drr.streaming.passes import merge_passes

rng = np.random.default_rng(4)
ROWS = rng.standard_normal((9000, 8))
TARGET = ROWS.mean(axis=0) + 0.7


class Counting:
    """Counts the passes; stops at one of them as a crash would."""

    n_columns = 8

    def __init__(self, rows=ROWS, crash_at=None):
        self.rows, self.crash_at, self.n_passes = rows, crash_at, 0

    def run_pass(self, request):
        self.n_passes += 1
        if self.n_passes == self.crash_at:
            raise MemoryError("killed")
        return merge_passes(request(block, k) for k, block in enumerate(np.array_split(self.rows, 4)))

    def fingerprint(self):
        return str(self.rows.sum())


def test_resumed_fit_has_the_same_bits_and_repeats_no_pass(tmp_path):
    whole = Counting()
    expected = drr.rake(whole, TARGET)
    for crash_at in range(2, whole.n_passes + 1):
        directory = tmp_path / str(crash_at)
        with pytest.raises(MemoryError):
            drr.rake(Counting(crash_at=crash_at), TARGET, checkpoint=directory)
        rest = Counting()
        raking = drr.rake(rest, TARGET, checkpoint=directory)
        assert rest.n_passes == whole.n_passes - (crash_at - 1)
        np.testing.assert_array_equal(raking.dual.theta, expected.dual.theta)
        assert raking.floor.value == expected.floor.value


def test_finished_checkpoint_needs_no_pass(tmp_path):
    drr.rake(Counting(), TARGET, checkpoint=tmp_path / "c")
    again = Counting()
    drr.rake(again, TARGET, checkpoint=tmp_path / "c")
    assert again.n_passes == 0


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"features": Counting(ROWS + 1)}, "rows"),
        ({"target": TARGET + 0.1}, "target"),
        ({"eta": 0.1}, "eta"),
    ],
    ids=["other rows", "another target", "another eta"],
)
def test_checkpoint_of_another_problem_is_refused(tmp_path, change, what):
    drr.rake(Counting(), TARGET, checkpoint=tmp_path / "c")
    arguments = {"features": Counting(), "target": TARGET} | change
    with pytest.raises(ValueError, match=f"belongs to another problem: it differs in {what}"):
        drr.rake(**arguments, checkpoint=tmp_path / "c")


def test_other_rows_are_noticed_where_there_is_no_fingerprint(tmp_path):
    class Plain(Counting):
        fingerprint = None

    drr.rake(Plain(), TARGET, checkpoint=tmp_path / "c")
    with pytest.raises(ValueError, match="belongs to other rows"):
        drr.rake(Plain(ROWS * 1.001), TARGET, checkpoint=tmp_path / "c")


@pytest.mark.parametrize("what", ["weights", "blocks", "middle of the file"])
def test_what_a_file_is_read_with_belongs_to_the_problem(tmp_path, what):
    np.save(tmp_path / "rows.npy", ROWS)
    weights = np.ones(len(ROWS))
    source = drr.open_rows(tmp_path / "rows.npy", block_rows=2000)
    drr.rake(source, TARGET, base_weights=weights, checkpoint=tmp_path / "c")
    if what == "weights":
        weights[4000] = 2
    elif what == "blocks":
        source = drr.open_rows(tmp_path / "rows.npy", block_rows=1000)
    else:
        rows = ROWS.copy()
        rows[4000] = 0
        np.save(tmp_path / "rows.npy", rows)
        source = drr.open_rows(tmp_path / "rows.npy", block_rows=2000)
    with pytest.raises(ValueError, match="belongs to another problem: it differs in rows"):
        drr.rake(source, TARGET, base_weights=weights, checkpoint=tmp_path / "c")


@pytest.mark.parametrize("change", ["weights", "storage"])
def test_what_a_dual_is_fitted_with_belongs_to_the_problem(tmp_path, change):
    np.save(tmp_path / "rows.npy", ROWS)
    y = rng.random(len(ROWS)) < 0.1
    weights = np.ones(len(ROWS))
    fit = {"feature_map": RakingFeatureMap(4, random_state=0), "checkpoint": tmp_path / "c"}
    path = tmp_path / "rows.npy"
    RakingDual(**fit).fit(path, y, weights)
    weights[np.flatnonzero(~y)[0]] += change == "weights"
    storage = tmp_path if change == "storage" else "auto"
    with pytest.raises(ValueError, match="differs in rows"):
        RakingDual(**fit, feature_storage=storage).fit(path, y, weights)


def test_directories_that_are_none_of_ours(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(ValueError, match="is not empty and holds no checkpoint"):
        drr.rake(Counting(), TARGET, checkpoint=tmp_path)
    with pytest.raises(ValueError, match="is a file"):
        drr.rake(Counting(), TARGET, checkpoint=tmp_path / "letter.txt")


def test_damaged_file_is_named(tmp_path):
    drr.rake(Counting(), TARGET, checkpoint=tmp_path / "c")
    (tmp_path / "c" / "pass-00002.npz").write_bytes(b"PK garbage")
    with pytest.raises(ValueError, match=r"pass-00002\.npz cannot be read"):
        drr.rake(Counting(), TARGET, checkpoint=tmp_path / "c")


def test_damaged_description_is_named(tmp_path):
    drr.rake(Counting(), TARGET, checkpoint=tmp_path / "c")
    (tmp_path / "c" / "problem.json").write_text("{half of")
    with pytest.raises(ValueError, match=r"problem\.json cannot be read .*delete the checkpoint"):
        drr.rake(Counting(), TARGET, checkpoint=tmp_path / "c")


def test_full_disk_ends_the_checkpoint_and_not_the_fit(tmp_path, monkeypatch):
    n_written = 0
    savez = np.savez

    def full(file, **arrays):
        nonlocal n_written
        n_written += 1
        if n_written > 3:
            file.write(b"half of")
            raise OSError(errno.ENOSPC, "No space left on device")
        savez(file, **arrays)

    monkeypatch.setattr(checkpoint_module.np, "savez", full)
    with pytest.warns(
        UserWarning, match=r"could not be written after pass 4: No space left.*The fit goes on"
    ):
        raking = drr.rake(Counting(), TARGET, checkpoint=tmp_path / "c")
    monkeypatch.undo()
    np.testing.assert_array_equal(raking.dual.theta, drr.rake(Counting(), TARGET).dual.theta)
    names = sorted(path.name for path in (tmp_path / "c").iterdir())
    assert names == [
        "pass-00001.npz",
        "pass-00002.npz",
        "pass-00003.npz",
        "problem.json",
    ]  # no part of a file
    rest = Counting()
    drr.rake(rest, TARGET, checkpoint=tmp_path / "c")
    assert rest.n_passes > 0


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs a system with SIGKILL")
@pytest.mark.parametrize("n_threads", [1, 2])
def test_killed_process_resumes(tmp_path, n_threads):
    """The process is killed in the middle of a pass, by a signal it cannot catch."""
    np.save(tmp_path / "rows.npy", ROWS)
    np.save(tmp_path / "target.npy", TARGET)
    program = textwrap.dedent(
        f"""
        import itertools, os, signal, numpy as np, drr
        from drr.streaming.sources import NpySource

        class Killer(NpySource):
            numbers = itertools.count(1)

            def _fill(self, file, rows, begin):
                if next(self.numbers) == 22:  # the second of five blocks, in the fifth pass
                    os.kill(os.getpid(), signal.SIGKILL)
                super()._fill(file, rows, begin)

        folder = {str(tmp_path)!r} + "/"
        drr.rake(Killer(folder + "rows.npy", 2000), np.load(folder + "target.npy"),
                 checkpoint=folder + "c", n_threads={n_threads})
        """
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()
    assert len(list((tmp_path / "c").glob("pass-*.npz"))) == 4
    source = drr.open_rows(tmp_path / "rows.npy", block_rows=2000)
    resumed = drr.rake(source, TARGET, checkpoint=tmp_path / "c")
    np.testing.assert_array_equal(resumed.dual.theta, drr.rake(source, TARGET).dual.theta)


def test_sparse_rows_are_kept(tmp_path):
    sparse = pytest.importorskip("scipy.sparse")
    rows = sparse.csr_array(rng.random((9000, 8)) * (rng.random((9000, 8)) < 0.3))
    target = np.asarray(rows.mean(axis=0)).ravel() + 0.05
    sources = [drr.open_rows([rows[:4000], rows[4000:]]) for _ in range(2)]
    first, second = (drr.rake(source, target, checkpoint=tmp_path / "c") for source in sources)
    np.testing.assert_array_equal(first.dual.theta, second.dual.theta)
