"""
Rescoring a deployed model from its scores
==========================================

The model in production belongs to somebody else: all you get is one score per row. That is enough.
:meth:`drr.DRRClassifier.from_scores` fits the dual on your own columns and adds it to the scores you were
given.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from drr import DRRClassifier

# %%
# Elsewhere, a model was trained on old rows, without the last six columns. We see its scores only.

X, y = make_classification(
    12_000, 14, n_informative=10, n_redundant=0, weights=[0.98], flip_y=0, class_sep=0.6, random_state=3
)
rows = np.arange(len(y))
elsewhere, here = train_test_split(rows, test_size=2 / 3, stratify=y, random_state=0)
labelled, new = train_test_split(here, test_size=0.5, stratify=y[here], random_state=0)
vendor = RandomForestClassifier(60, min_samples_leaf=3, random_state=0).fit(X[elsewhere, :8], y[elsewhere])
scores = vendor.predict_proba(X[:, :8])[:, 1]

# %%
# The dual sees all columns of the rows that we have labelled. Their scores must come from a model that was not
# trained on them, as any model in production does.

rescored = DRRClassifier.from_scores(scores[labelled], X[labelled], y[labelled], random_state=0)
print(rescored.gain_)

# %%
# New rows need their columns and their score. Sort them by the old and by the new score, and review them from
# the top: how many of the rare ones have been found?

fused = rescored.fused_score(X[new], base_score=scores[new])


def found(score):
    """Rare rows among the first k of the ranking, for every k."""
    return np.cumsum(y[new][np.argsort(-score, kind="stable")])


n_rare = y[new].sum()
reviewed = 100 * np.arange(1, len(new) + 1) / len(new)
budget = int(0.05 * len(new))
before, after = found(scores[new]), found(fused)

figure, axes = plt.subplots(figsize=(7.5, 4.6), layout="constrained")
axes.fill_between(reviewed, before, after, where=after >= before, color="tab:blue", alpha=0.15, linewidth=0)
axes.plot(reviewed, after, color="tab:blue", linewidth=2.2, label="rescored")
axes.plot(reviewed, before, color="0.45", linewidth=2.2, label="deployed score")
axes.plot(reviewed, np.minimum(np.arange(1, len(new) + 1), n_rare), ":", color="0.6", label="perfect ranking")
axes.plot(reviewed, n_rare * reviewed / 100, "--", color="0.8", label="no ranking")
x = reviewed[budget - 1]
axes.vlines(x, before[budget - 1], after[budget - 1], color="black", linewidth=1.5)
axes.annotate(
    f"5 % reviewed: {after[budget - 1]} instead of {before[budget - 1]}",
    (x, after[budget - 1]),
    xytext=(x + 4, after[budget - 1] - 0.28 * n_rare),
    arrowprops={"arrowstyle": "->"},
)
axes.set(
    xlabel="rows reviewed, %", ylabel=f"rare rows found (of {n_rare})", xlim=(0, 40), ylim=(0, n_rare * 1.03)
)
axes.legend(loc="lower right")
plt.show()

# %%
# The scores may be anything that grows with the risk: probabilities, log-odds, points. Only the ranking and the
# standardised distances count.
