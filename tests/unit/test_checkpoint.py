"""Checkpoints: a fit that was killed goes on where it was, with the same result."""

from __future__ import annotations

import errno
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import drr
from drr import RakingDual, RakingFeatureMap
from drr.streaming import answer_files
from drr.streaming.checkpoint import RecordingRunner
from drr.streaming.passes import Survey, merge_passes

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


def test_flipped_bytes_never_change_the_answer(tmp_path):
    """Of 200 checkpoints with one byte flipped each, none is taken for another answer."""
    small = Counting(ROWS[:700])
    expected = drr.rake(small, TARGET, checkpoint=tmp_path / "c").dual.theta
    files = {path: path.read_bytes() for path in sorted((tmp_path / "c").iterdir())}
    draws = np.random.default_rng(0)
    n_raised = 0
    for _ in range(200):
        path = list(files)[draws.integers(len(files))]
        damaged = bytearray(files[path])
        damaged[draws.integers(len(damaged))] ^= draws.integers(1, 256)
        path.write_bytes(damaged)
        try:
            found = drr.rake(Counting(ROWS[:700]), TARGET, checkpoint=tmp_path / "c")
        except drr.CheckpointError:
            n_raised += 1
        else:
            np.testing.assert_array_equal(found.dual.theta, expected)
        for each, content in files.items():
            each.write_bytes(content)
    assert n_raised > 100


def test_renamed_array_in_a_file_is_noticed(tmp_path):
    """An optional part that has another name is damage, not a part that was never there."""
    drr.rake(Counting(), TARGET, checkpoint=tmp_path / "c")
    (path,) = [
        each for each in sorted((tmp_path / "c").glob("*.npz")) if b"answer.sample!" in each.read_bytes()
    ][1:2]
    path.write_bytes(path.read_bytes().replace(b"answer.sample!", b"answer.simple!"))
    with pytest.raises(drr.CheckpointError, match="do not match their digest"):
        drr.rake(Counting(), TARGET, checkpoint=tmp_path / "c")


def test_answers_of_other_rows_are_not_taken_when_two_fits_begin_at_once(tmp_path):
    """Both look before either has written: the description is then of the last, the answers are of both."""
    one = RecordingRunner(Counting(), tmp_path / "c", TARGET)
    (tmp_path / "c" / "problem.json").unlink()
    other = RecordingRunner(Counting(ROWS + 1), tmp_path / "c", TARGET)
    request = Survey(TARGET, 50)
    first = one.run_pass(request)
    second = other.run_pass(request)
    np.testing.assert_allclose(second.mean, first.mean + 1)


@pytest.mark.parametrize("same_rows", [True, False])
def test_two_processes_with_one_directory(tmp_path, same_rows):
    """Each ends with its own answer or with an error that names the directory, whoever comes first."""
    rows = [ROWS, ROWS if same_rows else ROWS[::-1] ** 3]
    expected = [drr.rake(drr.open_rows(each, block_rows=1000), TARGET).dual.theta for each in rows]
    for k, each in enumerate(rows):
        np.save(tmp_path / f"rows{0 if same_rows else k}.npy", each)
    np.save(tmp_path / "target.npy", TARGET)
    program = textwrap.dedent(
        """
        import sys, time, numpy as np, drr
        folder, number, result, start = sys.argv[1:]
        source = drr.open_rows(f"{folder}/rows{number}.npy", block_rows=1000)
        target = np.load(f"{folder}/target.npy")
        time.sleep(max(0.0, float(start) - time.time()))
        try:
            theta = drr.rake(source, target, checkpoint=f"{folder}/c").dual.theta
        except drr.CheckpointError as error:
            sys.exit(f"CheckpointError: {error}")
        np.save(f"{folder}/{result}.npy", theta)
        """
    )
    start = str(time.time() + 4)
    numbers = [0, 0 if same_rows else 1]
    arguments = [[str(tmp_path), str(number), f"theta{k}", start] for k, number in enumerate(numbers)]
    processes = [
        subprocess.Popen([sys.executable, "-c", program, *each], stderr=subprocess.PIPE, text=True)
        for each in arguments
    ]
    errors = [process.communicate()[1] for process in processes]
    n_right = 0
    for k, process in enumerate(processes):
        if process.returncode == 0:
            np.testing.assert_array_equal(np.load(tmp_path / f"theta{k}.npy"), expected[k])
            n_right += 1
        else:
            assert "CheckpointError" in errors[k], errors[k]
    assert n_right >= (2 if same_rows else 1)


def test_rows_without_fingerprint_in_another_order_are_noticed(tmp_path):
    class Plain(Counting):
        fingerprint = None

    drr.rake(Plain(), TARGET, checkpoint=tmp_path / "c")
    shuffled = np.concatenate([block[::-1] for block in np.array_split(ROWS, 4)])
    with pytest.raises(drr.CheckpointError, match="belongs to other rows"):
        drr.rake(Plain(shuffled), TARGET, checkpoint=tmp_path / "c")


def test_directory_left_by_a_fit_that_was_killed_at_once(tmp_path):
    (tmp_path / "c" / ".drr-draft-abc").mkdir(parents=True)
    raking = drr.rake(Counting(), TARGET, checkpoint=tmp_path / "c")
    np.testing.assert_array_equal(raking.dual.theta, drr.rake(Counting(), TARGET).dual.theta)


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

    monkeypatch.setattr(answer_files.np, "savez", full)
    with pytest.warns(
        UserWarning, match=r"could not be written after pass 4: No space left.*The fit continues"
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
