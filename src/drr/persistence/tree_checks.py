"""Trees from a model file, before scikit-learn follows their nodes.

A node names its children and its column by number, and the compiled loops that walk the nodes trust those numbers: a
damaged one ends the process, or a circle never ends. Nodes are numbered from the root on, so a child comes after its
parent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np


def check_trees(model: Any) -> None:
    """Raise ValueError if a tree inside the model names nodes, columns or categories that do not exist."""
    for owner in _parts(model):
        parts = vars(owner)
        if "tree_" in parts and hasattr(owner.tree_, "children_left"):
            _check_nodes_of_tree(owner.tree_, owner.n_features_in_)
        for trees in parts.get("_predictors", ()):
            for tree in trees:
                _check_nodes_of_predictor(tree, owner.n_features_in_)
        for member in np.ravel(np.asarray(parts.get("estimators_", ()), dtype=object)):
            if getattr(member, "n_features_in_", owner.n_features_in_) != owner.n_features_in_:
                raise ValueError("a member of an ensemble expects other columns than the ensemble")


def _parts(model: Any) -> Iterator[Any]:
    """Yield every object with attributes inside the model, at any depth, including the model itself."""
    seen: set[int] = set()
    waiting = [model]
    while waiting:
        part = waiting.pop()
        if id(part) in seen or isinstance(part, type):
            continue
        seen.add(id(part))
        if isinstance(part, dict):
            waiting += part.values()
        elif isinstance(part, list | tuple | set):
            waiting += part
        elif isinstance(part, np.ndarray):
            waiting += part.ravel().tolist() if part.dtype == object else []
        elif hasattr(part, "__dict__"):
            waiting += vars(part).values()
            yield part


def _check_nodes_of_tree(tree: Any, n_features: int) -> None:
    inner = np.flatnonzero(tree.children_left != -1)
    _check_children(inner, tree.children_left[inner], tree.children_right[inner], tree.node_count)
    _check_range(tree.feature[inner], n_features, "column")


def _check_nodes_of_predictor(tree: Any, n_features: int) -> None:
    nodes = tree.nodes
    inner = np.flatnonzero(nodes["is_leaf"] == 0)
    _check_children(inner, nodes["left"][inner], nodes["right"][inner], len(nodes))
    _check_range(nodes["feature_idx"][inner], n_features, "column")
    by_category = inner[nodes["is_categorical"][inner] != 0]
    for sets in (tree.raw_left_cat_bitsets, tree.binned_left_cat_bitsets):
        if len(by_category) and sets.shape[1:] != (8,):
            raise ValueError("a tree has sets of categories of the wrong size")
        _check_range(nodes["bitset_idx"][by_category], len(sets), "set of categories")


def _check_children(parents: Any, left: Any, right: Any, n_nodes: int) -> None:
    for children in (left, right):
        _check_range(children, n_nodes, "node")
        if (children <= parents).any():
            raise ValueError("a tree has a node that comes before its parent")
    if n_nodes < 1:
        raise ValueError("a tree has no nodes")


def _check_range(numbers: Any, end: int, what: str) -> None:
    if len(numbers) and not (numbers.min() >= 0 and numbers.max() < end):
        raise ValueError(f"a tree names a {what} outside 0 … {end - 1}")
