"""
A first fit
===========

The handwritten digits that come with scikit-learn, with one of them made rare: one row in thirty. A random forest
is trained on the rows as they are, and :class:`~drr.DRRClassifier` adds the score of a raking dual to it. Nothing
is resampled or reweighted for the forest.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import average_precision_score
from sklearn.model_selection import train_test_split

from drr import DRRClassifier, gain_interval

# %%
# All rows of the other digits, and few rows of the rare one.


def make_rare(digit):
    """Return training and test halves in which one row in thirty is this digit."""
    X, digits = load_digits(return_X_y=True)
    rare, others = np.flatnonzero(digits == digit), np.flatnonzero(digits != digit)
    chosen = np.random.default_rng(0).choice(rare, len(others) // 30, replace=False)
    rows = np.concatenate([others, chosen])
    return train_test_split(
        X[rows], digits[rows] == digit, test_size=0.5, stratify=digits[rows] == digit, random_state=0
    )


X_train, X_test, y_train, y_test = make_rare(9)
print(f"{len(y_train)} training rows, {y_train.sum()} of them nines")

# %%
# The whole method is one estimator. Every training row is scored by models that did not see it; these scores set
# the scale of both scores, the weight of the dual, the calibration and the cut. The final models see all rows.


def fit(X, y):
    """Fit a forest with the dual added."""
    forest = RandomForestClassifier(random_state=0)
    return DRRClassifier(forest, random_state=0).fit(X, y)


model = fit(X_train, y_train)
print(model.dual_.diagnostics_)

# %%
# On the left the two scores of the test rows. The forest separates the nines only in part, and the dual sees them
# from another side; the line is the cut of their sum. One digit proves little, so on the right every digit is made
# rare in turn: the average precision of the same forest fitted on all training rows, of the dual alone, and of the
# sum.

rescoring = model.rescorings_[0]
z_base = rescoring.base_standardisation.transform(model.base_score(X_test))
z_dual = rescoring.dual_standardisation.transform(model.dual_score(X_test))

figure, (left, right) = plt.subplots(
    1, 2, figsize=(10, 4.2), layout="constrained", width_ratios=[1, 1.15], facecolor="white"
)
left.scatter(z_base[~y_test], z_dual[~y_test], s=9, color="0.6", label="other digits")
left.scatter(z_base[y_test], z_dual[y_test], s=34, color="tab:red", edgecolor="white", label="nines")
left.set(xlabel="score of the forest", ylabel="score of the dual", title="Two views of a rare digit")
ends = np.array(left.get_xlim())
left.plot(ends, (model.threshold_ - ends) / model.fusion_weight_, color="tab:blue", label="cut of the sum")
left.set(xlim=ends, ylim=(z_dual.min() - 0.5, z_dual.max() + 0.5))
left.legend(loc="lower right")

found = []
for digit in range(10):
    X_fit, X_new, y_fit, y_new = make_rare(digit)
    forest = RandomForestClassifier(random_state=0).fit(X_fit, y_fit)
    both = fit(X_fit, y_fit)
    scores = forest.predict_proba(X_new)[:, 1], both.dual_score(X_new), both.fused_score(X_new)
    found.append([average_precision_score(y_new, score) for score in scores])
found = np.array(found)
order = np.argsort(found[:, 0])
for column, (name, colour, marker) in enumerate(
    [("forest, all rows", "0.45", "s"), ("dual", "tab:green", "^"), ("sum", "tab:blue", "o")]
):
    label = f"{name}: mean {found[:, column].mean():.3f}"
    right.plot(
        found[order, column], range(10), marker, color=colour, label=label, markersize=8 - (column < 2) * 2
    )
right.hlines(range(10), found[order].min(axis=1), found[order].max(axis=1), color="0.85", zorder=0)
right.set(
    yticks=range(10), yticklabels=order, ylabel="the rare digit", xlabel="average precision on test rows"
)
right.set_title("Every digit made rare in turn")
right.legend(loc="upper left")
plt.show()

# %%
# So few rare rows can support only so much. The paired bootstrap says how much of a gain is certain: here of the
# sum over the forest that was fitted on all training rows.

forest = RandomForestClassifier(random_state=0).fit(X_train, y_train)
gain = gain_interval(y_test, forest.predict_proba(X_test)[:, 1], model.fused_score(X_test), random_state=0)
print(
    f"gain in average precision {gain.gain:+.3f}, {gain.level:.0%} interval {gain.low:+.3f} to {gain.high:+.3f}"
)

# %%
# :doc:`plot_4_is_it_worth_it` shows how to judge a gain on your own data.
