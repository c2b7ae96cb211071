"""
Choosing the cut under an alert budget
======================================

Every alert costs somebody's time. Here are four ways to say how many there may be, what each of them finds, and
what stays undetected.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from drr import CostMatrix, DRRClassifier, PrecisionAtLeast, RecallAtLeast, TopK
from drr.decision import choose_cut

X, y = make_classification(
    16_000, 14, n_informative=10, weights=[0.98], flip_y=0.002, class_sep=0.8, random_state=5
)
X_train, X_rest, y_train, y_rest = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
X_valid, X_test, y_valid, y_test = train_test_split(
    X_rest, y_rest, test_size=0.5, stratify=y_rest, random_state=0
)

forest = RandomForestClassifier(60, min_samples_leaf=2, random_state=0)
model = DRRClassifier(forest, random_state=0).fit(X_train, y_train)

# %%
# A cut can be chosen at ``fit`` (``threshold=TopK(0.01)``), or later on any labelled rows. Nothing is fitted
# again.

rules = {
    "look at 1 %": TopK(0.01),
    "half of the alerts are real": PrecisionAtLeast(0.5),
    "find 80 %": RecallAtLeast(0.8),
    "a miss costs 30 alerts": CostMatrix(false_positive=1, false_negative=30),
}
valid_score, score = model.fused_score(X_valid), model.fused_score(X_test)
cuts = {name: choose_cut(valid_score, y_valid, rule) for name, rule in rules.items()}

print(f"{'rule':<30}{'alerts':>8}{'found':>8}{'missed':>8}{'precision':>11}")
for name, cut in cuts.items():
    alerts = score > cut
    hits = int(y_test[alerts].sum())
    print(f"{name:<30}{alerts.sum():>8}{hits:>8}{y_test.sum() - hits:>8}{hits / alerts.sum():>11.2f}")

# %%
# The curves are those of the test rows; the marks are where the cuts, chosen on the validation rows, come to
# lie. The grey curves are the forest without the dual. A rule holds on the rows that it was chosen on, and only
# nearly so on others: the fewer rare rows, the more it moves.


def curves(score):
    """Alerts, recall and precision at every cut."""
    hits = np.cumsum(y_test[np.argsort(-score, kind="stable")])
    alerts = np.arange(1, len(hits) + 1)
    return alerts, hits / y_test.sum(), hits / alerts


figure, (top, bottom) = plt.subplots(2, 1, figsize=(8, 6), sharex=True, layout="constrained")
for values, label, colour in ((model.base_score(X_test), "forest", "0.65"), (score, "fused", "tab:blue")):
    alerts, recall, precision = curves(values)
    top.plot(alerts, recall, color=colour, linewidth=2, label=label)
    bottom.plot(alerts, precision, color=colour, linewidth=2)
alerts, recall, precision = curves(score)
for (name, cut), marker in zip(cuts.items(), "osD^", strict=True):
    k = max(int((score > cut).sum()), 1)
    for axes, values in ((top, recall), (bottom, precision)):
        axes.axvline(k, color="0.85", zorder=0)
        axes.plot(
            k, values[k - 1], marker, color="tab:red", markersize=8, markeredgecolor="white", label=name
        )
top.set(ylabel="recall", ylim=(0, 1.03), xscale="log", xlim=(5, len(y_test)))
bottom.set(ylabel="precision", ylim=(0, 1.03), xlabel=f"alerts among {len(y_test)} rows")
top.legend(loc="upper left", fontsize="small")
plt.show()
