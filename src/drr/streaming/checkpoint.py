"""Checkpoints: the answer of every pass on disk, from which a fit that was killed continues.

A solver's path is determined by the answers it got. A checkpoint is therefore the list of these answers, each in a
separate file, written under another name and moved into place: a crash at any time leaves whole files only. A fit that
is started again asks the same questions, gets the old answers from the files, and makes passes only after them; its
result is the same to the last bit.

What a file answers is identified by the problem, by all answers before it, and by the question. So a file that another
process wrote for other rows is never taken, and two processes with the same problem may share a directory.
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
from pathlib import Path
from typing import Any

import numpy as np

from drr._files import DRAFT_PREFIX, written_whole
from drr._native import __version__
from drr.exceptions import CheckpointError
from drr.streaming.answer_files import digest_of, pack_answer, read_answer, write_answer
from drr.streaming.passes import SurveyAnswer

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
            "format": "drr checkpoint 2",
            "version": __version__,
            "columns": self.n_columns,
            "target": hashlib.sha256(np.ascontiguousarray(target).tobytes()).hexdigest(),
            "rows": self._fingerprint,
            **options,
        }
        self._history = hashlib.sha256(json.dumps(self._problem).encode()).hexdigest()
        self._open()

    def run_pass(self, request: Any) -> Any:
        """Return the answer on disk if this question was answered before, otherwise that of the rows, and keep it."""
        self._count += 1
        question = hashlib.sha256(f"{self._history} {_digest(request)}".encode()).hexdigest()
        path = self._directory / f"pass-{self._count:05d}.npz"
        known = read_answer(path, question) if self._replaying and path.exists() else None
        if known is not None:
            answer, digest = known
            self._history = f"{question} {digest}"
            return self._checked(request, answer)
        self._replaying = False
        answer = self._runner.run_pass(request)
        if self._writing:
            arrays = pack_answer(question, answer)
            self._history = f"{question} {digest_of(arrays)}"
            with self._forgiving(sum(each.nbytes for each in arrays.values())):
                self._place(path, lambda file: write_answer(file, arrays))
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
        if self._directory.exists() and any(
            not each.name.startswith(DRAFT_PREFIX) for each in self._directory.iterdir()
        ):
            raise CheckpointError(
                f"{self._directory} is not empty and holds no checkpoint; choose another directory"
            )
        with self._forgiving(0):
            self._directory.mkdir(parents=True, exist_ok=True)
            self._place(path, lambda file: file.write(json.dumps(self._problem, indent=1).encode()))

    def _checked(self, request: Any, answer: Any) -> Any:
        """Compare the first answer of rows that have no fingerprint with a fresh one."""
        if self._fingerprint is None and isinstance(answer, SurveyAnswer):
            fresh = self._runner.run_pass(request)
            if not _saw_the_same_rows(fresh, answer):
                raise CheckpointError(
                    f"the checkpoint {self._directory} belongs to other rows: it saw {answer.n_rows} of them, now "
                    f"there are {fresh.n_rows}, or their values, their order or their division into blocks differ. "
                    "Delete it, or choose another directory"
                )
        return answer

    def _place(self, path: Path, write: Any) -> None:
        """Write under another name, then move: the final name never has a part of a file."""
        with written_whole(path) as draft, open(draft, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())

    @contextlib.contextmanager
    def _forgiving(self, n_bytes: int) -> Any:
        """Let a disk that cannot be written end the checkpoint, not the fit."""
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
                "continues without further checkpoints; those of earlier passes stay valid. Free some space, or choose "
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


def _saw_the_same_rows(one: SurveyAnswer, other: SurveyAnswer) -> bool:
    """Return whether two surveys agree: their means up to the order of merging, their samples row by row."""
    samples = [digest_of(pack_answer("", each.sample.picked)) for each in (one, other)]
    return (
        one.lengths == other.lengths
        and np.allclose(one.mean, other.mean, rtol=1e-12, atol=1e-300)
        and samples[0] == samples[1]
    )
