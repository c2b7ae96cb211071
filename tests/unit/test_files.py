from __future__ import annotations

import gzip
import os
import stat
import sys
import threading

import pytest

from drr._files import written_whole

posix = pytest.mark.skipif(sys.platform == "win32", reason="modes, links and pipes of POSIX")


def write(path, text):
    with written_whole(path) as draft:
        draft.write_text(text)


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444])
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path, mode):
    path = tmp_path / "model.skops"
    path.write_text("old")
    path.chmod(mode)
    write(path, "new")
    assert path.read_text() == "new"
    assert mode_of(path) == mode


@posix
def test_a_new_file_has_the_mode_of_any_other(tmp_path):
    (tmp_path / "plain").write_text("")
    write(tmp_path / "whole", "")
    assert mode_of(tmp_path / "whole") == mode_of(tmp_path / "plain")


@posix
def test_nobody_else_may_read_the_draft_of_a_private_file(tmp_path):
    with written_whole(tmp_path / "model.skops") as draft:
        draft.write_text("new")
        assert mode_of(draft.parent) == 0o700


@posix
@pytest.mark.parametrize("exists", [True, False])
def test_what_a_link_names_is_written_and_the_link_stays(tmp_path, exists):
    (tmp_path / "real").mkdir()
    target, link = tmp_path / "real" / "model.skops", tmp_path / "link.skops"
    if exists:
        target.write_text("old")
    link.symlink_to(target)
    write(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert sorted(tmp_path.iterdir()) == [link, target.parent]
    assert list(target.parent.iterdir()) == [target]


@posix
def test_a_pipe_is_handed_the_bytes_and_stays_a_pipe(tmp_path):
    pipe, received = tmp_path / "scores.csv", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: received.append(pipe.read_text()), daemon=True)
    reader.start()
    write(pipe, "all of it")
    reader.join(10)
    assert received == ["all of it"]
    assert pipe.is_fifo()


@posix
def test_a_pipe_is_handed_nothing_where_the_writer_fails(tmp_path):
    pipe = tmp_path / "scores.csv"
    os.mkfifo(pipe)
    with pytest.raises(TypeError), written_whole(pipe) as draft:
        draft.write_text(None)
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_folder_is_refused_before_any_work(tmp_path):
    with pytest.raises(IsADirectoryError, match=tmp_path.name), written_whole(tmp_path):
        pytest.fail("the work was begun")


@pytest.mark.parametrize("length", [248, 255])
@posix
def test_the_longest_name_that_a_file_may_have(tmp_path, length):
    path = tmp_path / ("m" * (length - 6) + ".skops")
    write(path, "new")
    assert path.read_text() == "new"


def test_a_missing_folder_is_told_with_the_name_of_the_file(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        write(tmp_path / "missing" / "model.skops", "")
    assert caught.value.filename == str(tmp_path / "missing" / "model.skops")


def test_a_compressed_file_remembers_its_own_name(tmp_path):
    path = tmp_path / "scores.csv.gz"
    with written_whole(path) as draft, gzip.open(draft, "wt") as file:
        file.write("score\n")
    assert path.read_bytes()[10:].startswith(b"scores.csv\0")  # after the fixed part of the header
