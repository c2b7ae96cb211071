"""A graph under construction: nodes in order of writing, with names made up on the way."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

# The oldest operators that hold everything used here in double precision, and that skl2onnx writes as well.
OPSETS = {"": 18, "ai.onnx.ml": 3}


class Graph:
    """Nodes in order of writing, with names made up on the way."""

    def __init__(self) -> None:
        self.onnx = import_extra("onnx")
        self._numpy = import_extra("onnx.numpy_helper")
        self.nodes: list[Any] = []
        self.initializers: list[Any] = []
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        self.opsets = dict(OPSETS)

    def node(
        self, operation: str, *inputs: str, output: str | None = None, domain: str = "", **attributes: Any
    ) -> str:
        """Append an operation with one output; return its name."""
        name = output or f"{operation.lower()}{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(operation, inputs, [name], domain=domain, **attributes))
        return name

    def constant(self, values: ArrayLike) -> str:
        """Add a fixed tensor; return its name."""
        name = f"constant{len(self.initializers)}"
        self.initializers.append(self._numpy.from_array(np.asarray(values), name))
        return name

    def value(self, name: str, kind: str, width: int = 1) -> Any:
        """Return the declaration of an input or output."""
        return self.onnx.helper.make_tensor_value_info(
            name, getattr(self.onnx.TensorProto, kind), [None, width]
        )

    def model(self) -> Any:
        """Return the whole model, checked."""
        helper = self.onnx.helper
        graph = helper.make_graph(self.nodes, "drr", self.inputs, self.outputs, self.initializers)
        opsets = [helper.make_opsetid(domain, version) for domain, version in self.opsets.items()]
        model = helper.make_model(
            graph,
            opset_imports=opsets,
            producer_name="drr",
            ir_version=helper.find_min_ir_version_for(opsets, True),
        )
        self.onnx.checker.check_model(model)
        return model


def import_extra(name: str) -> Any:
    """Import a package of the extra ``onnx``."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ImportError(
            f'to_onnx needs {name.partition(".")[0]}: pip install "density-ratio-rescoring[onnx]"'
        ) from None
