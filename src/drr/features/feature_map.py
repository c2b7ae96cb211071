"""RakingFeatureMap: the moments that raking matches, as a scikit-learn transformer."""

from __future__ import annotations

import numbers
import warnings
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from drr._checks.arrays import check_vector
from drr._checks.rows import reads_in_passes
from drr._checks.scores import check_generator, is_number
from drr._checks.tables import check_fitted
from drr.features.columns import Columns, TableColumns, read_columns
from drr.features.embedding import Embedding, block_factors, draw_waves
from drr.features.levels import describe_doubt, find_categorical, learn_levels

# A sparse entry is read one at a time, a dense one in vectors: CSR is chosen only if it halves the memory.
_WORTHWHILE_SAVING = 0.5


class RakingFeatureMap(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    r"""Embed rows as the moments that raking matches: linear, one-hot and random Fourier blocks of equal weight.

    With :math:`z` the numeric columns standardised on the fitted rows (standard deviations with ddof 0; a constant
    column is only centred), the blocks are

    - linear: :math:`z` divided by its largest Euclidean norm on the fitted rows (at least 1e-12);
    - one-hot: an indicator per level of each of the :math:`c` categorical variables, divided by :math:`\sqrt c`. A
      level not seen at fit sets no indicator (a warning names columns that hold nothing else because their type or
      spelling differs from that at fit); a missing value is a separate level;
    - random Fourier: :math:`\sqrt{2/D}\,\cos(z^\top W + b)`, whose inner products approximate the kernel
      :math:`\exp(-\gamma\lVert z - z'\rVert^2)`. With an integer seed, W is :math:`\sqrt{2\gamma}` times the first
      normal draws of :func:`numpy.random.default_rng`, one row per numeric column, and b its uniform draws after
      them. There is no such block without numeric columns or with ``n_random_features=0``.

    Each of the :math:`B` active blocks is multiplied by :math:`1/\sqrt B`.

    Parameters
    ----------
    n_random_features : int, default=128
        D, the number of random Fourier features.
    categorical_features : "from_dtype", None, or array of names, positions or booleans, default="from_dtype"
        The categorical columns. "from_dtype" takes those of dtype category, object, string or bool in a pandas frame
        (but not decimals, nor objects that are all numbers), and Enum, Categorical, String or Boolean in a polars
        frame; arrays, lists and sparse matrices have no dtype per column, so all theirs count as numeric. None means
        that all columns are numeric.
    gamma : "median" or float, default="median"
        The kernel's :math:`\gamma`. "median" is one over twice the median squared distance between standardised
        rows, from at most 1000 of them; a median of zero counts as one.
    min_frequency : int or float, optional
        Levels seen less often than this (a count, or a fraction of the rows) share one column, as in
        :class:`sklearn.preprocessing.OneHotEncoder`.
    max_categories : int, optional
        The largest number of columns for the levels of one variable; the least frequent share the last one. Missing
        values are never pooled: if there are any, they have one more column, however few they are.
    random_state : int, Generator, RandomState instance or None, default=None
        Seed of W and b. A Generator is drawn from as it is; a RandomState seeds one. The rows for the median distance
        are always drawn with the same separate seed.
    dtype : {numpy.float64, numpy.float32}, default=numpy.float64
        Precision of the output. The arithmetic is in double precision either way.
    missing : {"impute", "error"}, default="impute"
        What to do with NaN in numeric columns. "impute" puts the mean of the column, and for every column that has
        missing values at fit adds their indicator as one more numeric column, standardised with the others: the same as
        a preceding ``SimpleImputer(add_indicator=True)``. "error" raises ValueError with the position of the first one.
    sparse_output : {"auto", True, False}, default="auto"
        Whether `transform` returns a CSR array. "auto" does if that takes at most half the memory, which needs many
        levels and few numeric columns; the choice is made at fit. Data frames cannot hold it: use False with
        ``set_output``.

    Attributes
    ----------
    gamma_ : float
        The kernel's :math:`\gamma`; NaN without a Fourier block.
    random_weights_, random_offset_ : arrays of shape (n_linear, D) and (D,)
        W and b.
    mean_, scale_ : arrays of shape (n_linear,)
        The standardisation, of indicators of missing values as well (they come last).
    norm_ : float
        The divisor of the linear block.
    categories_ : list of arrays
        The levels of each categorical variable; None means missing.
    is_categorical_ : array of bool, one per column
    levels_ : list of Levels
        Their codes and columns.
    embedding_ : Embedding
        The fitted numbers, as the compiled kernel reads them.
    blocks_ : dict of str to slice
        The output columns of the blocks "linear", "one_hot" and "fourier".
    sparse_output_ : bool
        Whether `transform` returns a CSR array.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if X has column names.

    Notes
    -----
    Rows go through in tiles on all threads, from the raw columns into the output: beyond it, memory does not grow with
    the number of rows. A row's features do not depend on the rows around it nor on the number of threads, to the last
    bit. Sparse input is read in place and centred like any other, so its linear block is dense; `RakingDual` keeps it
    sparse if there is no other block.

    Examples
    --------
    >>> import numpy as np
    >>> from drr import RakingFeatureMap
    >>> X = np.array([[1.0, 0], [3.0, 1], [5.0, 0]])
    >>> feature_map = RakingFeatureMap(n_random_features=0, categorical_features=[1]).fit(X)
    >>> feature_map.get_feature_names_out().tolist()
    ['x0', 'x1=0.0', 'x1=1.0']
    >>> (feature_map.transform(X) * np.sqrt(2)).round(6).tolist()
    [[-1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
    """

    def __init__(
        self,
        n_random_features: int = 128,
        *,
        categorical_features: Any = "from_dtype",
        gamma: str | float = "median",
        min_frequency: int | float | None = None,
        max_categories: int | None = None,
        random_state: Any = None,
        dtype: DTypeLike = np.float64,
        missing: str = "impute",
        sparse_output: bool | str = "auto",
    ) -> None:
        self.n_random_features = n_random_features
        self.categorical_features = categorical_features
        self.gamma = gamma
        self.min_frequency = min_frequency
        self.max_categories = max_categories
        self.random_state = random_state
        self.dtype = dtype
        self.missing = missing
        self.sparse_output = sparse_output

    def fit(self, X: Any, y: object = None) -> RakingFeatureMap:
        """Learn levels, standardisation and kernel width from X, and draw the random features.

        Parameters
        ----------
        X : array, CSR matrix, pandas or polars frame of shape (n_rows, n_columns)
        y : ignored

        Returns
        -------
        RakingFeatureMap
            The map itself.
        """
        self._check_parameters()
        self.__dict__.pop("sparse_output_", None)  # interrupted from here on, the map is not fitted
        rows = self._open_columns(X)
        names = list(getattr(self, "feature_names_in_", []))
        self.is_categorical_ = find_categorical(rows, self.categorical_features, names)
        categorical = tuple(np.flatnonzero(self.is_categorical_).tolist())
        numeric = tuple(np.flatnonzero(~self.is_categorical_).tolist())

        # 1. Levels of the categorical variables.
        self.levels_ = [
            learn_levels(
                *rows.factorize(j), min_frequency=self.min_frequency, max_categories=self.max_categories
            )
            for j in categorical
        ]
        self._warn_of_doubtful_levels(rows, categorical)
        self.categories_ = [levels.categories for levels in self.levels_]
        level_offsets = np.cumsum([0, *(levels.n_columns for levels in self.levels_)], dtype=np.int32)

        # 2. Standardisation of the numeric columns, with the norms and distances that follow from it.
        n_waves = int(self.n_random_features) if numeric else 0
        linear = rows.scaling(
            numeric,
            impute=self.missing == "impute",
            distances=n_waves > 0 and isinstance(self.gamma, str),
        )
        self.mean_, self.scale_, self.norm_ = linear.mean, linear.scale, linear.norm

        # 3. Random features.
        gamma = 1.0 / (2.0 * linear.median_distance) if isinstance(self.gamma, str) else float(self.gamma)
        self.random_weights_, self.random_offset_ = draw_waves(
            len(linear.mean), n_waves, gamma, check_generator(self.random_state)
        )
        self.gamma_ = gamma if n_waves else np.nan

        self.embedding_ = Embedding(
            numeric,
            categorical,
            linear.mean,
            linear.scale,
            linear.indicated,
            level_offsets,
            self.random_weights_,
            self.random_offset_,
            *block_factors(linear.norm, len(linear.mean), len(categorical), n_waves),
        )
        self.blocks_ = _slices(self.embedding_.block_sizes)
        self.sparse_output_ = self._choose_sparse()
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return "sparse_output_" in self.__dict__  # the last of a fit

    def transform(self, X: Any) -> Any:
        """Embed rows.

        Parameters
        ----------
        X : array, CSR matrix, pandas or polars frame of shape (n_rows, n_columns)
            The columns that `fit` saw, in their order.

        Returns
        -------
        array or CSR array of shape (n_rows, n_features)
        """
        if reads_in_passes(X):
            check_is_fitted(self)
            from drr.streaming.views import EmbeddedSource

            return EmbeddedSource(X, self)
        rows, codes = self._read(X)
        build = self.embedding_.csr if self.sparse_output_ else self.embedding_.dense
        return build(rows, codes, np.dtype(self.dtype), self.missing == "impute")

    def project(self, X: Any, theta: ArrayLike) -> NDArray[np.float64]:
        """Return the product of `transform(X)` with `theta`, without forming the features.

        Parameters
        ----------
        X : array, CSR matrix, pandas or polars frame of shape (n_rows, n_columns)
        theta : array of shape (n_features,)

        Returns
        -------
        array of shape (n_rows,)

        Examples
        --------
        >>> import numpy as np
        >>> from drr import RakingFeatureMap
        >>> feature_map = RakingFeatureMap(n_random_features=0).fit([[0.0], [1.0], [2.0]])
        >>> feature_map.project([[0.0], [2.0]], [10.0]).round(6).tolist()
        [-10.0, 10.0]
        """
        if reads_in_passes(X):
            check_is_fitted(self)
            from drr.streaming.dataset import open_dataset

            return open_dataset(X).map(partial(self.project, theta=theta))  # type: ignore[no-any-return]
        rows, codes = self._read(X)
        theta = check_vector(theta, self.embedding_.n_features, "theta", "feature")
        return self.embedding_.scores(rows, codes, theta, self.missing == "impute")

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """Return the names of the features: ``age``, ``age=<missing>``, ``colour=red``, ``fourier0`` and so on.

        Parameters
        ----------
        input_features : array of str, optional
            Names of the columns of X, if `fit` saw none; by default ``x0``, ``x1``, …

        Returns
        -------
        array of str
        """
        check_is_fitted(self)
        inputs = self._input_names(input_features)
        numeric = [inputs[j] for j in self.embedding_.numeric]
        names = [
            *numeric,
            *(f"{numeric[k]}=<missing>" for k in self.embedding_.indicated),
            *(
                f"{inputs[j]}={level}"
                for j, levels in zip(self.embedding_.categorical, self.levels_, strict=True)
                for level in levels.names
            ),
            *(f"fourier{k}" for k in range(len(self.embedding_.phases))),
        ]
        return np.array(names, dtype=object)

    def _warn_of_doubtful_levels(self, rows: Columns, categorical: tuple[int, ...]) -> None:
        """Name columns that are categories by their dtype alone and hardly meant to be."""
        by_dtype = isinstance(self.categorical_features, str) and self.categorical_features == "from_dtype"
        if not by_dtype or self.min_frequency or self.max_categories:
            return
        doubts = [
            describe_doubt(levels, rows.labels[j], rows.n_rows)
            for j, levels in zip(categorical, self.levels_, strict=True)
        ]
        for doubt in filter(None, doubts):
            warnings.warn(
                f"{doubt}; categorical_features says which columns are categories.", UserWarning, stacklevel=4
            )

    def _open_columns(self, X: Any) -> Columns:
        if isinstance(X, Columns):  # a fit on a source has looked at them already
            return X
        if reads_in_passes(X):
            from drr.streaming.columns import PassColumns
            from drr.streaming.dataset import open_dataset

            return PassColumns(self, open_dataset(X))
        return read_columns(self, X, reset=True)

    def _read(self, X: Any) -> tuple[TableColumns, NDArray[np.int32] | None]:
        check_fitted(self)
        rows = read_columns(self, X, reset=False)
        if not self.levels_:
            return rows, None
        codes = np.empty((rows.n_rows, len(self.levels_)), dtype=np.int32)
        drifts = []
        for k, j in enumerate(self.embedding_.categorical):
            column, levels = rows.factorize(j)
            codes[:, k] = self.levels_[k].encode(column, levels)
            drift = self.levels_[k].drift(levels)
            if drift is not None:
                drifts.append(f"{rows.labels[j]} holds {drift}")
        if drifts:
            warnings.warn(
                f"No value of a categorical column was seen at fit: {'; '.join(drifts)}. These rows are embedded as if "
                "they had no level there; give the column the type and the spelling that it had at fit.",
                UserWarning,
                stacklevel=3,
            )
        return rows, codes

    def _choose_sparse(self) -> bool:
        if isinstance(self.sparse_output, bool):
            return self.sparse_output
        width = np.dtype(self.dtype).itemsize
        sparse_bytes = self.embedding_.entries_per_row * (width + np.dtype(np.int32).itemsize)
        return bool(sparse_bytes <= _WORTHWHILE_SAVING * self.embedding_.n_features * width)

    def _input_names(self, input_features: ArrayLike | None) -> list[str]:
        fitted = getattr(self, "feature_names_in_", None)
        if input_features is None:
            return [f"x{j}" for j in range(self.n_features_in_)] if fitted is None else list(fitted)
        names = np.asarray(input_features, dtype=object)
        if fitted is not None and not np.array_equal(fitted, names):
            raise ValueError("input_features is not equal to feature_names_in_")
        if len(names) != self.n_features_in_:
            raise ValueError(
                "input_features should have length equal to number of features "
                f"({self.n_features_in_}), got {len(names)}"
            )
        return list(names)

    def _check_parameters(self) -> None:
        n_random: Any = self.n_random_features
        gamma: Any = self.gamma
        if not _is_whole(n_random, 0):
            raise ValueError(f"n_random_features must be a whole number of at least 0, got {n_random!r}")
        if not (gamma == "median" if isinstance(gamma, str) else is_number(gamma) and 0 < gamma < np.inf):
            raise ValueError(f"gamma must be 'median' or a positive number, got {gamma!r}")
        if not _is_frequency(self.min_frequency):
            raise ValueError(
                "min_frequency must be a whole number of rows of at least 1, a fraction of them in (0, 1), or None to "
                f"pool no levels; got {self.min_frequency!r}"
            )
        if self.max_categories is not None and not _is_whole(self.max_categories, 1):
            raise ValueError(
                "max_categories must be a whole number of at least 1, or None for no limit; got "
                f"{self.max_categories!r}"
            )
        if self.missing not in ("impute", "error"):
            raise ValueError(f"missing must be 'impute' or 'error', got {self.missing!r}")
        if not isinstance(self.sparse_output, bool) and self.sparse_output != "auto":
            raise ValueError(f"sparse_output must be 'auto', True or False, got {self.sparse_output!r}")
        if self.dtype not in (np.float64, np.float32, "float64", "float32"):
            raise ValueError(f"dtype must be numpy.float64 or numpy.float32, got {self.dtype!r}")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing == "impute"
        tags.transformer_tags.preserves_dtype = [np.dtype(self.dtype).name]
        return tags


def _is_whole(value: Any, least: int) -> bool:
    return not isinstance(value, bool) and isinstance(value, numbers.Integral) and int(value) >= least


def _is_frequency(value: Any) -> bool:
    return value is None or _is_whole(value, 1) or (is_number(value) and 0 < value < 1)


def _slices(sizes: dict[str, int]) -> dict[str, slice]:
    ends = np.cumsum(list(sizes.values())).tolist()
    return {name: slice(end - size, end) for (name, size), end in zip(sizes.items(), ends, strict=True)}
