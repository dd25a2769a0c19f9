"""Files: whole or not there, at the end of links, and what is no file."""

import os
import stat
import threading
from pathlib import Path

import pytest

from clusterbits.errors import FileError
from clusterbits.system import atomic_files
from clusterbits.system.atomic_files import write_file, write_text


def test_links_stay_links(tmp_path):
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    link.symlink_to(target)
    for text in ("new", "again"):
        write_text(link, text)
        assert link.is_symlink()
        assert target.read_text() == text + "\n"
    assert sorted(os.listdir(tmp_path)) == ["link.txt", "target.txt"]


def test_pipes_and_devices_are_written_to(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_text(pipe, "through")
    reader.join()
    assert read == ["through\n"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    write_text(type(pipe)(os.devnull), "gone")


def test_folders_are_refused(tmp_path):
    with pytest.raises(FileError, match="is a folder"):
        write_text(tmp_path, "text")


def test_the_mode_is_that_of_any_new_file(tmp_path):
    (tmp_path / "plain").touch()
    write_text(tmp_path / "ours", "text")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_nothing_is_left_of_a_file_that_failed(tmp_path):
    (tmp_path / "old").write_text("old")

    def fail(stream):
        stream.write(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_file(tmp_path / "old", fail)
    assert os.listdir(tmp_path) == ["old"]
    assert (tmp_path / "old").read_text() == "old"


def test_memory_that_looks_like_a_device_is_a_folder_like_any_other():
    assert not atomic_files._is_device(Path("/dev/shm/table.json"))
    assert atomic_files._is_device(Path("/dev/stdout"))
    assert atomic_files._is_device(Path("/dev/null"))
