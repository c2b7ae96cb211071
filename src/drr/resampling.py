"""RakingResampler: raking and relabelling (R&R), the resampler built from the same dual as the rescored classifier."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin
from sklearn.utils import check_random_state, get_tags

from drr._checks.arrays import check_features
from drr._checks.labels import Labels, read_labels
from drr._checks.rows import reads_in_passes
from drr._checks.scores import is_number
from drr._checks.seeds import draw_seed, seed_nested
from drr._checks.tables import check_table, take_rows
from drr._native.threads import resolve_n_threads
from drr.composition.base_score import is_fitted
from drr.composition.sampler_tags import as_sampler_tags
from drr.raking.estimator import RakingDual
from drr.raking.functions import rake
from drr.raking.problem import mean_of_rows

# Part of the size of the means. The same rows have the same mean to the last bits on one machine, and to a tenth of
# this on another, with features of single precision; one of a million rows exchanged for another moves it as far.
_SAME_MEAN = 1e-6

_MODES = ("replace", "add")
_DRAWS = ("auto", "half", "quarter")


class RakingResampler(OneToOneFeatureMixin, BaseEstimator):  # type: ignore[misc]
    r"""Draw majority rows by their raked weights and relabel them as the rare class.

    Donors are drawn from the majority with replacement, with probability proportional to the raked weights, and given
    the label of the rare class; together with rare rows drawn uniformly they are the block of rare rows. What becomes
    of the other rows is the `mode`:

    - "replace", as in the code of the authors of raking and relabelling: the result has the block and as many majority
      rows, drawn with replacement from those that were no donors. If there are categorical variables, weights rake
      their levels back to the shares that they have in the whole majority; otherwise all rows are drawn alike. None
      of the original rows stays as it is, and the rare class has a prior of one half.
    - "add": all rows stay, first and in their order, and the block comes after them. The prior rises, but not to one
      half: with a share π of rare rows and a block of ⌊n/4⌋ it is (π + ¼)/(1 + ¼).

    With either, the probabilities of a classifier trained on the result need a correction of the prior. With three
    classes or more the rarest is set against all others, unless the dual has a `pos_label`.

    Follows the contract of imbalanced-learn's samplers, and works in its pipeline.

    Parameters
    ----------
    dual : RakingDual, default=None
        None is ``RakingDual(random_state=random_state)``. A fitted one is used as it is, for the rows it was fitted on,
        in their order; other rows raise an error, and checking this embeds the majority once more.
    mode : {"replace", "add"}, default="replace"
        Whether the block takes the place of the rows or is added to them.
    n_draws : "auto", "half", "quarter", int or float, default="auto"
        How many rows the block has: half of the rows (rounded up), a quarter of them (rounded down), a number, or a
        share of the rows. "auto" is "half" if they are replaced, "quarter" if they stay.
    minority_share : float, default=0.5
        The share of the block that is bootstrapped from the rare class instead of relabelled.
    ess_cap : float, optional
        κ: at most κ times the effective number of majority rows are relabelled, and the bootstrapped rows are reduced
        in proportion. Without it one row may be drawn many times if the weights are concentrated.
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    dual_ : RakingDual
    sample_indices_ : array of int
        The row of X that each row of the result is.
    n_relabelled_ : int
        m, the number of relabelled draws.
    n_distinct_donors_ : int
        The number of different majority rows among them.
    draws_per_effective_row_ : float
        m/ESS; above one, donors repeat more than their weights can support.
    sampling_strategy_ : dict
        With "add", how many rows were added to the rare class; with "replace", how many the result has of each class.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if X has column names.

    Examples
    --------
    >>> import numpy as np
    >>> from drr import RakingResampler
    >>> rng = np.random.default_rng(0)
    >>> y = (np.arange(200) < 10).astype(int)
    >>> X = rng.normal(size=(200, 3)) + y[:, None]
    >>> X_resampled, y_resampled = RakingResampler(random_state=0).fit_resample(X, y)
    >>> X_resampled.shape, int(y_resampled.sum())
    ((200, 3), 100)
    >>> X_added, y_added = RakingResampler(mode="add", random_state=0).fit_resample(X, y)
    >>> X_added.shape, int(y_added.sum())
    ((250, 3), 60)
    """

    def __init__(
        self,
        dual: Any = None,
        *,
        mode: str = "replace",
        n_draws: str | float = "auto",
        minority_share: float = 0.5,
        ess_cap: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.dual = dual
        self.mode = mode
        self.n_draws = n_draws
        self.minority_share = minority_share
        self.ess_cap = ess_cap
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike) -> RakingResampler:
        """Check the input and fit the dual; nothing is drawn.

        Parameters
        ----------
        X : array, CSR matrix, pandas or polars frame of shape (n_rows, n_columns)
        y : array of shape (n_rows,)

        Returns
        -------
        RakingResampler
            The sampler itself.
        """
        self._check_parameters()
        if reads_in_passes(X):
            raise TypeError(
                f"{type(self).__name__} copies rows and needs them in memory; pass an array or a frame, for example of "
                "a sample of the rows"
            )
        X = check_table(self, X, reset=True)
        self._fit_dual(X, read_labels(X, _decoded(y), type(self).__name__))
        return self

    def fit_resample(self, X: Any, y: ArrayLike) -> tuple[Any, Any]:
        """Fit the dual, draw, and return the new training rows.

        Parameters
        ----------
        X : array, CSR matrix, pandas or polars frame of shape (n_rows, n_columns)
        y : array of shape (n_rows,)

        Returns
        -------
        X_resampled, y_resampled
            Of the types of X and y. The rows of pandas objects are numbered from 0.
        """
        self.fit(X, y)
        table = check_table(self, X, reset=False)
        labels = read_labels(table, _decoded(y), type(self).__name__)
        positive = labels.codes == labels.index_of(self.dual_.pos_label_)
        random = check_random_state(self.random_state)

        # 1. How many rows of each kind.
        n_relabelled, n_bootstrapped = self._counts(len(positive))

        # 2. The block: rare rows alike and donors by the raked weights, all with the label of the rare class,
        # copied from a rare row to keep the type of y.
        rare = np.flatnonzero(positive)
        bootstrapped = random.choice(rare, size=n_bootstrapped)
        donors = random.choice(self.dual_.majority_, size=n_relabelled, p=self.dual_.weights_)
        block, block_labels = (
            np.concatenate([bootstrapped, donors]),
            np.full(len(bootstrapped) + len(donors), rare[0]),
        )
        self.n_relabelled_ = n_relabelled
        self.n_distinct_donors_ = len(np.unique(donors))
        self.draws_per_effective_row_ = n_relabelled / self.dual_.ess_

        # 3. The other rows: all of them, or as many majority rows as the block has.
        if self.mode == "add":
            others = np.arange(len(positive))
            self.sampling_strategy_ = {self.dual_.pos_label_: len(block)}
        else:
            others = self._draw_rest(table, donors, len(block), random)
            numbers_of = np.bincount(labels.codes[others], minlength=len(labels.classes))
            numbers_of[labels.index_of(self.dual_.pos_label_)] = len(block)
            self.sampling_strategy_ = dict(zip(labels.classes.tolist(), numbers_of.tolist(), strict=True))
        self.sample_indices_ = np.concatenate([others, block])
        label_rows = np.concatenate([others, block_labels])
        return _take(X, table, self.sample_indices_), _take(y, _as_table(y), label_rows)

    def _draw_rest(
        self, table: Any, donors: NDArray[np.intp], size: int, random: np.random.RandomState
    ) -> NDArray[np.intp]:
        """Draw majority rows that were not donors, with the levels raked back to their shares in the majority."""
        rest = np.setdiff1d(self.dual_.majority_, donors)
        if not len(rest):
            raise ValueError(
                f"all {len(self.dual_.majority_)} majority rows were drawn as donors and none is left for the majority "
                "half; lower n_draws or pass mode='add'"
            )
        levels = getattr(self.dual_.feature_map_, "blocks_", {}).get("one_hot", slice(0, 0))
        if levels.start == levels.stop:
            return np.asarray(random.choice(rest, size=size))
        raking = rake(
            self.dual_.embed(take_rows(table, rest))[:, levels],
            self.dual_.moments_.base[levels],
            eta=self.dual_.eta,
            n_threads=self.dual_.n_threads,
        )
        return np.asarray(random.choice(rest, size=size, p=raking.dual.weights))

    def _fit_dual(self, X: Any, labels: Labels) -> None:
        if self.dual is None or not is_fitted(self.dual):
            dual = seed_nested(self.dual or RakingDual(), draw_seed(self.random_state))
            if dual.pos_label is None and len(labels.classes) > 2:
                dual.set_params(pos_label=labels.classes[np.argmin(np.bincount(labels.codes))])
            self.dual_ = dual.fit(X, labels.classes[labels.codes])
        else:
            self.dual_ = self.dual
            self._check_same_rows(X, labels)

    def _check_same_rows(self, X: Any, labels: Labels) -> None:
        """Raise ValueError if a fitted dual has its weights from other rows, or from these in another order."""
        fitted, weights = self.dual_.majority_, self.dual_.require_weights(type(self).__name__)
        given = np.flatnonzero(labels.codes != labels.index_of(self.dual_.pos_label_))
        if len(fitted) != len(given):
            raise _other_rows(f"dual was fitted on {len(fitted)} majority rows, but y has {len(given)}")
        if not np.array_equal(fitted, given):
            row = int(np.setxor1d(fitted, given)[0])
            was, now = ("in", "outside") if row in fitted else ("outside", "in")
            raise _other_rows(f"dual was fitted with row {row} {was} the majority, but y has it {now}")

        # Labels in the same order prove nothing about the rows. The raked mean of the features does: other rows have
        # another one under these weights. It needs no sample weights of that fit, as computing the tilt again would.
        moments = self.dual_.moments_
        table = check_table(self.dual_, X, reset=False)
        features = check_features(self.dual_.embed(take_rows(table, given)), "the transformed rows")
        raked = mean_of_rows(features, weights, resolve_n_threads(self.dual_.n_threads))
        distance = np.linalg.norm(raked - moments.raked)
        size = sum(np.linalg.norm(mean) for mean in (moments.target, moments.base, moments.raked))
        if distance > _SAME_MEAN * size:
            raise _other_rows(
                "dual was fitted on other rows, or in another order: with its weights the majority rows of X have a "
                f"mean {distance / size:.2g} away from the one that it reached"
            )

    def _counts(self, n_rows: int) -> tuple[int, int]:
        """Return the numbers of relabelled and of bootstrapped rows of the block."""
        draws: Any = self.n_draws
        if draws == "auto":
            draws = "half" if self.mode == "replace" else "quarter"
        if isinstance(draws, str):
            total = n_rows // 4 if draws == "quarter" else (n_rows + 1) // 2
        else:
            total = int(draws) if isinstance(draws, numbers.Integral) else int(draws * n_rows)
        n_bootstrapped = int(total * self.minority_share)
        n_relabelled = total - n_bootstrapped
        if self.ess_cap is not None:
            allowed = max(1, int(self.ess_cap * self.dual_.ess_))
            if n_relabelled > allowed:
                n_bootstrapped = n_bootstrapped * allowed // n_relabelled
                n_relabelled = allowed
        return n_relabelled, n_bootstrapped

    def _check_parameters(self) -> None:
        if self.mode not in _MODES:
            raise ValueError(f"mode must be 'replace' or 'add', got {self.mode!r}")
        draws: Any = self.n_draws
        if not (draws in _DRAWS if isinstance(draws, str) else is_number(draws) and 0 < draws < np.inf):
            raise ValueError(
                "n_draws must be 'auto', 'half', 'quarter', a number of rows or a share of them, "
                f"got {draws!r}"
            )
        share: Any = self.minority_share
        if not (is_number(share) and 0 <= share <= 1):
            raise ValueError(f"minority_share must be a number in [0, 1], got {share!r}")
        cap: Any = self.ess_cap
        if cap is not None and not (is_number(cap) and 0 < cap < np.inf):
            raise ValueError(f"ess_cap must be None or a positive number, got {cap!r}")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return as_sampler_tags(tags, get_tags(RakingDual() if self.dual is None else self.dual).input_tags)


def _other_rows(what: str) -> ValueError:
    return ValueError(
        f"{what}. A fitted dual resamples only the rows it was fitted on, in their order; pass those, or "
        "sklearn.base.clone(dual) to fit a new one"
    )


def _decoded(y: Any) -> Any:
    """Return labels for indicator columns, one per class; anything else unchanged."""
    if y is None or np.ndim(y) != 2 or np.shape(y)[1] < 2:
        return y
    indicators = np.asarray(y)
    if not (np.isin(indicators, (0, 1)).all() and (indicators.sum(axis=1) == 1).all()):
        raise ValueError(
            "Multilabel and multioutput targets are not supported: y must name one class per row"
        )
    return indicators.argmax(axis=1)


def _as_table(y: Any) -> Any:
    return y if hasattr(y, "shape") else np.asarray(y)


def _take(given: Any, table: Any, rows: NDArray[np.intp]) -> Any:
    """Return some rows of a table as the type given; pandas objects are renumbered, because labels would repeat."""
    taken = take_rows(table, rows)
    if isinstance(given, list):
        return taken.tolist()
    return taken.reset_index(drop=True) if hasattr(taken, "reset_index") else taken
