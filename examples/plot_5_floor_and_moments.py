"""
Reading the floor and the moments
=================================

What raking does, in two dimensions where one can see it, and in thirty where one reads it off a table.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Circle, Polygon
from scipy.spatial import ConvexHull
from sklearn.datasets import load_breast_cancer

import drr

# %%
# In the plane
# ------------
# A majority, and a rare class whose mean lies outside the hull of the majority. No weights bring the majority
# nearer than the floor. Raking stops a little above it, at the tolerance, and takes the weights that differ
# least from equal ones.

rng = np.random.default_rng(4)
majority = rng.standard_normal((300, 2)) @ [[1.0, 0.5], [0.0, 0.8]]
rare = rng.standard_normal((14, 2)) * 0.5 + [2.7, 2.9]
target = rare.mean(axis=0)

raking = drr.rake(majority, target, eta=0.15)
floor, dual = raking.floor, raking.dual
print(f"floor {floor.value:.3f} (at least {floor.lower_bound:.3f}), tolerance {raking.tolerance:.3f}, ")
print(f"distance before {raking.base_discrepancy:.3f}, after {dual.discrepancy:.3f}")
print(f"{dual.ess:.1f} effective rows of {len(majority)}, {dual.kl:.2f} nats")

# %%
# Each row's area is its weight. They grow along :math:`\theta`, whose level lines are dotted: that direction is
# the score.

figure, axes = plt.subplots(figsize=(7.4, 5.6), layout="constrained")
grid_x, grid_y = np.meshgrid(np.linspace(-3.5, 6.2, 50), np.linspace(-3.2, 4.4, 50))
level = grid_x * dual.theta[0] + grid_y * dual.theta[1]
axes.contour(grid_x, grid_y, level, levels=12, colors="tab:blue", linewidths=0.6, linestyles=":", alpha=0.7)
hull = majority[ConvexHull(majority).vertices]
axes.add_patch(Polygon(hull, closed=True, facecolor="0.93", edgecolor="0.7", zorder=0))
axes.scatter(*majority.T, s=6, color="0.55", label="majority")
axes.scatter(
    *majority.T, s=900 * dual.weights, color="tab:blue", alpha=0.45, linewidth=0, label="raked weight"
)
axes.scatter(*rare.T, s=22, color="tab:red", marker="x", label="rare")
axes.add_patch(Circle(target, raking.tolerance, fill=False, edgecolor="tab:red", linestyle="--"))
nearest = target + floor.residual
axes.plot(*zip(target, nearest, strict=True), color="black", linewidth=1.5)
for point, text, offset in (
    (target, "rare mean", (60, 34)),
    (nearest, "nearest point of the hull", (34, -62)),
    (majority.mean(axis=0), "mean before", (-120, -58)),
    (dual.weights @ majority, "mean after raking", (-185, 28)),
):
    axes.plot(*point, "o", color="black", markersize=6, zorder=5)
    axes.annotate(
        text, point, xytext=offset, textcoords="offset points", arrowprops={"arrowstyle": "-", "lw": 0.7}
    )
axes.set(aspect="equal", xlim=(-3.5, 6.2), ylim=(-3.2, 4.4), xlabel="first feature", ylabel="second feature")
legend = axes.legend(loc="lower right")
for handle in legend.legend_handles:
    handle.set_sizes([30])
plt.show()

# %%
# By name
# -------
# Measurements of tumours, malignant ones made rare. Every line leads from the gap between the classes before
# raking to the gap that is left; what stays far from zero is what the majority cannot imitate. Those moments
# carry the floor.

data = load_breast_cancer(as_frame=True)
malignant = np.flatnonzero(data.target == 0)[::15]
rows = np.concatenate([np.flatnonzero(data.target == 1), malignant])
y = np.where(data.target[rows] == 0, "malignant", "benign")
tumours = drr.RakingDual(drr.RakingFeatureMap(0)).fit(data.data.iloc[rows], y)
print(tumours.diagnostics_)

# %%

display = drr.MomentBalanceDisplay.from_estimator(tumours, max_moments=16)
display.ax_.set_title(f"{len(malignant)} malignant tumours against {len(rows) - len(malignant)} benign ones")
plt.show()
