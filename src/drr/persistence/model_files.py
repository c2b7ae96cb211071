"""Model files: how they are written, what they say of themselves, and how they are read."""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import operator
import os
import platform
import sys
import warnings
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from drr._files import written_whole
from drr._native import __version__
from drr.classifier import DRRClassifier
from drr.exceptions import ModelFileError
from drr.features.feature_map import RakingFeatureMap
from drr.persistence.tree_checks import check_trees
from drr.persistence.trusted_types import untrusted
from drr.raking.estimator import RakingDual
from drr.resampling import RakingResampler

# Raised when an older drr could no longer make sense of a file.
FORMAT = 1

_NOTE = "drr.json"
_PACKAGES = ("numpy", "scipy", "scikit-learn", "skops")

_ESTIMATORS = (DRRClassifier, RakingDual, RakingFeatureMap, RakingResampler)


@dataclass(frozen=True)
class ModelNote:
    """What a model file says of itself.

    Examples
    --------
    >>> from drr import ModelNote
    >>> ModelNote(format=1, created="2026-01-01T00:00:00+00:00", versions={"drr": "0.1.0"}).about
    {}
    """

    format: int
    created: str
    """in UTC, ISO 8601"""
    versions: dict[str, str]
    """of drr, Python and the packages beneath"""
    about: dict[str, Any] = field(default_factory=dict)
    """what the writer of the model wanted to remember, such as the name of the target column"""


