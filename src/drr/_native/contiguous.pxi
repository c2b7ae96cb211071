# The numbers of an array, as the modules of this folder read and write them.

cdef void* _numbers(array, dtype, int n_dimensions, bint written=False) except NULL:
    """Return the address of the first number of a C-contiguous array; raise ValueError for any other.

    Typed memoryviews would check the same, but take most of the time to compile this file.
    """
    if not (
        isinstance(array, np.ndarray)
        and array.dtype == dtype
        and array.ndim == n_dimensions
        and array.flags.c_contiguous
        and (array.flags.writeable or not written)
    ):
        kind = "writable C-contiguous" if written else "C-contiguous"
        raise ValueError(f"expected a {kind} {np.dtype(dtype)} array of {n_dimensions} dimensions")
    return <void*><size_t>array.__array_interface__["data"][0]
