"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A path to write to, next to `path`, which replaces it once all is written and is removed otherwise.

    An interruption or a full disk leaves what was at `path` before untouched. The name keeps all suffixes, by which
    writers choose a format.
    """
    target = Path(path)
    draft = target.with_name(f".{secrets.token_hex(4)}.{target.name}")
    try:
        yield draft
        os.replace(draft, target)
    except BaseException as error:
        draft.unlink(missing_ok=True)
        # A full disk names no file, and the draft means nothing to anybody.
        if isinstance(error, OSError) and error.filename in (None, os.fspath(draft)):
            error.filename = os.fspath(path)
        raise
