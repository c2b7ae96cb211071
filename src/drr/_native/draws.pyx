# cython: language_level=3, freethreading_compatible=True
# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Bootstrap draws of rows: added to the totals of their cells as they are drawn, or marked."""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

import numpy as np

ctypedef fused cell_t:
    uint16_t
    uint32_t

ctypedef fused total_t:
    uint32_t
    double


include "contiguous.pxi"


cdef struct bitgen_t:  # NumPy's documented interface to its bit generators, behind their `capsule`
    void* state
    uint64_t (*next_uint64)(void* state) noexcept nogil
    uint32_t (*next_uint32)(void* state) noexcept nogil
    double (*next_double)(void* state) noexcept nogil
    uint64_t (*next_raw)(void* state) noexcept nogil


def add_draws(bit_generator, n_draws, cells_of_row, weights, totals):
    """For each i, draw n_draws[i] rows with replacement, and add each to its cells in row i of `totals`.

    Parameters
    ----------
    bit_generator : numpy.random.BitGenerator
    n_draws : int64 array of shape (n_resamples,)
    cells_of_row : uint16 or uint32 array of shape (n_rows, n_columns)
        The columns of `totals` to which a row contributes.
    weights : float64 array of shape (n_rows,) or None
        What a row adds; one without them.
    totals : array of shape (n_resamples, n_cells)
        uint32 without weights, float64 with them.
    """
    cdef:
        const uint16_t* cells16
        const uint32_t* cells32
    if not 0 < len(cells_of_row) <= 0xFFFFFFFF:
        raise ValueError(f"between 1 and 4294967295 rows can be drawn, got {len(cells_of_row)}")
    if cells_of_row.dtype == np.uint16:
        cells16 = <const uint16_t*>_numbers(cells_of_row, np.uint16, 2)
        _draw_all(bit_generator, n_draws, cells16, cells_of_row, weights, totals)
    else:
        cells32 = <const uint32_t*>_numbers(cells_of_row, np.uint32, 2)
        _draw_all(bit_generator, n_draws, cells32, cells_of_row, weights, totals)


cdef int _draw_all(bit_generator, n_draws, const cell_t* cells, cells_of_row, weights, totals) except -1:
    """Choose the type of the totals, and let go of the interpreter."""
    cdef:
        bitgen_t* source = <bitgen_t*>PyCapsule_GetPointer(bit_generator.capsule, "BitGenerator")
        const int64_t* counts = <const int64_t*>_numbers(n_draws, np.int64, 1)
        Py_ssize_t i, n_resamples = len(n_draws), n_cells = totals.shape[1]
        Py_ssize_t n_rows = cells_of_row.shape[0], n_columns = cells_of_row.shape[1]
        const double* weight = NULL
        uint32_t* whole = NULL
        double* sums = NULL
    if weights is None:
        whole = <uint32_t*>_numbers(totals, np.uint32, 2, True)
        with bit_generator.lock, nogil:
            for i in range(n_resamples):
                _add_draws(source, counts[i], cells, n_rows, n_columns, weight, whole + i * n_cells)
    else:
        weight = <const double*>_numbers(weights, np.float64, 1)
        sums = <double*>_numbers(totals, np.float64, 2, True)
        with bit_generator.lock, nogil:
            for i in range(n_resamples):
                _add_draws(source, counts[i], cells, n_rows, n_columns, weight, sums + i * n_cells)
    return 0


cdef void _add_draws(
    bitgen_t* source,
    int64_t n_draws,
    const cell_t* cells_of_row,
    uint64_t n_rows,
    Py_ssize_t n_columns,
    const double* weights,
    total_t* totals,
) noexcept nogil:
    """Half of a random 64-bit number, x, becomes the row ⌊n·x/2³²⌋. Of the values of x, 2³² mod n are rejected, those
    with the smallest remainders, so that every row has the same number of them (Lemire, 2019).
    """
    cdef:
        uint64_t bits, scaled
        uint32_t smallest_remainder = <uint32_t>((<uint64_t>1 << 32) % n_rows)
        Py_ssize_t k
        const cell_t* cells
        total_t weight = 1
        int64_t n_drawn = 0
        int half
    while n_drawn < n_draws:
        bits = source.next_uint64(source.state)
        for half in range(2):
            scaled = n_rows * <uint32_t>bits
            bits >>= 32
            if <uint32_t>scaled < smallest_remainder or n_drawn == n_draws:
                continue
            n_drawn += 1
            cells = cells_of_row + (scaled >> 32) * n_columns
            if total_t is double:
                weight = weights[scaled >> 32]
            for k in range(n_columns):
                totals[cells[k]] += weight


def mark_draws(bit_generator, n_draws, n_rows, drawn):
    """Mark the rows that `RandomState.randint(n_rows, size=n_draws)` draws from the same state.

    A draw is the lowest b bits of a 32-bit number, with 2^b the smallest power of two that is at least n_rows. Numbers
    that name no row are marked behind the rows and do not count: a branch that nobody can predict would take longer.

    Parameters
    ----------
    bit_generator : numpy.random.MT19937
    n_draws, n_rows : int
    drawn : uint8 array of shape (2^b,)
        Gets a one at every number drawn.
    """
    cdef:
        bitgen_t* source = <bitgen_t*>PyCapsule_GetPointer(bit_generator.capsule, "BitGenerator")
        uint8_t* mark = <uint8_t*>_numbers(drawn, np.uint8, 1, True)
        int64_t n_counted = 0, n_wanted = n_draws
        uint32_t number, n_named, lowest_bits
    if not 0 < n_rows <= 0x80000000 or len(drawn) != 1 << (n_rows - 1).bit_length():
        raise ValueError(f"{len(drawn)} marks do not fit draws of {n_rows} rows")
    n_named = n_rows
    lowest_bits = len(drawn) - 1
    with bit_generator.lock, nogil:
        while n_counted < n_wanted:
            number = source.next_uint32(source.state) & lowest_bits
            mark[number] = 1
            n_counted += number < n_named
