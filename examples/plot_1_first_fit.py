"""
A first fit
===========

The handwritten digits that come with scikit-learn, with the eights made rare: one row in thirty. A random forest
is trained on them as they are, and :class:`~drr.DRRClassifier` adds the raking dual to its score. Nothing is
resampled or reweighted for the forest.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import average_precision_score, precision_recall_curve
from sklearn.model_selection import train_test_split

from drr import DRRClassifier, gain_interval

# %%
# All rows of the other digits, and few eights.

rng = np.random.default_rng(0)
X, digit = load_digits(return_X_y=True)
eights, others = np.flatnonzero(digit == 8), np.flatnonzero(digit != 8)
rows = np.concatenate([others, rng.choice(eights, len(others) // 30, replace=False)])
X, y = X[rows], digit[rows] == 8
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
print(f"{len(y_train)} training rows, {y_train.sum()} of them eights")

# %%
# The whole method is one estimator. It holds out 30 % of the training rows to standardise both scores, to
# calibrate their sum and to choose the cut.

model = DRRClassifier(RandomForestClassifier(random_state=0), random_state=0).fit(X_train, y_train)
print(model.dual_.diagnostics_)

# %%
# On the left the two scores of the test rows, in standard deviations of the held-out rows. The forest tells the
# eights apart only in part; the dual sees them from another side. The dotted lines join equal sums: fusing
# means to rank along their normal. On the right what that does to the precision at every recall.

base, dual, fused = model.base_score(X_test), model.dual_score(X_test), model.fused_score(X_test)
rescoring = model.rescorings_[0]
z_base = rescoring.base_standardisation.transform(base)
z_dual = rescoring.dual_standardisation.transform(dual)

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
left.scatter(z_base[~y_test], z_dual[~y_test], s=9, color="0.6", label="other digits")
left.scatter(z_base[y_test], z_dual[y_test], s=34, color="tab:red", edgecolor="white", label="eights")
left.set(xlabel="score of the forest, $z(f)$", ylabel="score of the dual, $z(g)$")
corners = np.array(left.get_xlim())
for level in np.arange(-2, 12, 2):
    left.plot(
        corners, (level - corners) / model.fusion_weight_, ":", color="tab:blue", linewidth=0.8, zorder=0
    )
left.set(xlim=corners, ylim=(z_dual.min() - 0.5, z_dual.max() + 0.5))
left.plot(
    corners, (model.threshold_ - corners) / model.fusion_weight_, color="tab:blue", label="cut of the sum"
)
left.legend(loc="lower right")

for name, score, colour in (
    ("forest", base, "0.5"),
    ("dual", dual, "tab:green"),
    ("fused", fused, "tab:blue"),
):
    precision, recall, _ = precision_recall_curve(y_test, score)
    label = f"{name}, average precision {average_precision_score(y_test, score):.2f}"
    right.step(recall, precision, where="post", color=colour, linewidth=2, label=label)
right.set(xlabel="recall", ylabel="precision", xlim=(0, 1.01), ylim=(0, 1.02))
right.legend(loc="lower left")
plt.show()

# %%
# So few eights can support only so much. The paired bootstrap says how much of the gain is certain.

gain = gain_interval(y_test, base, fused, random_state=0)
print(
    f"gain in average precision {gain.gain:+.3f}, {gain.level:.0%} interval {gain.low:+.3f} to {gain.high:+.3f}"
)

# %%
# The dual alone ranks about as well here. With other digits and other draws it is now the one, now the other;
# their sum is the safer choice. :doc:`plot_4_is_it_worth_it` shows how to look at that.
