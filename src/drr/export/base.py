"""The base classifier as a part of the graph, through skl2onnx and the converters of onnxmltools."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier

from drr.classifier import DRRClassifier
from drr.composition.base_score import last_step
from drr.composition.coded_labels import CodedLabels
from drr.export.graph import OPSETS, Graph, import_extra

# These round their rows to single precision before they compare them with their thresholds.
_ROUNDING = (DecisionTreeClassifier, ExtraTreesClassifier, GradientBoostingClassifier, RandomForestClassifier)


def add_base(graph: Graph, classifier: DRRClassifier) -> str:
    """Add the score of the base, or an input for it if there is none; return its name."""
    base = classifier.estimator_
    if base is None:
        graph.inputs.append(graph.value("base_score", "DOUBLE"))
        return "base_score"
    if not hasattr(base, "predict_proba"):
        raise ValueError(
            f"{type(base).__name__} has no probabilities; only bases with predict_proba can be exported"
        )
    classes = base.classes_
    if isinstance(base, CodedLabels):  # its columns are in the order of the labels
        base = base.estimator_
    package = _package(last_step(base))
    if package in ("xgboost", "lightgbm"):
        _register(last_step(base), package)
    converted = _convert(base, _add_base_inputs(graph, base, package))
    compose = import_extra("onnx.compose")
    part = compose.add_prefix_graph(converted.graph, "base/", rename_inputs=False)
    graph.nodes.extend(part.node)
    graph.initializers.extend(part.initializer)
    for each in converted.opset_import:
        graph.opsets[each.domain] = max(each.version, graph.opsets.get(each.domain, 0))
    position = int(np.flatnonzero([label == classifier.pos_label_ for label in classes])[0])
    probabilities = graph.node("Cast", part.output[1].name, to=graph.onnx.TensorProto.DOUBLE)
    return graph.node("Gather", probabilities, graph.constant(np.array([position])), axis=1)


def _add_base_inputs(graph: Graph, base: Any, package: str) -> list[tuple[str, Any]]:
    """Declare what the base reads: the inputs, rounded to single precision if the base does that itself."""
    types = import_extra("skl2onnx.common.data_types")
    tensors = graph.onnx.TensorProto
    rounds = package == "xgboost" or isinstance(base, _ROUNDING)
    initial = []
    for each in graph.inputs:
        tensor = each.type.tensor_type
        name, kind = each.name, types.DoubleTensorType
        if tensor.elem_type == tensors.STRING:
            kind = types.StringTensorType
        elif rounds and base is last_step(base):
            name = graph.node("Cast", name, to=tensors.FLOAT)
            kind = types.FloatTensorType
            if package != "xgboost":  # thresholds stay in double precision
                name, kind = graph.node("Cast", name, to=tensors.DOUBLE), types.DoubleTensorType
        initial.append((name, kind([None, tensor.shape.dim[1].dim_value])))
    return initial


def _convert(base: Any, initial: list[tuple[str, Any]]) -> Any:
    skl2onnx = import_extra("skl2onnx")
    options = {id(last_step(base)): {"zipmap": False}}
    try:
        return skl2onnx.convert_sklearn(base, "base", initial, target_opset=OPSETS, options=options)
    except Exception as error:  # of many kinds, some with all numbers of the model in the message
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise ValueError(
            f"skl2onnx {skl2onnx.__version__} cannot convert the base, a {type(last_step(base)).__name__}: "
            f"{first[:120]}"
        ) from error


def _register(model: Any, package: str) -> None:
    """Register with skl2onnx the converter that onnxmltools has for a model of another package."""
    try:
        converters = {
            "xgboost": "onnxmltools.convert.xgboost.operator_converters.XGBoost:convert_xgboost",
            "lightgbm": "onnxmltools.convert.lightgbm.operator_converters.LightGbm:convert_lightgbm",
        }
        module, _, function = converters[package].partition(":")
        converter = getattr(import_extra(module), function)
    except ImportError:
        raise ValueError(
            f"a {type(model).__name__} is exported with the converter of onnxmltools, which is not installed: pip "
            "install onnxmltools"
        ) from None
    shapes = import_extra("skl2onnx.common.shape_calculator").calculate_linear_classifier_output_shapes
    options = {"nocl": [True, False], "zipmap": [True, False, "columns"]}
    import_extra("skl2onnx").update_registered_converter(
        type(model), f"Drr{type(model).__name__}", shapes, converter, options=options
    )


def _package(estimator: Any) -> str:
    return type(estimator).__module__.partition(".")[0]
