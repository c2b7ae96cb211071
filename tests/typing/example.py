"""What a user with strict types writes: mypy checks it with the package (see pyproject.toml) and must find nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import drr
from drr.export import to_onnx
from drr.report import render_report, write_report

rng = np.random.default_rng(0)
y: NDArray[np.bool_] = np.arange(400) % 9 == 0
X: NDArray[np.float64] = rng.normal(size=(400, 3)) + y[:, None]

classifier: drr.DRRClassifier = drr.DRRClassifier(
    threshold=drr.RecallAtLeast(0.9), fusion_weight="auto", holdout=3, random_state=0
).fit(X, y)
scores: NDArray[np.float64] = classifier.fused_score(X)
probabilities: NDArray[np.float64] = classifier.predict_proba(X)
rescored: drr.DRRClassifier = drr.DRRClassifier.from_scores(X[:, 0], X, y)

dual: drr.RakingDual = drr.RakingDual(drr.RakingFeatureMap(16), eta=0.1).fit(X, y)
weights: NDArray[np.float64] | None = dual.weights_
diagnostics: drr.DualDiagnostics = dual.diagnostics_
worst: tuple[drr.MomentGap, ...] = diagnostics.worst_moments

floor: drr.Floor = drr.find_floor(X[~y], X[y].mean(axis=0))
tolerance: float = drr.choose_tolerance(floor, floor.base_discrepancy)
solved: drr.Dual = drr.solve_dual(X[~y], X[y].mean(axis=0), tolerance)
raking: drr.Raking = drr.rake(X[~y], X[y].mean(axis=0), eta=0.05)
ended: drr.Status = raking.dual.status

gain: drr.GainInterval = drr.gain_interval(y, X[:, 0], scores)
separation: drr.Separation = drr.separation(X[:, 0], X[:, 1], y)
weight: float = drr.choose_fusion_weight(X[:, 0], X[:, 1], y)


def keep(folder: Path) -> drr.ModelNote:
    """Model file, report and graph."""
    drr.save(classifier, folder / "model.skops", about={"target": "y"})
    write_report(folder / "report.html", classifier, X, y, title="Typed")
    page: str = render_report(classifier, X, y)
    assert page
    (folder / "model.onnx").write_bytes(to_onnx(classifier).SerializeToString())
    return drr.read_note(folder / "model.skops")
