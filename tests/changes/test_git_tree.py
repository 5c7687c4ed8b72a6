"""The files of a commit: as git keeps them, whatever the repository's own settings want to run."""

import os
import pathlib
import subprocess

import pytest

from conftest import message
from constructs_lib.changes import git_tree
from constructs_lib.changes.git_tree import commit_of, write_commit

AUTHOR = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}


def git(*words):
    environment = {**os.environ, **AUTHOR, "GIT_CONFIG_GLOBAL": os.devnull}
    return subprocess.run(["git", *words], env=environment, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository with one commit, as the current folder."""
    folder = tmp_path / "repository"
    (folder / "apps").mkdir(parents=True)
    monkeypatch.chdir(folder)
    git("init", "--quiet", "--initial-branch=main")
    (folder / "a.yaml").write_bytes(b"a: \xc3\xa9\r\n")
    (folder / "apps" / "b.yaml").write_bytes(b"b: 1\n")
    git("add", "--all")
    git("commit", "--quiet", "--message=first")
    return folder


def written(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_files_of_a_commit_are_written_byte_for_byte(repository, tmp_path):
    (repository / "a.yaml").write_text("a: 2\n")
    target = tmp_path / "target"

    assert write_commit("main", target) == (target, {}, {}, {}, target)
    assert written(target) == {"a.yaml": b"a: \xc3\xa9\r\n", "apps/b.yaml": b"b: 1\n"}


def test_the_current_folder_of_the_commit_is_returned(repository, tmp_path, monkeypatch):
    monkeypatch.chdir(repository / "apps")

    assert write_commit("HEAD", tmp_path / "target").folder == tmp_path / "target" / "apps"


def test_no_filter_attribute_hook_or_watcher_of_the_repository_runs_or_changes_a_byte(repository, tmp_path):
    (repository / ".gitattributes").write_text(
        "*.yaml filter=evil ident eol=crlf export-ignore export-subst working-tree-encoding=UTF-16\n"
    )
    git("config", "core.attributesFile", os.devnull)
    git("add", ".gitattributes")
    git("commit", "--quiet", "--message=second")
    ran = tmp_path / "ran"
    for key in ("filter.evil.smudge", "filter.evil.clean", "filter.evil.process", "core.fsmonitor", "core.pager", "core.sshCommand"):
        git("config", key, f"touch {ran}")
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-checkout", "reference-transaction", "post-index-change"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {ran}\n")
        (hooks / name).chmod(0o755)
    git("config", "core.hooksPath", str(hooks))
    target = tmp_path / "target"
    write_commit("HEAD", target)

    assert not ran.exists()
    assert written(target)["apps/b.yaml"] == b"b: 1\n"


def commit_links(**targets):
    for name, target in targets.items():
        (pathlib.Path.cwd() / name).symlink_to(target)
    git("add", "--all")
    git("commit", "--quiet", "--message=links")


def test_links_inside_of_the_tree_are_links(repository, tmp_path):
    commit_links(file="a.yaml", folder="apps", chain="folder")
    target = tmp_path / "target"

    assert write_commit("HEAD", target).outside == {}
    assert (target / "file").read_bytes() == b"a: \xc3\xa9\r\n"
    assert (target / "chain" / "b.yaml").read_bytes() == b"b: 1\n"


def test_links_out_of_the_tree_and_circles_are_told_and_not_written(repository, tmp_path):
    commit_links(passwords="/etc/passwd", above="..", chain="above/x", circle="circle")
    target = tmp_path / "target"

    assert sorted(write_commit("HEAD", target).outside) == ["above", "chain", "circle", "passwords"]
    assert written(target).keys() == {"a.yaml", "apps/b.yaml"}
    assert not any(path.is_symlink() for path in target.iterdir())


def test_no_link_is_written_through_another_link(repository, tmp_path):
    (tmp_path / "away").mkdir()
    target = subprocess.run(
        ["git", "hash-object", "-w", "--stdin"], input=f"{tmp_path}/away", capture_output=True, text=True, check=True
    ).stdout.strip()
    inner = subprocess.run(
        ["git", "mktree"], input=f"120000 blob {target}\tlink\n", capture_output=True, text=True, check=True
    ).stdout.strip()
    entries = f"120000 blob {target}\tx\n040000 tree {inner}\tx\n"
    tree = subprocess.run(["git", "mktree"], input=entries, capture_output=True, text=True, check=True).stdout.strip()
    write_commit(git("commit-tree", tree, "-m", "evil"), tmp_path / "target")

    assert [*(tmp_path / "away").iterdir()] == []


def test_a_name_that_is_no_text_keeps_its_bytes(repository, tmp_path):
    (repository / os.fsdecode(b"caf\xe9.yaml")).write_bytes(b"c: 1\n")
    git("add", "--all")
    git("commit", "--quiet", "--message=second")
    target = tmp_path / "target"
    write_commit("HEAD", target)

    assert (target / os.fsdecode(b"caf\xe9.yaml")).read_bytes() == b"c: 1\n"


@pytest.fixture
def clone(repository, tmp_path, monkeypatch):
    """Makes a clone with a filter, as the current folder."""

    def made(kept):
        git("config", "uploadpack.allowFilter", "true")
        git("clone", "--quiet", "--no-checkout", f"--filter={kept}", f"file://{repository}", str(tmp_path / "clone"))
        monkeypatch.chdir(tmp_path / "clone")

    return made


def test_a_clone_without_files_is_listed_and_nothing_is_fetched(clone, tmp_path):
    clone("blob:none")

    assert write_commit("HEAD", tmp_path / "target").missing.keys() == {"a.yaml", "apps/b.yaml"}
    git("fetch", "--quiet", "--refetch", "--no-filter")
    assert write_commit("HEAD", tmp_path / "all").missing == {}


def test_a_clone_without_folders_is_an_error_that_names_what_brings_them(clone, tmp_path):
    clone("tree:0")
    commit = git("rev-parse", "HEAD")
    words = f"the files of the commit {commit} can't be listed; this partial clone lacks its folders: `git fetch --refetch --no-filter` brings them: "

    assert message(lambda: write_commit("HEAD", tmp_path / "target"), ValueError).startswith(words)
    git("fetch", "--quiet", "--refetch", "--no-filter")
    assert write_commit("HEAD", tmp_path / "all").missing == {}


def test_links_out_and_submodules_are_no_files_and_are_told(repository, tmp_path):
    (repository / "link").symlink_to("/etc/passwd")
    git("add", "link")
    git("update-index", "--add", "--cacheinfo", f"160000,{git('rev-parse', 'HEAD')},module")
    git("commit", "--quiet", "--message=second")
    target = tmp_path / "target"
    found = write_commit("HEAD", target)

    assert sorted(path.name for path in target.iterdir()) == [".git", "a.yaml", "apps"]
    assert (found.outside, found.left_out) == ({"link": "/etc/passwd"}, {"module": (git("rev-parse", "HEAD~1"), "a submodule")})


def test_a_path_that_leads_out_of_the_folder_is_not_written(repository, tmp_path):
    blob = git("rev-parse", "HEAD:a.yaml")
    # `git mktree` makes the trees that `git add` refuses.
    inner = subprocess.run(
        ["git", "mktree"], input=f"100644 blob {blob}\tevil.yaml\n", capture_output=True, text=True, check=True
    ).stdout.strip()
    tree = subprocess.run(["git", "mktree"], input=f"040000 tree {inner}\t..\n", capture_output=True, text=True, check=True).stdout.strip()
    commit = git("commit-tree", tree, "-m", "evil")
    target = tmp_path / "inside" / "target"
    found = write_commit(commit, target)

    assert found.left_out == {"../evil.yaml": (blob, "its name is that of no file")}
    assert not (tmp_path / "inside" / "evil.yaml").exists()
    assert written(target) == {}


def test_a_file_that_a_partial_clone_has_not_is_missing_and_nothing_is_fetched(repository, tmp_path):
    blob = git("rev-parse", "HEAD:apps/b.yaml")
    (repository / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    target = tmp_path / "target"

    assert write_commit("HEAD", target).missing.keys() == {"apps/b.yaml"}
    assert [*written(target)] == ["a.yaml"]


@pytest.mark.parametrize("ref", ["--help", "-h", "--upload-pack=touch ran", "nothing", "a\0b", "main:a.yaml"])
def test_what_is_no_commit_names_none(repository, ref):
    assert commit_of(ref) is None
    assert list(repository.glob("ran")) == []


def test_an_unknown_ref_is_an_error(repository, tmp_path):
    words = "OLD and NEW must each be a file, a folder, or a ref of git (got 'mian'); git knows no such commit; `git fetch` may bring it"
    assert message(lambda: write_commit("mian", tmp_path / "target"), ValueError) == words


def test_a_ref_outside_of_a_repository_is_an_error(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    words = "OLD and NEW must each be a file, a folder, or a ref of git (got 'main'); the current folder is in no git repository"
    assert message(lambda: write_commit("main", tmp_path / "target"), ValueError) == words


def test_without_git_a_ref_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    words = "git must be installed to read a ref; give two folders instead"
    assert message(lambda: write_commit("main", tmp_path), ValueError) == words


def test_a_commit_with_very_much_in_it_is_refused(repository, tmp_path, monkeypatch):
    monkeypatch.setattr(git_tree, "_MOST", 10)

    assert message(lambda: write_commit("main", tmp_path / "target")) == (
        "the commit has 12 bytes in files, more than 10; give two folders with the files of the cluster instead"
    )


def test_a_large_file_is_told_where_its_format_says_something_about_a_cluster(repository, tmp_path, monkeypatch):
    monkeypatch.setattr(git_tree, "_LARGEST", 6)
    for name in ("large.yaml", "large.bin"):
        (repository / name).write_text("a: 1234\n")
    git("add", "--all")
    git("commit", "--quiet", "--message=large")
    target = tmp_path / "target"

    assert write_commit("HEAD", target).left_out == {
        "a.yaml": (git("rev-parse", "HEAD:a.yaml"), "larger than 6 bytes"),
        "large.yaml": (git("rev-parse", "HEAD:large.yaml"), "larger than 6 bytes"),
    }
    assert written(target).keys() == {"apps/b.yaml"}


def commit_of_tree(entries):
    tree = subprocess.run(["git", "mktree", "-z"], input=entries, capture_output=True, text=True, check=True).stdout.strip()
    return tree, git("commit-tree", tree, "-m", "made")


def test_names_that_the_system_does_not_take_are_told(repository, tmp_path):
    blob = git("rev-parse", "HEAD:a.yaml")
    inner, _ = commit_of_tree(f"100644 blob {blob}\tb.yaml\0")
    long = f"{'n' * 300}.yaml"
    _, commit = commit_of_tree(f"100644 blob {blob}\ta.yaml\0" * 2 + f"040000 tree {inner}\ta.yaml\x00100644 blob {blob}\t{long}\0")
    target = tmp_path / "target"
    reasons = {path: reason for path, (_, reason) in write_commit(commit, target).left_out.items()}

    assert reasons == {"a.yaml": "File exists", "a.yaml/b.yaml": "File exists", long: "File name too long"}
    assert written(target).keys() == {"a.yaml"}


def test_deep_folders_are_told(repository, tmp_path):
    tree, _ = commit_of_tree(f"100644 blob {git('rev-parse', 'HEAD:a.yaml')}\ta.yaml\0")
    for _ in range(150):
        tree, commit = commit_of_tree(f"040000 tree {tree}\td\0")
    target = tmp_path / "target"

    assert [reason for _, reason in write_commit(commit, target).left_out.values()] == ["below more than 100 folders"]
    assert written(target) == {}


def test_a_backslash_is_a_letter_of_a_name(repository, tmp_path):
    (repository / "a\\b.yaml").write_text("c: 1\n")
    git("add", "--all")
    git("commit", "--quiet", "--message=second")
    target = tmp_path / "target"

    assert write_commit("HEAD", target).left_out == {}
    assert written(target)["a\\b.yaml"] == b"c: 1\n"


def test_a_commit_with_very_many_files_is_refused(repository, tmp_path, monkeypatch):
    monkeypatch.setattr(git_tree, "_MOST_FILES", 1)

    assert message(lambda: write_commit("main", tmp_path / "target")) == (
        "the commit has 2 files, more than 1; give two folders with the files of the cluster instead"
    )


def test_folders_that_repeat_without_end_are_stopped(repository, tmp_path):
    tree, _ = commit_of_tree("".join(f"100644 blob {git('rev-parse', 'HEAD:a.yaml')}\t{n}\0" for n in range(10)))
    for _ in range(9):
        tree, commit = commit_of_tree("".join(f"040000 tree {tree}\t{n}\0" for n in range(10)))

    assert message(lambda: write_commit(commit, tmp_path / "target")) == (
        f"the files of the commit {commit} can't be listed: more than 100,000,000 bytes; give two folders with the files of the cluster instead"
    )
