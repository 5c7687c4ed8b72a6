"""Copies of repositories: where they are found, and what is read of them."""

import shutil

import pytest

from published import Upstream, git
from tools.pins.repositories import GitHubRepository, UnreachableError, local_repository

NAME = "siderolabs/talos"


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    copies = tmp_path_factory.mktemp("published")
    upstream = Upstream(copies)
    upstream.publish(NAME, "v9.0.0", {"a/b.txt": "new", "c.txt": "c"}, date="2026-04-05")
    return upstream.copies / "siderolabs+talos"


@pytest.mark.parametrize("place", ["siderolabs+talos", "siderolabs/talos"])
@pytest.mark.parametrize("form", ["clone", "bare", "bare in a folder"])
def test_a_copy_is_found_in_each_form(clone, tmp_path, place, form):
    folder = tmp_path / place
    if form == "clone":
        shutil.copytree(clone, folder)
    else:
        shutil.copytree(clone / ".git", folder if form == "bare" else folder / "mirror")
    repository = local_repository(NAME, tmp_path)

    assert repository.tags() == ["v1.14.1", "v9.0.0"]
    assert repository.files("v9.0.0", "a", "c.txt") == {"a/b.txt": "new", "c.txt": "c"}
    assert repository.read_on == "2026-04-05"


def test_sources_are_the_files_with_an_ending_in_the_folders_that_a_tag_has(clone, tmp_path):
    (tmp_path / "siderolabs").mkdir()
    shutil.copytree(clone, tmp_path / "siderolabs" / "talos")

    for repository in (local_repository(NAME, clone.parent), GitHubRepository(NAME, tmp_path / "work", f"file://{tmp_path}")):
        assert repository.sources("v9.0.0", ("a", "none", "c.txt"), (".txt",)) == {"a/b.txt": "new", "c.txt": "c"}
        assert repository.sources("v9.0.0", ("a",), (".go",)) == {}
        assert repository.sources("v9.0.0", ("none",), (".txt",)) == {}


def test_a_copy_without_the_content_of_a_file_is_unreachable_with_the_file(tmp_path):
    upstream = Upstream(tmp_path)
    upstream.publish("a/partial", "v1.0.0", {"a.go": "one", "b.txt": "two"})
    copy = upstream.copies / "a+partial"
    blob = git(copy, "rev-parse", "v1.0.0:a.go").strip()
    (copy / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    repository = local_repository("a/partial", upstream.copies)

    assert repository.sources("v1.0.0", ("b.txt",), (".txt",)) == {"b.txt": "two"}
    with pytest.raises(UnreachableError, match=r"^a/partial: v1.0.0 has a.go, but not its content$"):
        repository.sources("v1.0.0", (".",), (".go",))


def test_a_go_module_has_the_versions_of_the_cache(tmp_path):
    root = tmp_path / "github.com/!n!v!i!d!i!a/go-nvml@v0.13.0"
    (root / "pkg").mkdir(parents=True)
    (root / "pkg" / "a.go").write_text("one")
    repository = local_repository("NVIDIA/go-nvml", tmp_path / "none", tmp_path)

    assert repository.tags() == ["v0.13.0"]
    assert repository.files("v0.13.0", "pkg/a.go") == {"pkg/a.go": "one"}
    assert repository.sources("v0.13.0", ("pkg", "cmd"), (".go",)) == {"pkg/a.go": "one"}
    assert repository.read_on == ""
    with pytest.raises(UnreachableError, match=r"^NVIDIA/go-nvml: v0.13.0 has no cmd$"):
        repository.files("v0.13.0", "cmd")


def test_what_is_missing_is_unreachable_with_its_name(clone, tmp_path):
    repository = local_repository(NAME, clone.parent)

    with pytest.raises(UnreachableError, match=r"^siderolabs/talos: .*nothing.txt"):
        repository.files("v9.0.0", "nothing.txt")
    with pytest.raises(UnreachableError, match=r"^siderolabs/talos: .*v0.0.1"):
        repository.files("v0.0.1", "a")
    with pytest.raises(UnreachableError, match=r"^siderolabs/talos: no copy in "):
        local_repository(NAME, tmp_path)


def test_over_the_network_only_the_files_that_are_asked_for_are_fetched(clone, tmp_path):
    (tmp_path / "siderolabs").mkdir()
    shutil.copytree(clone, tmp_path / "siderolabs" / "talos")
    repository = GitHubRepository(NAME, tmp_path / "work", f"file://{tmp_path}")

    assert repository.tags() == ["v1.14.1", "v9.0.0"]
    assert not (tmp_path / "work").exists()
    assert repository.files("v9.0.0", "a") == {"a/b.txt": "new"}
    present = git(tmp_path / "work", "rev-list", "--objects", "--all", "--missing=print").split()
    assert len([name for name in present if name.startswith("?")]) == len(["c.txt"])
    with pytest.raises(UnreachableError, match=r"^siderolabs/talos: v9.0.0 has no nothing.txt$"):
        repository.files("v9.0.0", "nothing.txt")
    with pytest.raises(UnreachableError, match=r"^siderolabs/talos: .*v0.0.1"):
        repository.files("v0.0.1", "a")
