r"""
A gene-expression run
=====================

Thousands of genes, a few hundred samples, and a tissue that is rare among them. Without data sets this example
generates a matrix that behaves like expression data: genes move together in programmes, one of which is raised
in the rare tissue. With the environment variable ``DRR_DATA`` set to the folder of the published sets it takes
the lung tumours of Bhattacharjee et al. (2001), with the rarest type as the rare class.
"""

import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import drr


def generate(rng, n_samples=300, n_genes=2000, n_programmes=25):
    """Samples with correlated genes, on a logarithmic scale."""
    rare = np.arange(n_samples) < n_samples // 15
    programmes = rng.standard_normal((n_samples, n_programmes))
    programmes[rare, 0] += 1.6
    loadings = rng.standard_normal((n_programmes, n_genes)) * (rng.random((n_programmes, n_genes)) < 0.2)
    expression = 6 + programmes @ loadings + rng.standard_normal((n_samples, n_genes))
    return expression.astype(np.float32), rare, np.array([f"gene {k}" for k in range(n_genes)])


def read(folder):
    """The lung tumours, the rarest type against the others."""
    with np.load(Path(folder) / "genes" / "deSouto_Bhattacharjee_2001.npz") as archive:
        y = archive["y"]
        return archive["X"], y == np.argmin(np.bincount(y)), archive["feature_names"]


X, y, names = read(os.environ["DRR_DATA"]) if "DRR_DATA" in os.environ else generate(np.random.default_rng(0))
print(f"{X.shape[0]} samples, {X.shape[1]} genes, {y.sum()} samples of the rare class")

# %%
# With so many columns there is no need for random features. The dual then has one number per gene. So few rare
# samples are better cross-fitted than held out.

X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.4, stratify=y, random_state=1)
base = make_pipeline(StandardScaler(), LogisticRegression(C=0.01))
model = drr.DRRClassifier(base, dual=drr.RakingDual(drr.RakingFeatureMap(0)), holdout=3, random_state=0)
model.fit(X_train, y_train)
print(model.dual_.diagnostics_)
for name, score in (("base", model.base_score), ("dual", model.dual_score), ("fused", model.fused_score)):
    print(f"{name:<6} average precision {average_precision_score(y_test, score(X_test)):.3f}")

# %%
# The test samples, sorted by the fused score, in the genes that weigh most in the dual. The bar on top marks
# the rare class. Genes are grouped by their sign: raised in the rare class above, lowered below.

theta = model.dual_.theta_
driving = np.argsort(-np.abs(theta))[:28]
driving = driving[np.argsort(-theta[driving])]
order = np.argsort(-model.fused_score(X_test))
standardised = (X_test[:, driving] - X_train[:, driving].mean(axis=0)) / X_train[:, driving].std(axis=0)

figure, (bar, heat) = plt.subplots(
    2, 1, figsize=(9, 6.4), height_ratios=[1, 20], sharex=True, layout="constrained"
)
bar.imshow(y_test[order][None, :], aspect="auto", cmap="Reds", interpolation="nearest", vmin=0, vmax=1.3)
bar.set_yticks([0], ["rare"])
bar.tick_params(bottom=False)
image = heat.imshow(
    standardised[order].T, aspect="auto", cmap="RdBu_r", vmin=-2.5, vmax=2.5, interpolation="nearest"
)
heat.set_yticks(range(len(driving)), names[driving], fontsize=7)
heat.axhline(np.sum(theta[driving] > 0) - 0.5, color="black", linewidth=0.8)
heat.set_xlabel("test samples, from the highest fused score to the lowest")
figure.colorbar(image, ax=heat, label="expression, standard deviations", shrink=0.6)
plt.show()

# %%
# Read :math:`\theta` as a direction. Genes that move together share it, and another sample would share it out
# differently.
