"""Export: the scoring path of a fitted classifier as an ONNX graph, for systems without Python.

The dual becomes linear + one-hot + sine, the fusion an affine map, the calibration a sigmoid or a broken line; the base
goes through `skl2onnx <https://onnx.ai/sklearn-onnx/>`_. All of drr's own arithmetic is in double precision.
"""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from drr.classifier import DRRClassifier
from drr.export.base import add_base
from drr.export.comparison import check_against_python
from drr.export.graph import Graph
from drr.export.stages import add_dual, add_fusion, add_inputs, add_outputs
from drr.features.feature_map import RakingFeatureMap

__all__ = ["to_onnx"]


def to_onnx(classifier: DRRClassifier, X: Any = None) -> Any:
    """Export the scoring path of a fitted classifier of two classes; needs skl2onnx, in the extra ``onnx``.

    Parameters
    ----------
    classifier : DRRClassifier
        With a `RakingFeatureMap`, and a base that skl2onnx can convert, or onnxmltools (LightGBM, XGBoost).
    X : table, optional
        Rows on which the graph must give the scores of Python; held-out rows are best. Without them a thousand rows
        are generated, which lie near no threshold of a tree.

    Returns
    -------
    onnx.ModelProto
        Inputs: if the classifier was fitted on a frame, one column per name, of shape (n_rows, 1), float64 or, for
        categories, text; otherwise a float64 matrix ``X``. If it was fitted from scores, also ``base_score``.
        Outputs, each of shape (n_rows, 1): ``score`` (fused), ``probability`` of the rare class (if calibrated) and
        ``label``.

    Raises
    ------
    ValueError
        The base has no converter, the graph does not load, or it gives other scores than Python.

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
    if hasattr(classifier, "unprepared"):  # the graph takes prepared rows
        classifier = classifier.unprepared()
    if len(classifier.rescorings_) != 1:
        raise ValueError("to_onnx is for two classes; fit one classifier per rare class with pos_label")
    feature_map = classifier.dual_.feature_map_
    if not isinstance(feature_map, RakingFeatureMap):
        raise TypeError(f"the dual has a {type(feature_map).__name__}; only RakingFeatureMap can be exported")
    graph = Graph()
    columns = add_inputs(graph, classifier, feature_map)
    dual = add_dual(graph, classifier, feature_map, columns)
    base = add_base(graph, classifier)
    fused = add_fusion(graph, classifier, base, dual)
    add_outputs(graph, classifier, fused)
    model = graph.model()
    check_against_python(model, classifier, X)
    return model
