"""The stages of drr as operations of a graph, all in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from drr.calibration import IsotonicCalibration, SigmoidCalibration
from drr.classifier import DRRClassifier
from drr.export.graph import Graph
from drr.features.feature_map import RakingFeatureMap

MATRIX = "X"


def add_inputs(graph: Graph, classifier: DRRClassifier, feature_map: RakingFeatureMap) -> list[str]:
    """Declare the inputs; return the name of every column as (n_rows, 1)."""
    if hasattr(classifier, "feature_names_in_"):
        names = [str(name) for name in classifier.feature_names_in_]
        for name, is_categorical in zip(names, feature_map.is_categorical_, strict=True):
            graph.inputs.append(graph.value(name, "STRING" if is_categorical else "DOUBLE"))
        return names
    if feature_map.is_categorical_.any():
        raise ValueError("categories can be exported by column only; fit the classifier on a data frame")
    graph.inputs.append(graph.value(MATRIX, "DOUBLE", classifier.n_features_in_))
    return []


def add_dual(
    graph: Graph, classifier: DRRClassifier, feature_map: RakingFeatureMap, columns: list[str]
) -> str:
    """Add the dual's score, θᵀφ(x) − Λ(θ)."""
    embedding, blocks, theta = feature_map.embedding_, feature_map.blocks_, classifier.dual_.direction_
    total = graph.constant(np.full((1, 1), -classifier.dual_.raking_.dual.log_partition))
    if embedding.numeric:
        raw = (
            MATRIX if not columns else graph.node("Concat", *(columns[j] for j in embedding.numeric), axis=1)
        )
        z = _standardised(graph, raw, embedding, imputes=feature_map.missing == "impute")
        linear = graph.constant(embedding.linear_factor * theta[blocks["linear"]][:, None])
        total = graph.node("Add", total, graph.node("MatMul", z, linear))
        if len(embedding.phases):
            waves = graph.node("MatMul", z, graph.constant(embedding.weights))
            # cos t = sin(t + π/2): onnxruntime 1.23 and older have the cosine in single precision only.
            angles = graph.node("Add", waves, graph.constant(embedding.phases + np.pi / 2))
            fourier = graph.constant(embedding.fourier_factor * theta[blocks["fourier"]][:, None])
            total = graph.node("Add", total, graph.node("MatMul", graph.node("Sin", angles), fourier))
    one_hot = embedding.one_hot_factor * theta[blocks["one_hot"]]
    for k, j in enumerate(embedding.categorical):
        levels, first = feature_map.levels_[k], int(embedding.level_offsets[k])
        # The last entry is that of levels not seen at fit.
        table = np.append(one_hot[first + levels.columns], 0.0)
        code = graph.node(
            "LabelEncoder",
            columns[j],
            domain="ai.onnx.ml",
            keys_strings=[_text(value) for value in levels.values],
            values_int64s=list(range(len(levels.values))),
            default_int64=len(levels.values),
        )
        total = graph.node("Add", total, graph.node("Gather", graph.constant(table), code, axis=0))
    return total


def _standardised(graph: Graph, raw: str, embedding: Any, *, imputes: bool) -> str:
    """Add the standardised columns, with missing values at the mean, and their indicators."""
    n_columns = len(embedding.numeric)
    filled = raw
    if imputes:
        missing = graph.node("IsNaN", raw)
        filled = graph.node("Where", missing, graph.constant(embedding.mean[None, :n_columns]), raw)
    if len(embedding.indicated):
        flags = graph.node("Cast", missing, to=graph.onnx.TensorProto.DOUBLE)
        watched = graph.node("Gather", flags, graph.constant(embedding.indicated.astype(np.int64)), axis=1)
        filled = graph.node("Concat", filled, watched, axis=1)
    centred = graph.node("Sub", filled, graph.constant(embedding.mean))
    return graph.node("Div", centred, graph.constant(embedding.scale))


def add_fusion(graph: Graph, classifier: DRRClassifier, base: str, dual: str) -> str:
    """Add the fused score, z(base) + w·z(dual)."""
    rescoring = classifier.rescorings_[0]

    def standardise(score: str, by: Any, weight: float) -> str:
        return graph.node(
            "Mul",
            graph.node("Sub", score, graph.constant(np.array(by.mean))),
            graph.constant(np.array(weight / by.scale)),
        )

    return graph.node(
        "Add",
        standardise(base, rescoring.base_standardisation, 1.0),
        standardise(dual, rescoring.dual_standardisation, rescoring.fusion_weight),
        output="score",
    )


def add_outputs(graph: Graph, classifier: DRRClassifier, fused: str) -> None:
    rescoring = classifier.rescorings_[0]
    graph.outputs.append(graph.value(fused, "DOUBLE"))
    calibration = rescoring.calibration
    if isinstance(calibration, SigmoidCalibration):
        slope, intercept = (
            graph.constant(np.array(calibration.slope)),
            graph.constant(np.array(calibration.intercept)),
        )
        graph.node(
            "Sigmoid", graph.node("Add", graph.node("Mul", fused, slope), intercept), output="probability"
        )
    elif isinstance(calibration, IsotonicCalibration):
        _broken_line(graph, fused, calibration)
    if calibration is not None:
        graph.outputs.append(graph.value("probability", "DOUBLE"))
    rare: Any = classifier.pos_label_
    other: Any = next(label for label in classifier.classes_ if label != rare)
    is_text = classifier.classes_.dtype.kind in "OUS"
    labels = [
        np.array([_text(each)], dtype=object) if is_text else np.array([int(each)]) for each in (rare, other)
    ]
    above = graph.node("Greater", fused, graph.constant(np.array(rescoring.cut)))
    graph.node("Where", above, *map(graph.constant, labels), output="label")
    graph.outputs.append(graph.value("label", "STRING" if is_text else "INT64"))


def _broken_line(graph: Graph, score: str, calibration: IsotonicCalibration) -> None:
    """Add the isotonic map, p₀ + Σₖ slopeₖ·(the part of the k-th piece that the score has passed)."""
    knots, levels = calibration.score_knots, calibration.probability_knots
    widths: NDArray[np.float64] = np.diff(knots)
    passed = graph.node("Sub", score, graph.constant(knots[None, :-1]))
    clipped = graph.node(
        "Min", graph.node("Max", passed, graph.constant(np.zeros(1))), graph.constant(widths[None, :])
    )
    risen = graph.node("MatMul", clipped, graph.constant((np.diff(levels) / widths)[:, None]))
    graph.node("Add", risen, graph.constant(levels[:1]), output="probability")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"level or label {value!r} is not text; convert the column to text before fitting")
    return value
