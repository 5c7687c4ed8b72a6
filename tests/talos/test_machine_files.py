import pytest

from conftest import message
from constructs_lib.talos.config.patch_parts import check_machine_files

CUSTOMIZATION = "/etc/cri/conf.d/20-customization.part"


def entry(path="/var/lib/a", op="create", **rest):
    return {"path": path, "op": op, "content": "a", **rest}


@pytest.mark.parametrize(
    "files",
    [
        [],
        [entry()],
        [entry(), entry("/var/lib/b", permissions=0o644)],
        [entry(CUSTOMIZATION)],
        [entry(CUSTOMIZATION), entry()],
        [entry(), entry(op="append")],
        # nfsmount.conf is there, and many a cluster overwrites it.
        [entry("/etc/nfsmount.conf", "overwrite"), entry("/etc/hosts", "append")],
        [entry("/etc/kubernetes/manifests/a.yaml")],
        [{"path": "/var/a", "op": "create"}],
    ],
)
def test_what_talos_writes_is_accepted_as_it_is(files):
    assert check_machine_files(files) == files


@pytest.mark.parametrize(
    "path",
    [
        "/etc/nvidia-container-runtime/config.toml",
        "/etc/cri/conf.d/30-other.part",
        "/etc/kubernetes/manifests/folder/a.yaml",
        "/variable/a",
        "/opt/a",
    ],
)
def test_a_file_outside_var_is_not_created(path):
    assert message(lambda: check_machine_files([entry(), entry(path)])) == (
        f"'files[1].path' must be in /var (got '{path}'); Talos fails at boot: create operation not allowed outside of /var; the only "
        f"other file is {CUSTOMIZATION}"
    )


def test_a_second_customization_is_refused_though_it_holds_the_same():
    assert message(lambda: check_machine_files([entry(CUSTOMIZATION), entry(), entry(CUSTOMIZATION)])) == (
        f"'files' must be without a second {CUSTOMIZATION} (got [0, 2]); merge both entries into one: Talos 1.13 and older reboot at "
        "the second entry (EtcFileSpecs … already exists), newer Talos ignores the entry"
    )


@pytest.mark.parametrize("op", ["append", "overwrite"])
def test_the_customization_can_only_be_created(op):
    assert message(lambda: check_machine_files([entry(CUSTOMIZATION, op)])) == (
        f"'files[0].op' must be 'create' for {CUSTOMIZATION} (got '{op}'); Talos has no file at this path to change"
    )


def test_an_entry_without_an_operation_is_refused():
    assert message(lambda: check_machine_files([{"path": "/var/a", "content": ""}])) == (
        "'files[0].op' must be one of 'create', 'overwrite', 'append' (got nothing); without 'op' Talos fails at boot: unknown "
        "operation for file"
    )


@pytest.mark.parametrize(
    ("files", "error", "expected"),
    [
        (
            [entry(op="creat")],
            ValueError,
            "'files[0].op' must be one of 'create', 'overwrite', 'append' (got 'creat'); did you mean 'create'?",
        ),
        ([entry(op=None)], TypeError, "'files[0].op' must be one of 'create', 'overwrite', 'append' (got None)"),
        ([entry("var/a")], ValueError, "'files[0].path' must be an absolute path (got 'var/a')"),
        ([entry("")], ValueError, "'files[0].path' must be an absolute path (got '')"),
        ([{"op": "create"}], TypeError, "'files[0].path' must be an absolute path (got None)"),
        ([entry(content=1)], TypeError, "'files[0].content' must be a string (got 1)"),
        (
            [entry(contents="a")],
            ValueError,
            "'files[0]' must be a mapping of 'path', 'op', 'content' and 'permissions' (got 'contents'); did you mean 'content'?",
        ),
        (["/var/a"], TypeError, "'files[0]' must be a mapping of 'path', 'op', 'content' and 'permissions' (got '/var/a')"),
        ("/var/a", TypeError, "'files' must be a list of mappings with 'path', 'op' and 'content' (got '/var/a')"),
        ({}, TypeError, "'files' must be a list of mappings with 'path', 'op' and 'content' (got {})"),
        (None, TypeError, "'files' must be a list of mappings with 'path', 'op' and 'content' (got None)"),
    ],
)
def test_an_entry_of_another_shape_is_refused(files, error, expected):
    assert message(lambda: check_machine_files(files), error) == expected


def test_an_error_names_the_list_as_its_reader_does():
    assert message(lambda: check_machine_files([entry("/a")], "machine.files")).startswith("'machine.files[0].path' must be in /var ")
