"""
Rare cells in an AnnData object
===============================

Counts stay sparse: the dual reads the CSR matrix of an `AnnData <https://anndata.readthedocs.io>`_ object in place, and
its score goes back as a column of ``obs``. It needs anndata: ``pip install anndata``.
"""

# sphinx_gallery_thumbnail_path = "_static/thumbnails/anndata_rare_cells.png"

import anndata
import numpy as np
import pandas as pd
import scipy.sparse

from drr import RakingDual, RakingFeatureMap

# %%
# Two thousand cells, three hundred genes, forty cells of a rare type in which twenty genes are up.
rng = np.random.default_rng(0)
is_rare = np.arange(2000) < 40
rates = rng.gamma(0.5, 1.0, size=300) * np.ones((2000, 1))
rates[np.ix_(is_rare, np.arange(20))] *= 3.0
cells = anndata.AnnData(
    X=scipy.sparse.csr_matrix(np.log1p(rng.poisson(rates)).astype(np.float32)),
    obs=pd.DataFrame({"type": np.where(is_rare, "rare", "common")}, index=[f"cell{k}" for k in range(2000)]),
    var=pd.DataFrame(index=[f"gene{k}" for k in range(300)]),
)

# %%
# Fit on every second cell, score all of them. Without random features the moments are the genes themselves.
train = cells[::2]
dual = RakingDual(RakingFeatureMap(0), pos_label="rare").fit(train.X, train.obs["type"].to_numpy())
cells.obs["drr_score"] = dual.score_samples(cells.X)

# %%
# The genes with the largest θ are those in which the rare type differs, given all others.
order = np.argsort(-dual.theta_)[:10]
print("genes:", ", ".join(cells.var_names[order]))

unseen = cells.obs.iloc[1::2]
best = unseen.sort_values("drr_score", ascending=False).head(20)
print(
    f"{(best['type'] == 'rare').sum()} of the 20 highest of {len(unseen)} unseen cells are of the rare type"
)
