"""Persistence: fitted estimators as files that say what wrote them and run no code when they are read.

A model file is a `skops <https://skops.readthedocs.io>`_ file, a zip archive of arrays and a description of the objects
around them, with one more member: a note in JSON with the number of the format and the versions of the packages. The
note is read before anything else: a file of a newer format fails with a clear message.

Estimators can be pickled or saved by joblib as well. Such files run whatever code they contain: load only your own.
"""

from drr.persistence.model_files import ModelNote, load, read_note, save
from drr.persistence.trusted_types import TRUSTED_TYPES

__all__ = ["TRUSTED_TYPES", "ModelNote", "load", "read_note", "save"]
