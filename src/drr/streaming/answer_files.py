"""Files that hold one answer each: named arrays without pickle, and a digest that shows any damage."""

from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse

from drr.exceptions import CheckpointError
from drr.streaming import passes as _passes

_ANSWERS = {
    each.__name__: each
    for each in (
        _passes.SurveyAnswer,
        _passes.PriceAnswer,
        _passes.TiltAnswer,
        _passes.FetchAnswer,
        _passes.Sample,
        _passes.PickedRows,
    )
}


def write_answer(file: BinaryIO, arrays: dict[str, Any]) -> None:
    """Write what `pack_answer` returned, with its digest."""
    np.savez(file, **arrays, digest=np.array(digest_of(arrays)))


def read_answer(path: Path, question: str) -> tuple[Any, str] | None:
    """Return an answer and the digest of its arrays, or None if the file answers another question."""
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        digest = str(arrays.pop("digest"))
        if digest != digest_of(arrays):
            raise ValueError("its contents do not match their digest")
    except Exception as error:  # readers of a damaged archive raise whatever comes of it
        raise CheckpointError(
            f"{path} cannot be read ({error}); delete the checkpoint {path.parent}"
        ) from error
    return (_unpack(arrays, "answer"), digest) if str(arrays["question"]) == question else None


def pack_answer(question: str, answer: Any) -> dict[str, Any]:
    """Flatten an answer into named arrays."""
    arrays: dict[str, Any] = {"question": np.array(question)}
    _pack(arrays, "answer", answer)
    return arrays


def digest_of(arrays: dict[str, Any]) -> str:
    """Identify arrays by their names, types, shapes and bytes."""
    state = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        state.update(f"{name} {array.dtype.str} {np.shape(arrays[name])} ".encode())
        state.update(array.reshape(-1).view(np.uint8).data)
    return state.hexdigest()


def _pack(arrays: dict[str, Any], name: str, value: Any) -> None:
    if dataclasses.is_dataclass(value):
        arrays[f"{name}!"] = np.array(type(value).__name__)
        for each in dataclasses.fields(value):
            _pack(arrays, f"{name}.{each.name}", getattr(value, each.name))
    elif scipy.sparse.issparse(value):
        arrays[f"{name}.csr"] = np.array(value.shape)
        arrays[f"{name}.data"], arrays[f"{name}.indices"] = value.data, value.indices
        arrays[f"{name}.indptr"] = value.indptr
    elif isinstance(value, dict):
        arrays[f"{name}.keys"] = np.array(list(value.keys()), dtype=np.int64)
        arrays[f"{name}.values"] = np.array(list(value.values()), dtype=np.int64)
    elif value is not None:
        arrays[name] = np.asarray(value)


def _unpack(arrays: Any, name: str) -> Any:
    if f"{name}!" in arrays:
        kind: Any = _ANSWERS[str(arrays[f"{name}!"])]
        return kind(
            **{each.name: _unpack(arrays, f"{name}.{each.name}") for each in dataclasses.fields(kind)}
        )
    if f"{name}.csr" in arrays:
        parts = (arrays[f"{name}.data"], arrays[f"{name}.indices"], arrays[f"{name}.indptr"])
        return scipy.sparse.csr_array(parts, shape=tuple(arrays[f"{name}.csr"].tolist()))
    if f"{name}.keys" in arrays:
        return dict(zip(arrays[f"{name}.keys"].tolist(), arrays[f"{name}.values"].tolist(), strict=True))
    if name not in arrays:
        return None
    value = arrays[name]
    return value.item() if value.ndim == 0 else value
