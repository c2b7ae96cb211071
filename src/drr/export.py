"""Export: the scoring path of a fitted classifier as an ONNX graph, for systems without Python.

The dual becomes linear + one-hot + sine, the fusion an affine map, the calibration a sigmoid or a broken line; the base
goes through `skl2onnx <https://onnx.ai/sklearn-onnx/>`_. All of drr's own arithmetic is in double precision.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from drr.calibration import IsotonicCalibration, SigmoidCalibration
from drr.classifier import DRRClassifier
from drr.features.feature_map import RakingFeatureMap

# The oldest operators that hold everything used here in double precision, and that skl2onnx writes as well.
_OPSETS = {"": 18, "ai.onnx.ml": 3}
_MATRIX = "X"


def to_onnx(classifier: DRRClassifier) -> Any:
    """Export the scoring path of a fitted classifier of two classes; needs skl2onnx, in the extra ``onnx``.

    Parameters
    ----------
    classifier : DRRClassifier
        With a `RakingFeatureMap`, and a base that skl2onnx can convert.

    Returns
    -------
    onnx.ModelProto
        Inputs: if the classifier was fitted on a frame, one column per name, of shape (n_rows, 1), float64 or, for
        categories, text; otherwise a float64 matrix ``X``. If it was fitted from scores, also ``base_score``.
        Outputs, each of shape (n_rows, 1): ``score`` (fused), ``probability`` of the rare class (if calibrated) and
        ``label``.

    Notes
    -----
    Trees compare in the precision that skl2onnx gives them: a value within rounding of a threshold may fall on the
    other side.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from drr import DRRClassifier
    >>> from drr.export import to_onnx
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(600) < 40
    >>> X = rng.normal(size=(600, 4)) + y[:, None]
    >>> graph = to_onnx(DRRClassifier(LogisticRegression(), random_state=0).fit(X, y)).graph
    >>> [output.name for output in graph.output]
    ['score', 'probability', 'label']
    """
    check_is_fitted(classifier)
    if len(classifier.rescorings_) != 1:
        raise ValueError("to_onnx is for two classes; fit one classifier per rare class with pos_label")
    feature_map = classifier.dual_.feature_map_
    if not isinstance(feature_map, RakingFeatureMap):
        raise TypeError(f"the dual has a {type(feature_map).__name__}; only RakingFeatureMap can be exported")
    graph = _Graph()
    columns = _inputs(graph, classifier, feature_map)
    dual = _dual(graph, classifier, feature_map, columns)
    base = _base(graph, classifier)
    fused = _fuse(graph, classifier, base, dual)
    _outputs(graph, classifier, fused)
    return graph.model()


class _Graph:
    """Nodes in order of writing, with names made up on the way."""

    def __init__(self) -> None:
        self._onnx = _import("onnx")
        self._numpy = _import("onnx.numpy_helper")
        self.nodes: list[Any] = []
        self.initializers: list[Any] = []
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        self.opsets = dict(_OPSETS)

    def node(
        self, operation: str, *inputs: str, output: str | None = None, domain: str = "", **attributes: Any
    ) -> str:
        """Append an operation with one output; return its name."""
        name = output or f"{operation.lower()}{len(self.nodes)}"
        self.nodes.append(self._onnx.helper.make_node(operation, inputs, [name], domain=domain, **attributes))
        return name

    def constant(self, values: ArrayLike) -> str:
        """Add a fixed tensor; return its name."""
        name = f"constant{len(self.initializers)}"
        self.initializers.append(self._numpy.from_array(np.asarray(values), name))
        return name

    def value(self, name: str, kind: str, width: int = 1) -> Any:
        """Return the declaration of an input or output."""
        return self._onnx.helper.make_tensor_value_info(
            name, getattr(self._onnx.TensorProto, kind), [None, width]
        )

    def model(self) -> Any:
        """Return the whole model, checked."""
        helper = self._onnx.helper
        graph = helper.make_graph(self.nodes, "drr", self.inputs, self.outputs, self.initializers)
        opsets = [helper.make_opsetid(domain, version) for domain, version in self.opsets.items()]
        model = helper.make_model(
            graph,
            opset_imports=opsets,
            producer_name="drr",
            ir_version=helper.find_min_ir_version_for(opsets, True),
        )
        self._onnx.checker.check_model(model)
        return model


def _inputs(graph: _Graph, classifier: DRRClassifier, feature_map: RakingFeatureMap) -> list[str]:
    """Declare the inputs; return the name of every column as (n_rows, 1)."""
    if hasattr(classifier, "feature_names_in_"):
        names = [str(name) for name in classifier.feature_names_in_]
        for name, is_categorical in zip(names, feature_map.is_categorical_, strict=True):
            graph.inputs.append(graph.value(name, "STRING" if is_categorical else "DOUBLE"))
        return names
    if feature_map.is_categorical_.any():
        raise ValueError("categories can be exported by column only; fit the classifier on a data frame")
    graph.inputs.append(graph.value(_MATRIX, "DOUBLE", classifier.n_features_in_))
    return []


def _dual(graph: _Graph, classifier: DRRClassifier, feature_map: RakingFeatureMap, columns: list[str]) -> str:
    """Add the dual's score, θᵀφ(x) − Λ(θ)."""
    embedding, blocks, theta = feature_map._embedding, feature_map.blocks_, classifier.dual_.direction_
    total = graph.constant(np.full((1, 1), -classifier.dual_.raking_.dual.log_partition))
    if embedding.numeric:
        raw = (
            _MATRIX if not columns else graph.node("Concat", *(columns[j] for j in embedding.numeric), axis=1)
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
        levels, first = feature_map._levels[k], int(embedding.level_offsets[k])
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


def _standardised(graph: _Graph, raw: str, embedding: Any, *, imputes: bool) -> str:
    """Add the standardised columns, with missing values at the mean, and their indicators."""
    n_columns = len(embedding.numeric)
    filled = raw
    if imputes:
        missing = graph.node("IsNaN", raw)
        filled = graph.node("Where", missing, graph.constant(embedding.mean[None, :n_columns]), raw)
    if len(embedding.indicated):
        flags = graph.node("Cast", missing, to=graph._onnx.TensorProto.DOUBLE)
        watched = graph.node("Gather", flags, graph.constant(embedding.indicated.astype(np.int64)), axis=1)
        filled = graph.node("Concat", filled, watched, axis=1)
    centred = graph.node("Sub", filled, graph.constant(embedding.mean))
    return graph.node("Div", centred, graph.constant(embedding.scale))


def _base(graph: _Graph, classifier: DRRClassifier) -> str:
    """Add the score of the base, through skl2onnx."""
    if classifier.estimator_ is None:
        graph.inputs.append(graph.value("base_score", "DOUBLE"))
        return "base_score"
    base = classifier.estimator_
    if not hasattr(base, "predict_proba"):
        raise ValueError(
            f"{type(base).__name__} has no probabilities; only bases with predict_proba can be exported"
        )
    skl2onnx, types = _import("skl2onnx"), _import("skl2onnx.common.data_types")
    string = graph._onnx.TensorProto.STRING
    initial = []
    for each in graph.inputs:
        tensor = each.type.tensor_type
        kind = types.StringTensorType if tensor.elem_type == string else types.DoubleTensorType
        initial.append((each.name, kind([None, tensor.shape.dim[1].dim_value])))
    options = {id(_last_step(base)): {"zipmap": False}}
    try:
        converted = skl2onnx.convert_sklearn(base, "base", initial, target_opset=_OPSETS, options=options)
    except Exception as error:  # of many kinds, some with all numbers of the model in the message
        raise ValueError(
            f"skl2onnx {skl2onnx.__version__} cannot convert the base, a {type(_last_step(base)).__name__}: "
            f"{str(error).splitlines()[0][:120]}"
        ) from error
    compose = _import("onnx.compose")
    part = compose.add_prefix_graph(converted.graph, "base/", rename_inputs=False)
    graph.nodes.extend(part.node)
    graph.initializers.extend(part.initializer)
    for each in converted.opset_import:
        graph.opsets[each.domain] = max(each.version, graph.opsets.get(each.domain, 0))
    position = int(np.flatnonzero([label == classifier.pos_label_ for label in base.classes_])[0])
    probabilities = graph.node("Cast", part.output[1].name, to=graph._onnx.TensorProto.DOUBLE)
    return graph.node("Gather", probabilities, graph.constant(np.array([position])), axis=1)


def _fuse(graph: _Graph, classifier: DRRClassifier, base: str, dual: str) -> str:
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


def _outputs(graph: _Graph, classifier: DRRClassifier, fused: str) -> None:
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


def _broken_line(graph: _Graph, score: str, calibration: IsotonicCalibration) -> None:
    """Add the isotonic map, p₀ + Σₖ slopeₖ·(the part of the k-th piece that the score has passed)."""
    knots, levels = calibration.score_knots, calibration.probability_knots
    widths: NDArray[np.float64] = np.diff(knots)
    passed = graph.node("Sub", score, graph.constant(knots[None, :-1]))
    clipped = graph.node(
        "Min", graph.node("Max", passed, graph.constant(np.zeros(1))), graph.constant(widths[None, :])
    )
    risen = graph.node("MatMul", clipped, graph.constant((np.diff(levels) / widths)[:, None]))
    graph.node("Add", risen, graph.constant(levels[:1]), output="probability")


def _last_step(estimator: Any) -> Any:
    return estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"level or label {value!r} is not text; convert the column to text before fitting")
    return value


def _import(name: str) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        raise ImportError(
            f'to_onnx needs {name.partition(".")[0]}: pip install "density-ratio-rescoring[onnx]"'
        ) from None
