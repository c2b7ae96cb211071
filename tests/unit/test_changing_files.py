"""Files that are truncated, damaged, or change while they are read."""

from __future__ import annotations

import itertools
import os

import numpy as np
import pytest
import scipy.sparse

import drr
from drr.streaming.block_reading import read_ahead
from drr.streaming.sources import NpySource

rng = np.random.default_rng(5)


ROWS = rng.standard_normal((1000, 6))


def whole(source):
    blocks = [
        block.toarray() if scipy.sparse.issparse(block) else np.array(block) for block in read_ahead(source)
    ]
    return np.concatenate(blocks)


def parquet(path, rows, names="abcdef"):
    arrow, files = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = arrow.table({name: rows[:, k] for k, name in enumerate(names)})
    files.write_table(table, path, row_group_size=150)


def test_truncated_file_is_named(tmp_path):
    path = tmp_path / "rows.npy"
    np.save(path, ROWS)
    with open(path, "r+b") as file:
        file.truncate(20_000)
    with pytest.raises(ValueError, match=r"rows\.npy is truncated: 1000 rows of 6 float64 take 48128 bytes"):
        drr.open_rows(path)


@pytest.mark.parametrize("kind", ["npy", "parquet"])
def test_file_that_changes_between_passes_is_named(tmp_path, kind):
    path = tmp_path / f"rows.{kind}"
    write = (lambda rows: np.save(path, rows)) if kind == "npy" else (lambda rows: parquet(path, rows))
    write(ROWS)
    source = drr.open_rows(path)
    whole(source)
    write(ROWS[:500])
    with pytest.raises(ValueError, match=rf"rows\.{kind} changed during the fit"):
        whole(source)


@pytest.mark.parametrize("how", ["in place", "by another"])
@pytest.mark.parametrize("kind", ["npy", "npz", "parquet"])
def test_file_of_the_same_size_and_time_is_another(tmp_path, kind, how):
    path = tmp_path / f"rows.{kind}"
    write = {
        "npy": np.save,
        "npz": lambda path, rows: scipy.sparse.save_npz(path, scipy.sparse.csr_array(rows), compressed=False),
        "parquet": parquet,
    }[kind]
    write(path, ROWS)
    before = path.stat()
    source = drr.open_rows(path)
    whole(source)
    write(tmp_path / f"other.{kind}", ROWS[::-1])
    os.utime(tmp_path / f"other.{kind}", ns=(before.st_atime_ns, before.st_mtime_ns))
    if how == "in place":
        path.write_bytes((tmp_path / f"other.{kind}").read_bytes())
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    else:
        os.replace(tmp_path / f"other.{kind}", path)
    after = path.stat()
    assert after.st_mtime_ns == before.st_mtime_ns
    if kind != "parquet":  # whose pages are compressed
        assert after.st_size == before.st_size
    with pytest.raises(drr.SourceChangedError, match=rf"rows\.{kind} changed during the fit"):
        whole(source)


def test_file_that_is_cut_short_while_it_is_read(tmp_path):
    path = tmp_path / "rows.npy"
    np.save(path, ROWS)
    source = drr.open_rows(path, block_rows=10)
    blocks = source.blocks()
    next(blocks)
    with open(path, "r+b") as file:
        file.truncate(20_000)
    with pytest.raises(ValueError, match=r"rows\.npy was cut short during the fit: it ends in row 4\d\d"):
        list(blocks)


def flip(path, position):
    content = bytearray(path.read_bytes())
    content[position] ^= 255
    path.write_bytes(bytes(content))


def test_damaged_npz_is_named(tmp_path):
    scipy.sparse.save_npz(tmp_path / "rows.npz", scipy.sparse.csr_array(ROWS))
    flip(tmp_path / "rows.npz", 20_000)
    with pytest.raises(ValueError, match=r"rows\.npz is damaged"):
        drr.rake(tmp_path / "rows.npz", np.zeros(6))


def test_damaged_parquet_with_checksums_is_named(tmp_path):
    arrow, files = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = arrow.table({name: ROWS[:, k] for k, name in enumerate("abcdef")})
    files.write_table(table, tmp_path / "rows.parquet", write_page_checksum=True)
    flip(tmp_path / "rows.parquet", 2000)
    with pytest.raises(ValueError, match=r"rows\.parquet is damaged"):
        drr.rake(tmp_path / "rows.parquet", np.zeros(6))


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("change", ["cut short", "written again"])
def test_file_that_changes_in_the_middle_of_a_fit_is_named(tmp_path, change, n_threads):
    path = tmp_path / "rows.npy"
    np.save(path, ROWS)

    class Changing(NpySource):
        numbers = itertools.count(1)  # which threads may share

        def _fill(self, file, rows, begin):
            if next(self.numbers) == 20:  # in the second pass
                with open(path, "r+b") as other:
                    if change == "cut short":
                        other.truncate(20_000)
                    else:
                        other.seek(-8, 2)
                        other.write(bytes(8))
            super()._fill(file, rows, begin)

    message = {
        "cut short": "was cut short during the fit: it ends in row 41",
        "written again": "changed during the fit",
    }
    with pytest.raises(ValueError, match=rf"rows\.npy {message[change]}"):
        drr.rake(Changing(path, 70), ROWS.mean(axis=0) + 0.3, n_threads=n_threads)
