"""Checkpoints: the answer of every pass on disk, so that a fit that was killed goes on where it was.

A solver's way is determined by the answers it got. A checkpoint is therefore the list of those answers, each in a file
of its own, written under another name and moved into place: a crash at any time leaves whole files only. A fit that is
started again asks the same questions, gets the old answers from the files, and makes passes only from there on; its
result is the same to the last bit.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import hashlib
import json
import os
import shutil
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from drr._files import written_whole
from drr._native import __version__
from drr.exceptions import CheckpointError
from drr.streaming import passes as _passes
from drr.streaming.passes import SurveyAnswer

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
_PROBLEM = "problem.json"


class RecordingRunner:
    """A runner whose answers are kept in a directory, and taken from there as far as they go."""

    def __init__(self, runner: Any, directory: str | os.PathLike[str], target: Any, **options: float) -> None:
        self._runner = runner
        self._directory = Path(directory)
        self.n_columns = runner.n_columns
        self.n_rows = getattr(runner, "n_rows", None)
        self.has_weights = getattr(runner, "has_weights", True)
        self._count = 0
        self._replaying = True
        self._writing = True
        make = getattr(runner, "fingerprint", None)
        self._fingerprint = make() if make is not None else None
        self._problem = {
            "format": "drr checkpoint 1",
            "version": __version__,
            "columns": self.n_columns,
            "target": hashlib.sha256(np.ascontiguousarray(target).tobytes()).hexdigest(),
            "rows": self._fingerprint,
            **options,
        }
        self._open()

    def run_pass(self, request: Any) -> Any:
        """The answer on disk if this question was answered before, otherwise that of the rows, which is kept."""
        self._count += 1
        question = _digest(request)
        if self._replaying:
            answer = self._read(question)
            if answer is not None:
                return self._checked(request, answer)
            self._replaying = False
        answer = self._runner.run_pass(request)
        if self._writing:
            self._write(question, answer)
        return answer

    def _open(self) -> None:
        path = self._directory / _PROBLEM
        if self._directory.is_file():
            raise CheckpointError(
                f"checkpoint={str(self._directory)!r} is a file; it must be a directory or new"
            )
        if path.exists():
            try:
                known = dict(json.loads(path.read_text()))
            except (OSError, ValueError, TypeError) as error:
                raise CheckpointError(
                    f"{path} cannot be read ({error}); delete the checkpoint {self._directory}"
                ) from error
            different = [name for name, value in self._problem.items() if known.get(name) != value]
            if different:
                raise CheckpointError(
                    f"the checkpoint {self._directory} belongs to another problem: it differs in "
                    f"{', '.join(different)}. Delete it, or choose another directory"
                )
            return
        if self._directory.exists() and any(self._directory.iterdir()):
            raise CheckpointError(
                f"{self._directory} is not empty and holds no checkpoint; choose another directory"
            )
        with self._forgiving(0):
            self._directory.mkdir(parents=True, exist_ok=True)
            self._place(path, lambda file: file.write(json.dumps(self._problem, indent=1).encode()))

    def _checked(self, request: Any, answer: Any) -> Any:
        """The first answer of rows that cannot be told apart cheaply is compared with a fresh one."""
        if self._fingerprint is None and isinstance(answer, SurveyAnswer):
            fresh = self._runner.run_pass(request)
            if fresh.lengths != answer.lengths or not np.allclose(
                fresh.mean, answer.mean, rtol=1e-12, atol=1e-300
            ):
                raise CheckpointError(
                    f"the checkpoint {self._directory} belongs to other rows: it saw {answer.n_rows} of them, now "
                    f"there are {fresh.n_rows}, or their mean or their division into blocks differs. Delete it, or "
                    "choose another directory"
                )
        return answer

    def _path(self) -> Path:
        return self._directory / f"pass-{self._count:05d}.npz"

    def _read(self, question: str) -> Any:
        path = self._path()
        if not path.exists():
            return None
        try:
            with np.load(path, allow_pickle=False) as arrays:
                if str(arrays["question"]) != question:
                    return None
                return _unpacked(arrays, "answer")
        except (OSError, zipfile.BadZipFile, KeyError, ValueError) as error:
            raise CheckpointError(
                f"{path} cannot be read ({error}); delete the checkpoint {self._directory}"
            ) from error

    def _write(self, question: str, answer: Any) -> None:
        arrays: dict[str, Any] = {"question": np.array(question)}
        _pack(arrays, "answer", answer)
        n_bytes = sum(each.nbytes for each in arrays.values())
        with self._forgiving(n_bytes):
            self._place(self._path(), lambda file: np.savez(file, **arrays))

    def _place(self, path: Path, write: Any) -> None:
        """Write beside the place, then move there: the place never holds a part of a file."""
        with written_whole(path) as draft, open(draft, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())

    @contextlib.contextmanager
    def _forgiving(self, n_bytes: int) -> Any:
        """A disk that cannot be written ends the checkpoint, not the fit."""
        try:
            yield
        except OSError as error:
            self._writing = False
            reason = error.strerror or str(error)
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                with contextlib.suppress(OSError):
                    reason += f" ({shutil.disk_usage(self._directory).free} bytes free, {n_bytes} needed)"
            warnings.warn(
                f"The checkpoint {self._directory} could not be written after pass {self._count}: {reason}. The fit "
                "goes on without further checkpoints; those of earlier passes stay valid. Free some space, or choose "
                "another directory.",
                UserWarning,
                stacklevel=2,
            )


def _digest(request: Any) -> str:
    state = hashlib.sha256(type(request).__name__.encode())
    for each in dataclasses.fields(request):
        if each.name != "n_threads":
            value = getattr(request, each.name)
            state.update(value.tobytes() if isinstance(value, np.ndarray) else repr(value).encode())
    return state.hexdigest()


def _pack(arrays: dict[str, Any], name: str, value: Any) -> None:
    """Flatten an answer into named arrays; no pickle."""
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


def _unpacked(arrays: Any, name: str) -> Any:
    if f"{name}!" in arrays:
        kind: Any = _ANSWERS[str(arrays[f"{name}!"])]
        return kind(
            **{each.name: _unpacked(arrays, f"{name}.{each.name}") for each in dataclasses.fields(kind)}
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