def save(model: Any, path: str | os.PathLike[str], *, about: Mapping[str, Any] | None = None) -> None:
    """Save a fitted estimator of drr; needs `skops <https://skops.readthedocs.io>`_.

    The file appears at `path` once it is complete, and replaces what was there. A warning names the types in it that
    `load` builds only if they are trusted, such as a base of another package.

    Parameters
    ----------
    model : DRRClassifier, RakingDual, RakingFeatureMap or RakingResampler
    path : path
        By custom it ends in ``.skops``.
    about : dict, optional
        Whatever JSON can hold, to be read back with `read_note`.

    Raises
    ------
    TypeError
        The model is not an estimator of drr, or holds what cannot be loaded again: a function or a class not at the
        top level of its module.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import drr
    >>> feature_map = drr.RakingFeatureMap(0).fit([[0.0], [2.0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "map.skops")
    ...     drr.save(feature_map, path, about={"trained_on": "two rows"})
    ...     drr.load(path).transform([[4.0]]).tolist(), drr.read_note(path).about
    ([[3.0]], {'trained_on': 'two rows'})
    """
    if not isinstance(model, _ESTIMATORS):
        names = ", ".join(each.__name__ for each in _ESTIMATORS)
        raise TypeError(f"save is for estimators of drr ({names}), got a {type(model).__name__}")
    io = _skops()
    note = ModelNote(
        FORMAT,
        datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        {"drr": __version__, "python": platform.python_version()}
        | {package: importlib.metadata.version(package) for package in _PACKAGES},
        dict(about or {}),
    )
    with written_whole(path) as draft:
        io.dump(model, draft, compression=zipfile.ZIP_DEFLATED, compresslevel=3)
        unknown = untrusted(io.get_untrusted_types(file=draft))
        _check_importable(unknown)
        with zipfile.ZipFile(draft, "a", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(_NOTE, json.dumps(asdict(note), indent=1, ensure_ascii=False))
    if unknown:
        warnings.warn(
            f"{os.fspath(path)} holds types that drr.load does not build by itself: pass trusted={unknown} there, or "
            "--trust on the command line.",
            UserWarning,
            stacklevel=2,
        )


def load(path: str | os.PathLike[str], *, trusted: Sequence[str] = ()) -> Any:
    """Load what `save` saved. Only types that models of drr and of scikit-learn consist of are built.

    Parameters
    ----------
    path : path
    trusted : sequence of str
        Further types, by their full names or by the name of the package they come from. Loading imports it: trust what
        you would run.

    Returns
    -------
    DRRClassifier, RakingDual, RakingFeatureMap or RakingResampler

    Raises
    ------
    ModelFileError
        The file is damaged, not from drr, of a newer format, or holds types that are not trusted.
    FileNotFoundError

    Examples
    --------
    >>> import pathlib, tempfile, drr
    >>> feature_map = drr.RakingFeatureMap(0).fit([[0.0], [2.0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "map.skops"
    ...     drr.save(feature_map, path)
    ...     loaded = drr.load(path)
    >>> loaded.mean_.tolist()
    [1.0]
    """
    read_note(path)
    io = _skops()
    try:
        named = io.get_untrusted_types(file=path)
    except Exception as error:  # whatever a damaged archive makes skops trip over
        raise _damaged(path, error) from error
    unknown = untrusted(named, trusted)
    if unknown:
        raise ModelFileError(
            f"{os.fspath(path)} holds types that are not trusted: {', '.join(unknown)}; if you know where the file "
            "comes from, name them, or their package, in `trusted`"
        )
    try:
        model = io.load(path, trusted=named)
    except Exception as error:
        raise _damaged(path, error) from error
    if not isinstance(model, _ESTIMATORS):
        raise ModelFileError(f"{os.fspath(path)} holds a {type(model).__name__}, not an estimator of drr")
    try:
        check_trees(model)
    except Exception as error:  # a part may lack whatever the file left out
        raise _damaged(path, error) from error
    return model


def read_note(path: str | os.PathLike[str]) -> ModelNote:
    """Return what a model file says of itself, without building anything.

    Raises
    ------
    ModelFileError
        The file is damaged, not from drr, or of a newer format.
    FileNotFoundError

    Examples
    --------
    >>> import pathlib, tempfile, drr
    >>> feature_map = drr.RakingFeatureMap(0).fit([[0.0], [2.0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "map.skops"
    ...     drr.save(feature_map, path)
    ...     note = drr.read_note(path)
    >>> note.versions["drr"] == drr.__version__
    True
    """
    try:
        with zipfile.ZipFile(path) as archive:
            content = json.loads(archive.read(_NOTE))
    except KeyError:
        raise ModelFileError(
            f"{os.fspath(path)} was not saved by drr; save the model again with drr.save or `drr fit`"
        ) from None
    except (FileNotFoundError, IsADirectoryError, PermissionError):
        raise
    except Exception as error:  # zipfile and json have many ways to say that bytes are wrong
        raise _damaged(path, error) from error
    if not isinstance(content, dict):
        raise _damaged(path, TypeError("its note is not a dictionary"))
    _check_format(path, content)
    kinds = {"format": int, "versions": dict, "about": dict}
    if not all(isinstance(content.get(name), kind) for name, kind in kinds.items()):
        raise _damaged(path, TypeError("its note has entries of the wrong kind"))
    try:
        return ModelNote(**content)
    except TypeError as error:
        raise _damaged(path, error) from error


def _check_format(path: str | os.PathLike[str], content: Mapping[str, Any]) -> None:
    """Raise for a file of a later format, whatever else its note says."""
    number = content.get("format")
    if not isinstance(number, int) or number <= FORMAT:
        return
    versions = content.get("versions")
    writer = versions.get("drr", "a newer version") if isinstance(versions, dict) else "a newer version"
    raise ModelFileError(
        f"{os.fspath(path)} was saved by drr {writer} in format {number}, and this drr {__version__} reads formats up "
        f"to {FORMAT}: pip install --upgrade density-ratio-rescoring"
    )


def _damaged(path: str | os.PathLike[str], error: Exception) -> ModelFileError:
    cause = (str(error).splitlines() or [type(error).__name__])[0]
    return ModelFileError(
        f"{os.fspath(path)} is not a model file or is damaged ({cause}); copy it again, or fit the model again"
    )


def _check_importable(names: Sequence[str]) -> None:
    """Raise TypeError for types and functions that cannot be imported by their names."""
    for name in names:
        module = name
        while module and module not in sys.modules:
            module = module.rpartition(".")[0]
        try:
            operator.attrgetter(name.removeprefix(f"{module}."))(sys.modules[module])
        except (AttributeError, KeyError):
            raise TypeError(
                f"the model holds {name}, which cannot be loaded again: it is not at the top level of its module. "
                "Define it there, in a module that can be imported when the model is loaded"
            ) from None


def _skops() -> Any:
    try:
        import skops.io
    except ImportError:
        raise ImportError('model files need skops: pip install "density-ratio-rescoring[cli]"') from None
    return skops.io
