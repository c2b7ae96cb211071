"""Fuzzes the boundary between NumPy and the kernels: whatever is handed over is served or refused, never followed wild.

    python -m tools.attack boundary --minutes 30

Every public function and every function of the compiled module gets arrays of arbitrary type, stride, shape and
content, CSR matrices with broken index arrays, read-only, overlapping, misaligned and empty memory. Refusals must be
ValueError, TypeError, OverflowError (a number that no C integer holds), MemoryError or, for a text, FileNotFoundError.
A result whose status is `converged` must pass the certificates computed from outside. A crash kills the process:
faulthandler names the line, and `--first-seed` at the last number printed finds the draw.
"""

from __future__ import annotations

import argparse
import faulthandler
import sys
import time
import warnings
from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np
import scipy.sparse

import drr
from drr._native import core
from tools.attack.certificates import check_dual, check_floor, check_weights, reference_of
from tools.attack.problems import Problem

Generator = np.random.Generator
# A text in place of features is the name of a file.
REFUSALS = (ValueError, TypeError, OverflowError, MemoryError, FileNotFoundError)
DTYPES = [
    "f8",
    "f8",
    "f8",
    "f4",
    ">f8",
    ">f4",
    "f2",
    "g",
    "i8",
    "i4",
    "u1",
    "?",
    "c16",
    "O",
    "U3",
    "M8[s]",
    "V8",
]
SPECIAL = [0.0, -0.0, 1.0, 5e-324, 2.2e-308, 1e-160, 1e160, 1.7e308, np.nan, np.inf, -np.inf]


def draw_array(rng: Generator, shape: tuple[int, ...], *, ordinary: float = 0.7) -> Any:
    """An array of about that shape: any type, stride, alignment and content."""
    values = rng.normal(size=shape)
    if rng.uniform() > ordinary and values.size:
        places = rng.integers(values.size, size=rng.integers(1, 4))
        values.flat[places] = rng.choice(SPECIAL, size=len(places))
    if rng.uniform() > ordinary:
        values = values * 10.0 ** rng.uniform(-300, 300)
    dtype = np.dtype(rng.choice(DTYPES) if rng.uniform() > ordinary else "f8")
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            array = np.asarray(values).astype(dtype)  # a product without dimensions is no array
        except (ValueError, TypeError, OverflowError):
            array = np.zeros(shape, dtype=dtype)
    return _in_odd_memory(rng, array) if rng.uniform() > ordinary else array


def _in_odd_memory(rng: Generator, array: np.ndarray) -> Any:
    kind = rng.choice(["fortran", "negative", "every other", "misaligned", "read-only", "broadcast", "list", "masked",
                       "matrix", "overlapping"])  # fmt: skip
    if kind == "fortran":
        return np.asfortranarray(array)
    if kind == "negative":
        return array[tuple(slice(None, None, -1) for _ in array.shape)]
    if kind == "every other":
        return np.repeat(array, 2, axis=-1)[..., ::2] if array.ndim else array
    if kind == "misaligned" and array.dtype.kind != "O":
        memory = np.zeros(array.nbytes + 1, dtype="u1")
        odd = memory[1:].view(array.dtype).reshape(array.shape)
        odd[...] = array
        return odd
    if kind == "read-only":
        array.flags.writeable = False
    if kind == "broadcast" and array.ndim and array.shape[0]:
        return np.broadcast_to(array[:1], array.shape)
    if kind == "list":
        return array.tolist()
    if kind == "masked":
        return np.ma.masked_array(array, mask=rng.uniform(size=array.shape) < 0.2)
    if kind == "matrix" and array.ndim == 2:
        return np.asmatrix(array)
    if kind == "overlapping" and array.ndim == 2 and array.dtype.kind in "fiu" and array.size:
        # Row i starts one number after row i − 1: rows share all but one of their numbers.
        line = np.resize(array.ravel(), sum(array.shape))
        return np.lib.stride_tricks.as_strided(line, array.shape, (line.itemsize, line.itemsize))
    return array


