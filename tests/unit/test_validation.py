"""A table of inputs and what becomes of them: viewed, converted once, or refused with the argument and place named."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import drr
from drr._checks.arrays import check_features

BASE = np.arange(24, dtype=np.float64).reshape(6, 4) / 10
THETA = np.array([0.3, -0.2, 0.1, 0.5])


def read_only():
    array = BASE.copy()
    array.setflags(write=False)
    return array


def unaligned():
    buffer = np.zeros(BASE.nbytes + 1, dtype=np.uint8)
    array = buffer[1:].view(np.float64).reshape(BASE.shape)
    array[:] = BASE
    return array


VIEWED = {
    "float64": BASE,
    "float32": BASE.astype(np.float32),
    "read-only": read_only(),
    "row stride": np.repeat(BASE, 2, axis=0)[::2],
    "column slice": np.hstack([BASE, BASE])[:, :4],
    "single row": BASE[:1],
    "single column": BASE[:, :1],
    "broadcast row": np.broadcast_to(BASE[0], (5, 4)),
    "CSR matrix": scipy.sparse.csr_matrix(BASE),
    "CSR array": scipy.sparse.csr_array(BASE.astype(np.float32)),
    "CSR with 64-bit indices": scipy.sparse.csr_array(
        (BASE.ravel()[1:], np.tile(np.arange(4), 6)[1:].astype(np.int64), np.r_[0, 3:24:4].astype(np.int64)),
        (6, 4),
    ),
}

CONVERTED = {
    "Fortran order": np.asfortranarray(BASE),
    "negative row stride": BASE[::-1],
    "negative column stride": BASE[:, ::-1],
    "every second column": np.repeat(BASE, 2, axis=1)[:, ::2],
    "integers": np.arange(24).reshape(6, 4),
    "booleans": BASE > 1,
    "float16": BASE.astype(np.float16),
    "long double": BASE.astype(np.longdouble),
    "foreign byte order": BASE.astype(BASE.dtype.newbyteorder()),
    "unaligned": unaligned(),
    "list": BASE.tolist(),
    "pandas frame": pd.DataFrame(BASE),
    "CSC": scipy.sparse.csc_array(BASE),
    "COO": scipy.sparse.coo_array(BASE),
    "CSR of integers": scipy.sparse.csr_array(np.eye(4, dtype=int)),
    "CSR with duplicates": scipy.sparse.csr_array(([1.0, 2.0, 4.0], [1, 1, 0], [0, 2, 3]), (2, 4)),
}


def dense(features):
    return features.toarray() if scipy.sparse.issparse(features) else np.asarray(features, dtype=np.float64)


def with_value(value):
    array = BASE.copy()
    array[3, 2] = value
    return array


def shifted_by_one_byte(array):
    """The same numbers where no number of their type begins, as after a pickle or a socket."""
    room = np.empty(array.nbytes + 1, dtype=np.uint8)[1:]
    room[:] = array.view(np.uint8)
    return room.view(array.dtype)


@pytest.mark.parametrize("names", [["data"], ["indices"], ["indptr"], ["data", "indices", "indptr"]])
@pytest.mark.parametrize("blocks", [False, True], ids=["memory", "blocks"])
def test_sparse_rows_whose_arrays_are_not_aligned(names, blocks):
    plain = scipy.sparse.csr_array(BASE)
    matrix = plain.copy()
    for name in names:
        setattr(matrix, name, shifted_by_one_byte(getattr(plain, name)))
        assert not getattr(matrix, name).flags.aligned
    features = drr.open_rows([matrix]) if blocks else matrix
    target = BASE.mean(axis=0) + 0.1
    np.testing.assert_allclose(
        drr.rake(features, target).dual.theta, drr.rake(plain, target).dual.theta, rtol=1e-9
    )


def broken_csr(**parts):
    matrix = scipy.sparse.csr_array(BASE)
    for name, values in parts.items():
        setattr(matrix, name, np.asarray(values, dtype=np.int32))
    return matrix


def broken(format, **parts):
    """Index arrays, or data, with another number at one place, cut short, or of another type."""
    matrix = scipy.sparse.csr_array(BASE).asformat(format)
    for name, change in parts.items():
        numbers = getattr(matrix, name)
        if isinstance(change, tuple):
            numbers[change[0]] = change[1]
        elif isinstance(change, slice):
            setattr(matrix, name, numbers[change])
        else:
            setattr(matrix, name, numbers.tolist() if change is list else numbers.astype(change))
    return matrix


def csr_of_lists():
    matrix = scipy.sparse.csr_array(BASE)
    assert matrix.has_canonical_format  # and is not asked again
    matrix.indices, matrix.indptr = matrix.indices.tolist(), matrix.indptr.tolist()
    return matrix


REFUSED = {
    "NaN": (with_value(np.nan), ValueError, r"features contains NaN or infinity at row 3, column 2"),
    "infinity": (with_value(np.inf), ValueError, r"row 3, column 2"),
    "minus infinity": (with_value(-np.inf), ValueError, r"row 3, column 2"),
    "float32 NaN": (with_value(np.nan).astype(np.float32), ValueError, r"row 3, column 2"),
    "CSR NaN": (scipy.sparse.csr_array(with_value(np.nan)), ValueError, r"row 3, column 2"),
    "one dimension": (BASE[0], ValueError, r"features must have two dimensions.*reshape"),
    "three dimensions": (BASE[None], ValueError, r"features must have two dimensions"),
    "no rows": (BASE[:0], ValueError, r"features is empty: it has 0 rows and 4 columns"),
    "no columns": (BASE[:, :0], ValueError, r"features is empty: it has 6 rows and 0 columns"),
    "strings": (BASE.astype(str), TypeError, r"features must be numeric, got dtype <U"),
    "objects": (BASE.astype(object), TypeError, r"features must be numeric, got dtype object"),
    "complex": (BASE.astype(complex), TypeError, r"features must be real"),
    "complex CSR": (scipy.sparse.csr_array(BASE.astype(complex)), TypeError, r"features must be real"),
    "dates": (np.zeros((2, 4), dtype="datetime64[s]"), TypeError, r"features must be numeric"),
    "masked": (np.ma.masked_greater(BASE, 1), ValueError, r"features has masked entries"),
    "column index too large": (broken_csr(indices=[7] * 23), ValueError, r"column index 7 in row 0"),
    "column index negative": (broken_csr(indices=[-1] * 23), ValueError, r"column index -1 in row 0"),
    "offsets decreasing": (
        broken_csr(indptr=[0, 9, 3, 11, 15, 19, 23]),
        ValueError,
        r"indptr decreases at row 1",
    ),
    "offsets beyond the end": (
        broken_csr(indptr=[0, 3, 7, 11, 15, 19, 99]),
        ValueError,
        r"indptr ends at 99",
    ),
    "CSC row index too large": (
        broken("csc", indices=(5, 10**9)),
        ValueError,
        r"features is a broken CSC matrix",
    ),
    "CSC row index negative": (
        broken("csc", indices=(5, -(10**9))),
        ValueError,
        r"features is a broken CSC matrix",
    ),
    "CSC offsets beyond the end": (
        broken("csc", indptr=(4, 10**8)),
        ValueError,
        r"features is a broken CSC matrix",
    ),
    "BSR offsets beyond the end": (
        broken("bsr", indptr=(2, 10**8)),
        ValueError,
        r"features is a broken BSR matrix",
    ),
    "COO row too large": (
        broken("coo", row=(5, 10**9)),
        ValueError,
        r"names row 1000000000, but its shape is \(6, 4\)",
    ),
    "COO column negative": (broken("coo", col=(5, -1)), ValueError, r"names column -1"),
    "CSC with less data than indices": (
        broken("csc", data=slice(5)),
        ValueError,
        r"indptr ends at 23, but 5 entries",
    ),
    "CSC of fractions": (
        broken("csc", indices=float),
        ValueError,
        r"indptr and indices must be vectors of whole",
    ),
    "CSR whose data are a list": (
        broken("csr", data=list),
        TypeError,
        r"features.data must be a numpy array, got list",
    ),
    "CSR of lists": (
        csr_of_lists(),
        TypeError,
        r"features.indices must be a numpy vector, got <class 'list'>",
    ),
    "offsets not from zero": (broken_csr(indptr=[1, 3, 7, 11, 15, 19, 23]), ValueError, r"indptr\[0\] is 1"),
}


@pytest.mark.parametrize("case", VIEWED)
def test_viewed_without_a_copy(case):
    features = VIEWED[case]
    checked = check_features(features)
    assert checked is features
    expected = np.exp(dense(features) @ THETA[: features.shape[1]])
    np.testing.assert_allclose(
        drr.tilt(features, THETA[: features.shape[1]]).weights, expected / expected.sum(), rtol=1e-12
    )


@pytest.mark.parametrize("case", CONVERTED)
def test_converted_once(case):
    features = CONVERTED[case]
    expected = np.exp(dense(features) @ THETA)
    np.testing.assert_allclose(drr.tilt(features, THETA).weights, expected / expected.sum(), rtol=1e-12)


def test_a_polars_frame_is_converted():
    polars = pytest.importorskip("polars", reason="polars has no wheels for this interpreter")
    np.testing.assert_array_equal(
        drr.tilt(polars.DataFrame(BASE), THETA).weights, drr.tilt(BASE, THETA).weights
    )


MIXED = pd.DataFrame({"whole": [1, 2, 3], "yes": [True, False, True], "real": [0.5, 1.5, 2.5]})


@pytest.mark.parametrize(
    "frame",
    [MIXED, MIXED.convert_dtypes(), MIXED[["real"]].astype("Float64")],
    ids=["mixed", "nullable", "one"],
)
def test_a_pandas_frame_of_several_types_is_converted(frame):
    numbers = MIXED[frame.columns].to_numpy(dtype=np.float64)
    np.testing.assert_array_equal(check_features(frame), numbers)
    assert drr.find_floor(frame, numbers[1]).value == pytest.approx(0, abs=1e-9)
    weights = drr.tilt(frame, np.zeros(frame.shape[1]), base_weights=frame["real"]).weights
    np.testing.assert_allclose(weights, numbers[:, -1] / 4.5, rtol=1e-14)


def test_a_missing_number_of_a_frame_is_named():
    frame = MIXED.convert_dtypes()
    frame.loc[1, "whole"] = pd.NA
    with pytest.raises(ValueError, match="NaN or infinity at row 1, column 0"):
        drr.tilt(frame, np.zeros(3))
    with pytest.raises(ValueError, match="base_weights must be finite, got nan at position 1"):
        drr.tilt(MIXED, np.zeros(3), base_weights=frame["whole"])


def test_text_among_the_columns_is_refused():
    with pytest.raises(TypeError, match="features must be numeric, got dtype object"):
        drr.tilt(MIXED.assign(text=["a", "b", "c"]), np.zeros(4))


@pytest.mark.skipif(np.finfo(np.longdouble).maxexp == 1024, reason="long doubles are doubles here")
def test_long_doubles_beyond_doubles_are_refused_as_infinite():
    beyond = np.array([[1, 2], [3, 4]], dtype=np.longdouble)
    beyond[1, 0] = np.longdouble("1e400")
    with pytest.raises(ValueError, match="NaN or infinity at row 1, column 0"):
        drr.tilt(beyond, np.zeros(2))
    with pytest.raises(ValueError, match="theta must be finite, got inf at position 0"):
        drr.tilt(np.eye(2), beyond[1])


def test_conversion_leaves_the_original_alone():
    matrix = CONVERTED["CSR with duplicates"]
    drr.tilt(matrix, THETA)
    assert matrix.nnz == 3


@pytest.mark.parametrize(
    ("indices", "indptr"), [("i4", "i8"), ("i8", "i4"), ("u4", "u4"), ("i4", "u8"), (">i4", ">i4")]
)
def test_index_arrays_of_two_types_or_without_sign_are_converted(indices, indptr):
    matrix = scipy.sparse.csr_array(BASE)
    matrix.indices, matrix.indptr = matrix.indices.astype(indices), matrix.indptr.astype(indptr)
    np.testing.assert_array_equal(
        drr.tilt(matrix, THETA).weights, drr.tilt(scipy.sparse.csr_array(BASE), THETA).weights
    )
    assert matrix.indices.dtype == indices  # the caller's is left alone


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    features, error, message = REFUSED[case]
    with pytest.raises(error, match=message):
        drr.tilt(features, THETA)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            {"theta": THETA[:3]},
            ValueError,
            r"theta must have shape \(4,\), one number per column of features, got \(3,\)",
        ),
        ({"theta": THETA[None]}, ValueError, r"theta must have shape \(4,\)"),
        ({"theta": [0, 0, np.nan, 0]}, ValueError, r"theta must be finite, got nan at position 2"),
        ({"theta": ["a"] * 4}, TypeError, r"theta must be numeric"),
        (
            {"base_weights": [1, 1, 1]},
            ValueError,
            r"base_weights must have shape \(6,\), one number per row of features",
        ),
        (
            {"base_weights": [1, 1, -2, 1, 1, 1]},
            ValueError,
            r"base_weights must not be negative, got -2.0 at position 2",
        ),
        ({"base_weights": np.zeros(6)}, ValueError, r"base_weights are all zero"),
        (
            {"base_weights": [1, np.inf, 1, 1, 1, 1]},
            ValueError,
            r"base_weights must be finite, got inf at position 1",
        ),
        ({"n_threads": 0}, ValueError, r"n_threads must be None or at least 1, got 0"),
        ({"n_threads": 1.5}, TypeError, r"n_threads must be None or a whole number, got 1.5"),
    ],
)
def test_other_arguments_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        drr.tilt(**{"features": BASE, "theta": THETA} | arguments)


def test_overflowing_scores_refused():
    with pytest.raises(ValueError, match="overflow double precision; rescale"):
        drr.tilt(BASE * 1e300, THETA * 1e300)


def test_huge_base_weights_are_normalised():
    weights = drr.tilt(BASE, THETA, base_weights=np.full(6, 1e308)).weights
    np.testing.assert_allclose(weights, drr.tilt(BASE, THETA).weights, rtol=1e-14)


def test_memory_map(tmp_path):
    np.save(tmp_path / "features.npy", BASE)
    mapped = np.load(tmp_path / "features.npy", mmap_mode="r")
    assert np.shares_memory(check_features(mapped), mapped)
    np.testing.assert_array_equal(drr.tilt(mapped, THETA).weights, drr.tilt(BASE, THETA).weights)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (-1, 3), (3, -2)])
def test_the_core_refuses_a_csr_matrix_without_rows_or_columns(shape):
    """The compiled module divides by the number of columns; it must not rely on the Python layer to refuse none."""
    from types import SimpleNamespace

    from drr._native import core

    empty = SimpleNamespace(
        data=np.zeros(0),
        indices=np.zeros(0, np.int32),
        indptr=np.zeros(max(0, shape[0]) + 1, np.int32),
        shape=shape,
    )
    with pytest.raises(ValueError, match="empty"):
        core.solve_dual(empty, np.zeros(max(0, shape[1])), 0.1, method="auto:pcg-woodbury")


@pytest.mark.parametrize("tolerance", [np.nan, np.inf, -1.0])
@pytest.mark.parametrize("method", ["auto", "paper", "auto:pcg-woodbury", "auto:pcg-sampled"])
def test_the_core_refuses_a_tolerance_that_is_none(tolerance, method):
    """A tolerance of NaN once ended the process in the preconditioned solves."""
    from drr._native import core

    with pytest.raises(ValueError, match="tolerance must be finite and not negative"):
        core.solve_dual(BASE, np.ones(BASE.shape[1]), tolerance, method=method)
