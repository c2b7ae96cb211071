"""What each column of a table adds to the score of a row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from drr._checks.tables import check_table
from drr.features.feature_map import RakingFeatureMap

FOURIER = "fourier"


def column_contributions(
    feature_map: RakingFeatureMap, features: Any, theta: NDArray[np.float64]
) -> tuple[list[str], NDArray[np.float64]]:
    """Return names and parts of θᵀφ(x), one per column of the table and one for all random features together.

    A numeric column has its linear term and that of its indicator of missing values, a categorical one the term of its
    level. Random features mix all numeric columns, so their sum is a part of its own.
    """
    embedding, blocks = feature_map.embedding_, feature_map.blocks_
    owners = np.full(len(theta), feature_map.n_features_in_)
    numeric = np.array(embedding.numeric, dtype=np.intp)
    owners[blocks["linear"]] = [*numeric, *numeric[embedding.indicated]]
    widths = np.diff(embedding.level_offsets)
    owners[blocks["one_hot"]] = np.repeat(np.array(embedding.categorical, dtype=np.intp), widths)
    inputs = list(getattr(feature_map, "feature_names_in_", [])) or [
        f"x{j}" for j in range(feature_map.n_features_in_)
    ]
    belongs = owners[:, None] == np.arange(len(inputs) + 1)
    parts = np.asarray(features @ (belongs * theta[:, None]))
    if len(embedding.phases):
        return [*inputs, FOURIER], parts
    return inputs, parts[:, :-1]


class ColumnExplanation:
    """The explanation of a dual's scores by the columns of the table, for `RakingDual`."""

    def explain(self: Any, X: Any) -> Any:
        """Return what each column adds to the score of each row, as a pandas frame.

        Parameters
        ----------
        X : array, CSR matrix, pandas or polars frame of shape (n_rows, n_columns)

        Returns
        -------
        pandas.DataFrame
            A column per column of X, and ``fourier`` for all random features together, which mix the numeric columns.
            The sum of a row is its `score_samples`. With ``n_random_features=0`` every part belongs to a column.

        Examples
        --------
        >>> import numpy as np
        >>> from drr import RakingDual, RakingFeatureMap
        >>> rng = np.random.default_rng(0)
        >>> y = np.arange(400) < 20
        >>> X = rng.normal(size=(400, 3)) + y[:, None]
        >>> dual = RakingDual(RakingFeatureMap(8, random_state=0)).fit(X, y)
        >>> parts = dual.explain(X[:5])
        >>> list(parts.columns), bool(np.allclose(parts.sum(axis=1), dual.score_samples(X[:5])))
        (['x0', 'x1', 'x2', 'fourier'], True)
        """
        check_is_fitted(self)
        if not isinstance(self.feature_map_, RakingFeatureMap):
            raise TypeError(
                f"the dual has a {type(self.feature_map_).__name__}, whose features belong to no column; explain needs "
                "a RakingFeatureMap"
            )
        import pandas

        X = check_table(self, X, reset=False)
        names, parts = column_contributions(self.feature_map_, self.embed(X), self.direction_)
        return pandas.DataFrame(parts, columns=names)
