"""
Raking and relabelling against rescoring, from one dual
=======================================================

The same dual can be used in two ways. *Relabelling* draws majority rows by the raked weights, calls them rare
and trains a new classifier. *Rescoring* adds the dual to the score of the classifier that was there. Here both
use the same rows, the same dual and the same kind of forest, once for every digit as the rare class.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import average_precision_score
from sklearn.model_selection import train_test_split

import drr

# %%
# One digit in forty rows is the rare one. Half of the rows are for testing; of the others, a part fits the
# models and the rest standardises and calibrates, for both ways alike.

X, digit = load_digits(return_X_y=True)
N_DRAWS = 3


def forest():
    """The base of both ways."""
    return RandomForestClassifier(25, random_state=0)


def compare(rare_digit):
    """Scores of the test rows by both ways, and the dual behind them."""
    rng = np.random.default_rng(rare_digit)
    others = np.flatnonzero(digit != rare_digit)
    few = rng.choice(np.flatnonzero(digit == rare_digit), len(others) // 40, replace=False)
    rows = np.concatenate([others, few])
    y = (digit == rare_digit).astype(int)
    train, test = train_test_split(rows, test_size=0.5, stratify=y[rows], random_state=0)
    fit, held_out = train_test_split(np.arange(len(train)), test_size=0.3, stratify=y[train], random_state=0)

    dual = drr.RakingDual(random_state=0).fit(X[train][fit], y[train][fit])
    model = drr.DRRClassifier(forest(), dual=dual, holdout=(fit, held_out), random_state=0)
    model.fit(X[train], y[train])
    relabelled = []
    for seed in range(N_DRAWS):
        sampler = drr.RakingResampler(dual, random_state=seed)
        relabelled.append(
            forest().fit(*sampler.fit_resample(X[train][fit], y[train][fit])).predict_proba(X[test])[:, 1]
        )
    return y[test], model, X[test], relabelled, sampler


# %%
# Relabelling is a draw, so it is shown with its range over several of them.

results = {k: compare(k) for k in range(10)}
rescored, drawn = {}, {}
for k, (y_test, model, X_test, relabelled, _) in results.items():
    rescored[k] = average_precision_score(y_test, model.fused_score(X_test))
    drawn[k] = [average_precision_score(y_test, probability) for probability in relabelled]
means = {k: np.mean(values) for k, values in drawn.items()}
wins = sum(rescored[k] > means[k] for k in results)
for name, values in (("rescored", rescored), ("relabelled", means)):
    print(f"{name:<11} mean average precision {np.mean(list(values.values())):.3f}")
print(f"rescored is ahead on {wins} of 10 digits")

# %%
# Left, the ranking; every number is the digit that was made rare. Right, the probabilities of all ten problems
# together: a classifier that was trained with relabelled rows believes that the rare class is common, and says
# so. The rescored one was trained at the original prior and calibrated there.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
left.plot([0, 1], [0, 1], ":", color="0.5")
for k in results:
    left.hlines(rescored[k], min(drawn[k]), max(drawn[k]), color="tab:red", alpha=0.4, linewidth=2)
    left.plot(means[k], rescored[k], "o", color="tab:blue", markersize=15)
    left.text(means[k], rescored[k], str(k), color="white", ha="center", va="center", weight="bold")
left.set(xlabel="average precision, relabelled", ylabel="average precision, rescored", aspect="equal")
lowest = min(min(rescored.values()), min(map(min, drawn.values()))) - 0.05
left.set(xlim=(lowest, 1.02), ylim=(lowest, 1.02))

labels = np.concatenate([y_test for y_test, *_ in results.values()])
pooled = {
    "rescored": np.concatenate([m.predict_proba(X_test)[:, 1] for _, m, X_test, *_ in results.values()]),
    "relabelled": np.concatenate([relabelled[0] for *_, relabelled, _ in results.values()]),
}
right.plot([0, 1], [0, 1], ":", color="0.5")
for (name, probability), colour in zip(pooled.items(), ("tab:blue", "tab:red"), strict=True):
    bins = [
        part for part in np.split(np.argsort(probability), [-600, -300, -200, -120, -80, -40]) if len(part)
    ]
    brier = np.mean((probability - labels) ** 2)
    right.plot(
        [probability[part].mean() for part in bins],
        [labels[part].mean() for part in bins],
        "o-",
        color=colour,
        label=f"{name}, Brier {brier:.4f}",
    )
right.set(
    xlabel="mean predicted probability", ylabel="share of rare rows", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02)
)
right.legend(loc="upper left")
plt.show()

# %%
# Why a draw costs something: the weights rest on few rows, and those are drawn again and again.

sampler = results[8][-1]
print(f"{sampler.n_relabelled_} rows relabelled, {sampler.n_distinct_donors_} different ones among them,")
print(f"{sampler.dual_.ess_:.0f} effective rows: {sampler.draws_per_effective_row_:.1f} draws for each")
