"""Sources of row blocks: what they read, and what they refuse."""

from __future__ import annotations

import contextlib
import itertools
import signal
import threading

import numpy as np
import pytest
import scipy.sparse

import drr
from drr._checks.rows import is_source
from drr.streaming.block_reading import read_ahead, work_on_blocks
from drr.streaming.sources import ArraySource, NpySource

rng = np.random.default_rng(5)
ROWS = rng.standard_normal((1000, 6))


def whole(source):
    blocks = [
        block.toarray() if scipy.sparse.issparse(block) else np.array(block) for block in read_ahead(source)
    ]
    return np.concatenate(blocks)


def test_npy_file(tmp_path):
    np.save(tmp_path / "rows.npy", ROWS.astype(np.float32))
    source = drr.open_rows(tmp_path / "rows.npy", block_rows=70)
    assert (source.n_rows, source.n_columns, source.dtype) == (1000, 6, np.float32)
    for _ in range(2):
        np.testing.assert_array_equal(whole(source), ROWS.astype(np.float32))


def test_memory_map(tmp_path):
    np.save(tmp_path / "rows.npy", ROWS)
    source = drr.open_rows(np.load(tmp_path / "rows.npy", mmap_mode="r"), block_rows=333)
    np.testing.assert_array_equal(whole(source), ROWS)


def test_slice_of_a_memory_map_is_not_taken_for_the_whole(tmp_path):
    np.save(tmp_path / "rows.npy", ROWS)
    part = np.load(tmp_path / "rows.npy", mmap_mode="r")[100:300]
    np.testing.assert_array_equal(whole(drr.open_rows(part)), ROWS[100:300])


def test_memory_map_with_changes_of_its_own(tmp_path):
    np.save(tmp_path / "rows.npy", ROWS)
    rows = np.load(tmp_path / "rows.npy", mmap_mode="c")
    rows[0] = 7  # in memory, not in the file
    np.testing.assert_array_equal(next(drr.open_rows(rows).blocks())[0], rows[0])


def test_data_frame_is_one_block():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROWS)
    source = drr.open_rows(frame)
    assert (source.n_rows, source.n_columns) == frame.shape
    assert [block.shape for block in source.blocks()] == [frame.shape]


def test_csr_in_npz(tmp_path):
    matrix = scipy.sparse.csr_array(rng.random((500, 40)) * (rng.random((500, 40)) < 0.1))
    scipy.sparse.save_npz(tmp_path / "rows.npz", matrix)
    source = drr.open_rows(tmp_path / "rows.npz", block_rows=64)
    assert source.n_rows == 500
    np.testing.assert_array_equal(whole(source), matrix.toarray())


def test_other_sparse_formats_are_refused(tmp_path):
    scipy.sparse.save_npz(tmp_path / "rows.npz", scipy.sparse.csc_array(np.eye(3)))
    with pytest.raises(ValueError, match="csc matrix; save it as CSR"):
        drr.open_rows(tmp_path / "rows.npz")


def parquet(path, rows, names="abcdef"):
    arrow, files = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = arrow.table({name: rows[:, k] for k, name in enumerate(names)})
    files.write_table(table, path, row_group_size=150)


def test_parquet_file_and_directory(tmp_path):
    parquet(tmp_path / "a.parquet", ROWS[:400])
    parquet(tmp_path / "b.parquet", ROWS[400:])
    both = drr.open_rows(tmp_path, block_rows=77)
    assert (both.n_rows, both.n_columns) == ROWS.shape
    np.testing.assert_array_equal(whole(both), ROWS)
    one = drr.open_rows(tmp_path / "a.parquet", columns=["c", "a"])
    np.testing.assert_array_equal(whole(one), ROWS[:400][:, [2, 0]])


