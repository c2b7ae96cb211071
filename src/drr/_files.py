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

DRAFT_PREFIX = ".drr-draft-"


@contextlib.contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a draft to write to, which replaces `path` once it is complete and is removed otherwise.

    An interruption or a full disk leaves what was at `path` before untouched. The draft has the name of the file,
    from which writers choose a format, and is in a folder next to it that other users cannot enter. A file that is
    replaced keeps its mode and owner; if `path` is a link, the file behind the link is replaced. A pipe or a device
    cannot be replaced: it receives all bytes at the end.
    """
    given = Path(path)
    if given.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    # Do not resolve what is not a file: the target of /dev/stdout may have no name.
    is_stream = given.exists() and not given.is_file()
    target = given if is_stream else Path(os.path.realpath(given))
    try:
        with tempfile.TemporaryDirectory(
            prefix=DRAFT_PREFIX, dir=None if is_stream else target.parent, ignore_cleanup_errors=True
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
        # The error of a full disk names no file, and the name of the draft means nothing to the user.
        if error.filename is None or DRAFT_PREFIX in str(error.filename):
            error.filename = os.fspath(path)
        raise


def _keep_permissions(old: Path, new: Path) -> None:
    try:
        before = old.stat()
    except FileNotFoundError:
        return
    if sys.platform != "win32":
        # Without the right to give files away, the new file belongs to its writer, as any file does.
        with contextlib.suppress(PermissionError):
            os.chown(new, before.st_uid, before.st_gid)
    os.chmod(new, stat.S_IMODE(before.st_mode))
