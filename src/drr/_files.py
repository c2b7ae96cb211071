"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

_FOLDER_PREFIX = ".drr-draft-"


@contextlib.contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A draft to write to, which replaces `path` once all is written and is removed otherwise.

    An interruption or a full disk leaves what was at `path` before untouched. The draft has the name of the file, by
    which writers choose a format, and lies in a folder of its own beside it, which nobody else may enter. A file that
    is replaced keeps its mode and owner, and where `path` is a link it is what the link names that is replaced. A pipe
    or a device cannot be replaced: it is handed all bytes at the end.
    """
    given = Path(path)
    if given.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    # Not resolved where it is not a file: what /dev/stdout leads to may have no name.
    is_stream = given.exists() and not given.is_file()
    target = given if is_stream else Path(os.path.realpath(given))
    try:
        with tempfile.TemporaryDirectory(
            prefix=_FOLDER_PREFIX, dir=None if is_stream else target.parent, ignore_cleanup_errors=True
        ) as folder:
            draft = Path(folder, target.name)
            yield draft
            if is_stream:
                with open(draft, "rb") as source, open(target, "wb") as stream:
                    shutil.copyfileobj(source, stream)
            else:
                _keep_permissions(target, draft)
                os.replace(draft, target)
    except OSError as error:
        # A full disk names no file, and the draft means nothing to anybody.
        if error.filename is None or _FOLDER_PREFIX in str(error.filename):
            error.filename = os.fspath(path)
        raise


def _keep_permissions(old: Path, new: Path) -> None:
    try:
        before = old.stat()
    except FileNotFoundError:
        return
    if sys.platform != "win32":
        # Without the right to give files away the new one belongs to who writes it, as any file does.
        with contextlib.suppress(PermissionError):
            os.chown(new, before.st_uid, before.st_gid)
    os.chmod(new, stat.S_IMODE(before.st_mode))
