"""Writing a fix: in one step, with the mode, the marks and the links of the file."""

import os
import subprocess

import pytest

from constructs_lib.checks.fixes.files import contents, differences, why_unwritable, write


def test_a_file_keeps_its_mode_its_byte_order_mark_and_its_line_ends(tmp_path):
    file = tmp_path / "a.yaml"
    file.write_bytes("\ufeffa: é\r\nb: 1".encode())
    file.chmod(0o640)

    write({file: contents(file).replace("1", "2")})

    assert file.read_bytes() == "\ufeffa: é\r\nb: 2".encode()
    assert file.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [file]


def test_a_symbolic_link_stays_one(tmp_path):
    file, link = tmp_path / "a.yaml", tmp_path / "link.yaml"
    file.write_text("a: 1\n")
    link.symlink_to(file)

    write({link: "a: 2\n"})

    assert (link.is_symlink(), file.read_text()) == (True, "a: 2\n")


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    file = tmp_path / "a.yaml"
    file.write_text("a: 1\n")

    def fail(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr(type(file), "replace", fail)
    with pytest.raises(OSError, match="no space"):
        write({file: "a: 2\n"})

    assert (file.read_text(), list(tmp_path.iterdir())) == ("a: 1\n", [file])


def test_only_a_file_below_the_given_paths_may_be_written(tmp_path):
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (outside / "a.yaml").write_text("a: 1\n")
    (inside / "link.yaml").symlink_to(outside / "a.yaml")
    (inside / "b.yaml").write_text("b: 1\n")

    assert why_unwritable(inside / "b.yaml", frozenset({inside}), {}) is None
    assert why_unwritable(inside / "b.yaml", frozenset({inside / "b.yaml"}), {}) is None
    assert why_unwritable(inside / "link.yaml", frozenset({inside}), {}) == "the file is outside of the given files and folders"
    assert why_unwritable(inside / "link.yaml", frozenset({inside, outside}), {}) is None
    assert why_unwritable(inside / "c.yaml", frozenset({inside}), {}) == "the value is not in a file"


def test_a_file_with_two_names_is_written_under_one(tmp_path):
    (tmp_path / "a.yaml").write_text("a: 1\n")
    (tmp_path / "b.yaml").symlink_to(tmp_path / "a.yaml")

    names = {tmp_path / "a.yaml": tmp_path / "a.yaml"}

    assert "another name" in why_unwritable(tmp_path / "b.yaml", frozenset({tmp_path}), names)
    assert why_unwritable(tmp_path / "a.yaml", frozenset({tmp_path}), names) is None


def test_a_file_that_is_read_only_is_left(tmp_path, monkeypatch):
    file = tmp_path / "a.yaml"
    file.write_text("a: 1\n")
    file.chmod(0o444)
    if os.geteuid() == 0:  # root may write every file, so the system's answer is that for another user
        monkeypatch.setattr(os, "access", lambda path, wish: not wish & os.W_OK or bool(path.stat().st_mode & 0o200))

    assert why_unwritable(file, frozenset({tmp_path}), {}) == "the file is not writable"


@pytest.mark.parametrize(
    ("old", "new"),
    [("a: 1\nb: 2\n", "a: 1\nb: 3\n"), ("a: 1", "a: 2"), ("a: 1", "a: 1\nb: 2\n"), ("a: 1\n\x0cb: 1\n", "a: 1\n\x0cb: 2\n")],
)
def test_patch_makes_the_same_change_from_the_diff(tmp_path, monkeypatch, old, new):
    file = tmp_path / "a.yaml"
    file.write_text(old)

    diff = differences({file: new}, {file: "a.yaml"})
    subprocess.run(["git", "apply", "-p0", "--unsafe-paths", "-"], input=diff, text=True, check=True, cwd=tmp_path)

    assert file.read_text() == new
