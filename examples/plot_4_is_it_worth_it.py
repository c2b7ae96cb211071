"""
Is the dual worth adding?
=========================

Sometimes it is not. Here are two problems, one in which the dual sees what the base does not, and one in which
the base has it all already, with the two instruments that tell them apart before you deploy.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

import drr

# %%
# In the first problem, forests see a smooth signal in many columns only in steps. In the second, the classes
# are Gaussian with a common covariance: logistic regression is the right model, and a dual can only echo it.

rng = np.random.default_rng(0)
y_linear = np.arange(6000) < 240
problems = {
    "a forest on smooth classes": (
        RandomForestClassifier(100, random_state=0),
        make_classification(6000, 15, n_informative=10, weights=[0.96], class_sep=0.7, random_state=5),
    ),
    "logistic regression on Gaussian classes": (
        LogisticRegression(),
        (rng.standard_normal((6000, 8)) + 0.5 * y_linear[:, None], y_linear.astype(int)),
    ),
}

# %%
# ``separation_`` reads two moments of the held-out scores: how far each score separates the classes
# (:math:`d_1`, :math:`d_2`) and how much the two have in common (:math:`\rho`). ``gain_interval`` measures the
# ranking itself, here on rows that took no part in anything, at every weight of the dual. The band is the
# interval of the gain.

figure, panels = plt.subplots(1, 2, figsize=(10.5, 4.4), layout="constrained")
for axes, (name, (base, (X, y))) in zip(panels, problems.items(), strict=True):
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
    model = drr.DRRClassifier(base, random_state=0).fit(X_train, y_train)
    two_moments = model.separation_
    gain = drr.gain_interval(y_test, model.base_score(X_test), model.fused_score(X_test), random_state=0)
    print(
        f"{name}: d1 {two_moments.d1:.2f}, d2 {two_moments.d2:.2f}, rho {two_moments.rho:.2f}; "
        f"gain {gain.gain:+.3f} ({gain.low:+.3f} to {gain.high:+.3f})"
    )
    drr.FusionCurveDisplay.from_estimator(model, X_test, y_test, ax=axes)
    axes.set_title(name)
plt.show()

# %%
# Where the two scores are highly correlated, the weight hardly matters: the dual neither helps nor harms. In
# that case leave it out, and keep the simpler model.