def test_parquet_files_of_both_precisions_are_read_in_double(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    for name, dtype in (("a", np.float32), ("b", np.float64)):
        pandas.DataFrame(ROWS.astype(dtype), columns=[str(k) for k in range(ROWS.shape[1])]).to_parquet(
            tmp_path / f"{name}.parquet"
        )
    source = drr.open_rows(tmp_path)
    np.testing.assert_array_equal(np.concatenate(list(source.blocks()))[len(ROWS) :], ROWS)


def test_parquet_files_with_other_columns_are_refused(tmp_path):
    parquet(tmp_path / "a.parquet", ROWS)
    parquet(tmp_path / "b.parquet", ROWS, names="abcdeg")
    with pytest.raises(
        ValueError, match=r"b\.parquet has the columns .*all files must have the same columns"
    ):
        drr.open_rows(tmp_path)


def write_parquet(path, **columns):
    arrow, files = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path.parent.mkdir(exist_ok=True)
    files.write_table(arrow.table(columns), path)


def test_parquet_with_empty_row_groups_and_an_empty_file(tmp_path):
    arrow, files = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = arrow.table({name: ROWS[:, k] for k, name in enumerate("abcdef")})
    with files.ParquetWriter(tmp_path / "b.parquet", table.schema) as writer:
        for part in (table[:0], table[:400], table[:0], table[400:], table[:0]):
            writer.write_table(part)
    files.write_table(table[:0], tmp_path / "a.parquet")
    np.testing.assert_array_equal(whole(drr.open_rows(tmp_path, block_rows=77)), ROWS)
    (tmp_path / "b.parquet").unlink()
    with pytest.raises(ValueError, match="is empty: it has no rows"):
        drr.open_rows(tmp_path)


def test_parquet_files_that_others_leave_out_are_left_out(tmp_path):
    parquet(tmp_path / "a.parquet", ROWS)
    (tmp_path / "_temporary").mkdir()
    parquet(tmp_path / "_temporary" / "a.parquet", ROWS)
    parquet(tmp_path / "._a.parquet", ROWS)
    np.testing.assert_array_equal(whole(drr.open_rows(tmp_path)), ROWS)


def test_parquet_files_with_columns_in_another_order(tmp_path):
    parquet(tmp_path / "a.parquet", ROWS[:400])
    parquet(tmp_path / "b.parquet", ROWS[400:, ::-1], names="fedcba")
    np.testing.assert_array_equal(whole(drr.open_rows(tmp_path, block_rows=77)), ROWS)


def test_index_that_pandas_stored_is_not_a_column(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame(ROWS, columns=list("abcdef"))
    frame[frame["a"] > 0].to_parquet(tmp_path / "rows.parquet")
    source = drr.open_rows(tmp_path / "rows.parquet")
    assert source.column_names == list("abcdef")
    np.testing.assert_array_equal(whole(source), ROWS[ROWS[:, 0] > 0])


@pytest.mark.parametrize("text", [False, True])
def test_parquet_column_without_values_in_one_file(tmp_path, text):
    """A writer that saw no value has no type for the column."""
    pandas = pytest.importorskip("pandas")
    kinds = {"kind": ["u", "v"]} if text else {}
    write_parquet(tmp_path / "a.parquet", a=[None, None], **kinds)
    write_parquet(tmp_path / "b.parquet", a=[1.0, 2.0], **kinds)
    blocks = [pandas.DataFrame(block) for block in drr.open_rows(tmp_path).blocks()]
    column = pandas.concat(blocks).iloc[:, 0]
    assert column.dtype == np.float64
    np.testing.assert_array_equal(column, [np.nan, np.nan, 1.0, 2.0])


def test_parquet_column_of_another_kind_in_one_file_is_named(tmp_path):
    write_parquet(tmp_path / "a.parquet", a=[1.0], b=[1])
    write_parquet(tmp_path / "b.parquet", a=["one"], b=[2])
    with pytest.raises(
        ValueError, match=r"column 'a' is string in .*b\.parquet, but double in an earlier file"
    ):
        drr.open_rows(tmp_path)


def test_list_of_blocks_and_object_that_starts_over():
    class Blocks:
        def __iter__(self):
            return iter(np.array_split(ROWS, 7))

    for blocks in (np.array_split(ROWS, 7), Blocks()):
        np.testing.assert_array_equal(whole(drr.open_rows(blocks)), ROWS)


def test_generator_is_refused_with_the_reason():
    with pytest.raises(
        TypeError, match=r"generator, which can be read only once, but raking makes several passes"
    ):
        drr.open_rows(block for block in [ROWS])


def test_what_counts_as_a_source():
    assert is_source(ArraySource(ROWS))
    assert not is_source(ROWS)
    assert not is_source([[1.0, 2.0]])


@pytest.mark.parametrize("name", ["rows.csv", "absent.npy"])
def test_unknown_files(tmp_path, name):
    (tmp_path / "rows.csv").write_text("1,2\n")
    with pytest.raises((ValueError, FileNotFoundError), match=name):
        drr.open_rows(tmp_path / name)


def test_fortran_order_is_refused(tmp_path):
    np.save(tmp_path / "rows.npy", np.asfortranarray(ROWS))
    with pytest.raises(ValueError, match=r"rows\.npy is stored by columns"):
        drr.open_rows(tmp_path / "rows.npy")


@pytest.mark.parametrize("kind", ["npy", "parquet"])
def test_nan_is_named_by_file_block_and_row(tmp_path, kind):
    rows = ROWS.copy()
    rows[437, 2] = np.nan
    path = tmp_path / f"rows.{kind}"
    if kind == "npy":
        np.save(path, rows)
    else:
        parquet(path, rows)
    message = rf"NaN in block 4, row 37 of the block, column 2 of .*rows\.{kind}.*this is row 437 of all"
    with pytest.raises(ValueError, match=message):
        drr.rake(drr.open_rows(path, block_rows=100), np.zeros(6))


def test_blocks_of_unequal_width_are_refused():
    with pytest.raises(
        ValueError, match=r"has 5 columns, but 6 are expected.*in block 1, which begins at row 1000"
    ):
        drr.rake(drr.open_rows([ROWS, ROWS[:, :5]]), np.zeros(6))


def test_empty_blocks_change_nothing():
    target = ROWS.mean(axis=0) + 0.3
    one = drr.rake(drr.open_rows([ROWS[:500], ROWS[500:]]), target)
    other = drr.rake(drr.open_rows([ROWS[:0], ROWS[:500], ROWS[:0], ROWS[500:], ROWS[:0]]), target)
    np.testing.assert_allclose(other.dual.theta, one.dual.theta, rtol=1e-12)
    assert one.floor.n_rows == other.floor.n_rows == 1000


def test_no_rows_at_all():
    with pytest.raises(ValueError, match="every block is empty"):
        drr.rake(drr.open_rows([ROWS[:0]]), np.zeros(6))


def test_rows_that_change_in_number():
    class Growing:
        n = 990

        def __iter__(self):
            Growing.n += 1
            yield ROWS[: Growing.n]

    with pytest.raises(ValueError, match="the rows changed during the fit: the first pass saw"):
        drr.rake(drr.open_rows(Growing()), ROWS.mean(axis=0) + 0.3)


def test_error_of_the_reader_reaches_the_caller():
    class Broken:
        def __iter__(self):
            yield ROWS
            raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        drr.find_floor(drr.open_rows(Broken()), np.zeros(6))


class Slow:
    """Reads block k + 1 only to let the work on block k go on: neither ends where they do not overlap."""

    n_columns, n_rows, dtype = 6, len(ROWS), ROWS.dtype

    def __init__(self):
        self.is_read = [threading.Event() for _ in range(4)]

    def blocks(self):
        for each in self.is_read:
            each.set()
            yield ROWS[:250]

    def work(self, block, number, begin):
        assert number == 3 or self.is_read[number + 1].wait(timeout=60)
        return number


class SlowInAnyOrder(Slow):
    block_rows, n_blocks = 250, 4

    @contextlib.contextmanager
    def reading(self):
        def read(number):
            self.is_read[number].set()
            return ROWS[:250]

        yield read


@pytest.mark.parametrize(("kind", "n_threads"), [(Slow, 1), (Slow, 2), (SlowInAnyOrder, 2)])
def test_reading_overlaps_computing(kind, n_threads):
    source = kind()
    assert list(work_on_blocks(source, source.work, n_threads)) == [0, 1, 2, 3]


@pytest.mark.parametrize("kind", ["file", "array"])
def test_threads_change_no_bit(tmp_path, kind):
    np.save(tmp_path / "rows.npy", ROWS)
    source = drr.open_rows(tmp_path / "rows.npy" if kind == "file" else ROWS, block_rows=70)
    target = ROWS.mean(axis=0) + 0.3
    weights = np.random.default_rng(1).exponential(size=len(ROWS))
    one, *others = (drr.rake(source, target, base_weights=weights, n_threads=n) for n in (1, 2, 3, 40))
    for other in others:
        np.testing.assert_array_equal(other.dual.theta, one.dual.theta)
        assert other.floor.value == one.floor.value
        np.testing.assert_array_equal(other.floor.support, one.floor.support)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_the_first_nan_is_the_one_that_is_named(tmp_path, n_threads):
    rows = ROWS.copy()
    rows[[437, 450, 512, 999]] = np.nan
    np.save(tmp_path / "rows.npy", rows)
    with pytest.raises(ValueError, match=r"block 4, row 37 of the block, column 0 .*this is row 437 of all"):
        drr.rake(drr.open_rows(tmp_path / "rows.npy", block_rows=100), np.zeros(6), n_threads=n_threads)


@pytest.mark.parametrize("n_threads", [1, 2])
def test_interrupt_in_the_middle_of_a_pass(tmp_path, n_threads):
    np.save(tmp_path / "rows.npy", ROWS)
    target = ROWS.mean(axis=0) + 0.3

    class Interrupting(NpySource):
        numbers = itertools.count(1)  # which threads may share

        def _fill(self, file, rows, begin):
            super()._fill(file, rows, begin)
            if next(self.numbers) == 20:  # in the second pass
                signal.raise_signal(signal.SIGINT)

    source = Interrupting(tmp_path / "rows.npy", 70)
    n_before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        drr.rake(source, target, n_threads=n_threads)
    assert threading.active_count() == n_before  # nobody reads on
    assert next(source.numbers) < 30
    again = drr.rake(source, target, n_threads=n_threads)
    expected = drr.rake(drr.open_rows(tmp_path / "rows.npy", block_rows=70), target, n_threads=n_threads)
    np.testing.assert_array_equal(again.dual.theta, expected.dual.theta)


@pytest.mark.parametrize("shape", [(0, 6), (5, 0)])
def test_empty_file_is_named(tmp_path, shape):
    np.save(tmp_path / "rows.npy", np.zeros(shape))
    with pytest.raises(
        ValueError, match=rf"rows\.npy is empty: it has {shape[0]} rows and {shape[1]} columns"
    ):
        drr.open_rows(tmp_path / "rows.npy")