def draw_csr(rng: Generator, shape: tuple[int, int]) -> Any:
    """A CSR matrix, most often with one thing broken about its index arrays."""
    dense = np.where(rng.uniform(size=shape) < 0.4, rng.normal(size=shape), 0.0)
    matrix = scipy.sparse.csr_array(dense.astype(rng.choice(["f8", "f4"])))
    index = rng.choice(["i4", "i8"])
    indices, indptr, data = matrix.indices.astype(index), matrix.indptr.astype(index), matrix.data.copy()
    huge = int(rng.choice([shape[1], -1, 10**6, np.iinfo(index).max, np.iinfo(index).min]))
    breakage = rng.choice(["none", "index", "indptr", "indptr start", "short indices", "short data", "short indptr",
                           "long indptr", "duplicates", "unsorted", "mixed", "unsigned", "float indices", "empty",
                           "two-dimensional", "strided", "misaligned", "nan"])  # fmt: skip
    if breakage == "index" and len(indices):
        indices[rng.integers(len(indices))] = huge
    elif breakage == "indptr":
        indptr[rng.integers(len(indptr))] = huge
    elif breakage == "indptr start":
        indptr = indptr + int(rng.choice([-1, 1, 10**5]))
    elif breakage == "short indices":
        indices = indices[: len(indices) // 2]
    elif breakage == "short data":
        data = data[: len(data) // 2]
    elif breakage == "short indptr":
        indptr = indptr[: max(0, len(indptr) - int(rng.integers(1, 3)))]
    elif breakage == "long indptr":
        indptr = np.r_[indptr, indptr[-1:] if len(indptr) else indptr].astype(index)
    elif breakage == "duplicates":
        indices[:] = rng.integers(max(1, shape[1]), size=len(indices))
    elif breakage == "unsorted":
        indices = indices[::-1].copy()
    elif breakage == "mixed":
        indices = indices.astype("i8" if index == "i4" else "i4")
    elif breakage == "unsigned":
        indptr = indptr.astype("u8")
    elif breakage == "float indices":
        indices = indices.astype("f8")
    elif breakage == "empty":
        data, indices = data[:0], indices[:0]
    elif breakage == "two-dimensional":
        indices = indices.reshape(1, -1)
    elif breakage == "strided":
        indices, data = np.repeat(indices, 2)[::2], np.repeat(data, 2)[::2]
    elif breakage == "misaligned":
        memory = np.zeros(indptr.nbytes + 1, dtype="u1")
        memory[1:] = indptr.view("u1")
        indptr = memory[1:].view(index)
    elif breakage == "nan" and len(data):
        data[rng.integers(len(data))] = rng.choice([np.nan, np.inf])
    matrix.data, matrix.indices, matrix.indptr = data, indices, indptr
    if (
        rng.uniform() < 0.3
    ):  # the compiled module takes whatever has these members, and must not believe its shape
        wrong = (shape[0] + int(rng.integers(-1, 2)), shape[1] + int(rng.integers(-2, 2)))
        return SimpleNamespace(data=data, indices=indices, indptr=indptr, shape=wrong)
    return matrix


def draw_other_sparse(rng: Generator, shape: tuple[int, int]) -> Any:
    """A sparse matrix of another format, often with a wild index, or CSR with lists in the place of its arrays."""
    kind = rng.choice(["csc", "coo", "bsr", "dia", "lil", "lists"])
    if kind == "csc":  # of the rows and columns of a CSR matrix the other way round
        source, matrix = draw_csr(rng, (shape[1], shape[0])), scipy.sparse.csc_array(shape)
        matrix.data, matrix.indices, matrix.indptr = source.data, source.indices, source.indptr
        return matrix
    dense = np.where(rng.uniform(size=shape) < 0.4, rng.normal(size=shape), 0.0)
    matrix = scipy.sparse.csr_array(dense)
    if kind == "lists":
        name = str(rng.choice(["data", "indices", "indptr"]))
        setattr(matrix, name, getattr(matrix, name).tolist())
        return matrix
    matrix = matrix.asformat(kind)
    names = {"coo": ("row", "col"), "bsr": ("indices", "indptr"), "dia": ("offsets",)}.get(str(kind), ())
    for name in names:
        numbers = getattr(matrix, name)
        if len(numbers) and rng.uniform() < 0.4:
            numbers[rng.integers(len(numbers))] = rng.choice([-1, max(shape), 10**6, 2**31 - 1, -(2**31)])
    return matrix


def draw_features(rng: Generator, shape: tuple[int, int]) -> Any:
    if rng.uniform() < 0.4:
        return draw_csr(rng, shape)
    if rng.uniform() < 0.15:
        return draw_other_sparse(rng, shape)
    if rng.uniform() < 0.05:
        return draw_array(rng, (*shape, 2)[: int(rng.integers(0, 4))])
    return draw_array(rng, shape)


def draw_vector(rng: Generator, length: int) -> Any:
    if rng.uniform() < 0.1:
        length = max(0, length + int(rng.choice([-1, 1])))
    if rng.uniform() < 0.03:
        return draw_array(rng, (length, 1))
    return draw_array(rng, (length,), ordinary=0.85)


def draw_number(rng: Generator, usual: float) -> Any:
    odd = [
        0.0,
        -1.0,
        np.nan,
        np.inf,
        1e300,
        5e-324,
        2**70,
        "1",
        None,
        np.float32(usual),
        np.array(usual),
        True,
    ]
    return usual if rng.uniform() < 0.8 else odd[rng.integers(len(odd))]


def draw_support(rng: Generator) -> tuple[Any, Any]:
    """The rows that carry a floor, and their weights: too many, too few, out of range, or none at all."""
    if rng.uniform() < 0.3:
        return None, None
    rows: Any = rng.integers(-1, 7, size=int(rng.integers(0, 4)))
    if rng.uniform() < 0.2:
        rows = draw_array(rng, rows.shape)
    return rows, draw_vector(rng, int(rng.integers(0, 4)) if rng.uniform() < 0.3 else len(rows))


def draw_weights(rng: Generator, length: int) -> Any:
    if rng.uniform() < 0.5:
        return None
    weights = draw_vector(rng, length)
    return np.abs(weights) if isinstance(weights, np.ndarray) and weights.dtype.kind == "f" else weights


def draw_problem(rng: Generator) -> tuple[Any, Any, Any]:
    shape = (int(rng.integers(0, 12)), int(rng.integers(0, 6)))
    return draw_features(rng, shape), draw_vector(rng, shape[1]), draw_weights(rng, shape[0])


def attack_raking(rng: Generator) -> list[str]:
    """`rake`, `find_floor` and `solve_dual`; what they call converged is checked from outside."""
    features, target, weights = draw_problem(rng)
    options = {"base_weights": weights, "n_threads": draw_threads(rng), "method": draw_method(rng)}
    raking = drr.rake(features, target, eta=draw_number(rng, 0.05), **options)
    if options["method"] == "paper":  # its rules are absolute; its certificate is only carried, not promised
        return list(check_weights(raking.dual.weights, _reference(features, target, weights), "dual"))
    reference = _reference(features, target, weights)
    wrong = list(check_floor(raking.floor, reference))
    return wrong + check_dual(raking.dual, raking.tolerance, reference, raking.floor)[0]


def attack_dual(rng: Generator) -> list[str]:
    features, target, weights = draw_problem(rng)
    delta = draw_number(rng, 0.3)
    dual = drr.solve_dual(features, target, delta, base_weights=weights, max_iter=draw_limit(rng))
    wrong, _ = check_dual(dual, float(delta), _reference(features, target, weights), None)
    return [what for what in wrong if "iteration_limit" not in what]


def attack_tilt(rng: Generator) -> list[str]:
    features, theta, weights = draw_problem(rng)
    tilted = drr.tilt(features, theta, base_weights=weights, n_threads=draw_threads(rng))
    return list(
        check_weights(tilted.weights, _reference(features, np.zeros(len(tilted.mean)), weights), "tilt")
    )


def attack_core(rng: Generator) -> list[str]:
    """The compiled functions themselves, without the checks of the Python layer in front."""
    features, target, weights = draw_problem(rng)
    threads = int(rng.integers(-2, 5))
    call = rng.integers(5)
    if call == 0:
        core.validate_csr(features)
    elif call == 1:
        core.tilt(features, target, weights, draw_vector(rng, 5) if rng.uniform() < 0.3 else None, threads)
    elif call == 2:
        method = str(rng.choice(["min_norm_point", "pairwise_frank_wolfe", "none"]))
        core.find_floor(features, target, weights, method, int(rng.integers(-1, 40)), threads, None)
    elif call == 3:
        method = str(
            rng.choice(["auto", "auto:newton", "auto:pcg-sampled", "auto:pcg-woodbury", "auto:wide", "paper"])
        )
        core.solve_dual(
            features, target, draw_number(rng, 0.3), weights, *draw_support(rng), draw_number(rng, 0.1),
            draw_vector(rng, 4), method, int(rng.integers(-1, 40)), threads, None,
        )  # fmt: skip
    else:
        core.certify_dual(
            features, target, draw_number(rng, 0.3), draw_vector(rng, 4), weights, *draw_support(rng), threads
        )
    return []


def attack_embedding(rng: Generator) -> list[str]:
    """The kernels of the feature map, with maps and codes that do not fit."""
    n_numeric, n_waves, n_rows = int(rng.integers(0, 4)), int(rng.integers(0, 5)), int(rng.integers(0, 6))
    n_variables = int(rng.integers(0, 3))
    offsets = np.r_[0, np.cumsum(rng.integers(0, 4, size=n_variables))].astype(
        rng.choice(["i4", "i4", "i4", "i8"])
    )
    if rng.uniform() < 0.2 and len(offsets):
        offsets[rng.integers(len(offsets))] = rng.integers(-3, 100)
    n_features = n_numeric + (int(offsets[-1]) if len(offsets) else 0) + n_waves
    feature_map = SimpleNamespace(
        mean=draw_vector(rng, n_numeric),
        scale=draw_vector(rng, n_numeric),
        indicated=rng.integers(-1, 5, size=int(rng.integers(0, 2))).astype("i4"),
        level_offsets=offsets,
        weights=draw_array(rng, (n_numeric, n_waves), ordinary=0.9),
        phases=draw_vector(rng, n_waves),
        linear_factor=1.0,
        one_hot_factor=1.0,
        fourier_factor=draw_number(rng, 1.0),
    )
    numeric = draw_features(rng, (n_rows, n_numeric)) if n_numeric else None
    codes = rng.integers(-2, 6, size=(n_rows, n_variables)).astype("i4") if n_variables else None
    if codes is not None and rng.uniform() < 0.2:
        codes = codes.astype("i8") if rng.uniform() < 0.5 else codes[::-1]
    threads = int(rng.integers(-1, 4))
    call = rng.integers(3)
    if call == 0:
        out = draw_array(rng, (n_rows, max(0, n_features + int(rng.choice([0, 0, 0, 1, -1])))), ordinary=0.85)
        core.embed(feature_map, numeric, codes, out, threads)
    elif call == 1:
        n_stored = max(0, n_rows * n_features)
        starts = np.linspace(0, n_stored, n_rows + 1).astype(rng.choice(["i4", "i8"]))
        if rng.uniform() < 0.4:
            starts[rng.integers(len(starts))] += int(rng.integers(-5, 50))
        values = draw_array(rng, (n_stored,), ordinary=0.9)
        core.embed_csr(feature_map, numeric, codes, values, np.zeros(n_stored, starts.dtype), starts, threads)
    else:
        core.embed_scores(feature_map, numeric, codes, draw_vector(rng, n_features), threads)
    return []


def draw_threads(rng: Generator) -> Any:
    odd = [0, -1, 2.5, "2", 2**40, None, True, np.int8(2), 1000]
    return int(rng.integers(1, 4)) if rng.uniform() < 0.9 else odd[rng.integers(len(odd))]


def draw_method(rng: Generator) -> Any:
    return "auto" if rng.uniform() < 0.8 else ["paper", "auto:wide", None, 3][rng.integers(4)]


def draw_limit(rng: Generator) -> Any:
    return None if rng.uniform() < 0.7 else [1, 0, -1, 2**40, 1.5, "3", np.int64(2)][rng.integers(7)]


def _reference(features: Any, target: Any, weights: Any) -> Any:
    rows = np.asarray(features.todense() if scipy.sparse.issparse(features) else features, dtype=np.float64)
    given = None if weights is None else np.asarray(weights, dtype=np.float64)
    return reference_of(Problem("", features, rows, np.asarray(target, dtype=np.float64), given, 0.05))


TARGETS = [attack_raking, attack_dual, attack_tilt, attack_core, attack_core, attack_embedding]


def attack(seed: int) -> tuple[str, str, list[str]]:
    """One draw: the target's name, how it ended, and what is wrong about it."""
    rng = np.random.default_rng(seed)
    target = TARGETS[rng.integers(len(TARGETS))]
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            wrong = target(rng)
    except REFUSALS as error:
        return target.__name__, type(error).__name__, []
    except Exception as error:  # anything else is a finding
        return target.__name__, type(error).__name__, [f"raised {type(error).__name__}: {error}"]
    return target.__name__, "served", wrong


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.attack boundary", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--minutes", type=float, default=30.0, help="of processor time")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="one draw again, by its seed")
    parser.add_argument(
        "--slow", type=float, default=5.0, help="seconds of processor time after which a draw is a hang"
    )
    options = parser.parse_args(arguments)
    faulthandler.enable()
    if options.only is not None:
        print(attack(options.only))
        return 0
    counts: Counter[tuple[str, str]] = Counter()
    failures, seed, started = 0, options.first_seed, time.process_time()
    while time.process_time() - started < 60 * options.minutes:
        sys.stdout.write(
            f"\r{seed}"
        ) if seed % 256 == 0 else None  # the last line before a crash tells where to look
        before = time.process_time()
        name, end, wrong = attack(seed)
        if time.process_time() - before > options.slow:
            wrong = [*wrong, f"took {time.process_time() - before:.1f} s"]
        counts[name, end] += 1
        if wrong:
            failures += 1
            print(f"\rFAILED {seed} {name}: " + "; ".join(wrong), flush=True)
        seed += 1
    print()
    for (name, end), count in sorted(counts.items()):
        print(f"{name:18s} {end:14s} {count}")
    minutes = (time.process_time() - started) / 60
    print(
        f"{seed - options.first_seed} draws in {minutes:.1f} minutes of processor time, {failures} failures"
    )
    return bool(failures)
