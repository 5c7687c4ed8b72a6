"""Patches of Talos' machine configuration: what they make of what was there, and where each value was written."""

import pytest
import yaml

from constructs_lib.observed.model import literal
from constructs_lib.observed.read.documents import documents
from constructs_lib.observed.read.talos.patches import apply
from constructs_lib.observed.read.talos.pod_security import level, level_after
from constructs_lib.yaml.located import Seq, place_of


def patch(text, file="patch.yaml"):
    """A patch as it is read: its documents, or its operations."""
    found, skipped = documents(text, file)
    assert skipped == []
    if len(found) == 1 and isinstance(found[0].value, Seq):
        return found[0].value
    return Seq([each.value for each in found], [each.place for each in found])


def merged(*texts):
    result = Seq()
    for number, text in enumerate(texts):
        result = apply(result, patch(text, f"{number}.yaml"))
    return result


def plain(*texts):
    """What patches make together, without the places."""
    return yaml.safe_load(yaml.safe_dump([_plain(each) for each in merged(*texts)]))


def _plain(value):
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value


def test_maps_are_merged_and_the_later_value_wins():
    assert plain("machine: {sysctls: {a: '1', b: '1'}}", "machine: {sysctls: {b: '2', c: '3'}}") == [
        {"machine": {"sysctls": {"a": "1", "b": "2", "c": "3"}}}
    ]


def test_lists_are_appended_to():
    assert plain("machine: {files: [{path: /a}]}", "machine: {files: [{path: /b}, {path: /a}]}") == [
        {"machine": {"files": [{"path": "/a"}, {"path": "/b"}, {"path": "/a"}]}}
    ]


def test_an_empty_value_of_a_new_key_is_kept():
    assert plain("machine: {nodeLabels: {a: '', b: null}}", "machine: {nodeLabels: {c: ''}}") == [
        {"machine": {"nodeLabels": {"a": "", "c": ""}}}
    ]


@pytest.mark.parametrize("nothing", ["null", "''", "0"])
def test_what_is_empty_changes_nothing(nothing):
    assert plain("machine: {type: worker}", f"machine: {{type: {nothing}}}") == [{"machine": {"type": "worker"}}]


def test_false_is_something():
    assert plain("persist: true", "persist: false") == [{"persist": False}]


def test_a_map_that_is_marked_is_deleted():
    assert plain("cluster: {apiServer: {image: a}, proxy: {image: b}}", "cluster: {apiServer: {$patch: delete}}") == [
        {"cluster": {"proxy": {"image": "b"}}}
    ]


def test_talhelpers_doubled_dollar_marks_too():
    assert plain("cluster: {apiServer: {image: a}}", 'cluster: {apiServer: {"$$patch": delete}}') == [{"cluster": {}}]


def test_the_first_item_with_the_marked_ones_key_is_deleted_and_another_one_takes_its_place():
    had = "machine: {files: [{op: create, path: /a, content: old}, {op: create, path: /b}]}"
    then = "machine: {files: [{path: /a, $patch: delete}, {op: create, path: /a, content: new}]}"

    assert plain(had, then) == [{"machine": {"files": [{"op": "create", "path": "/b"}, {"op": "create", "path": "/a", "content": "new"}]}}]


def test_what_a_patch_only_deletes_is_not_there_without_what_it_deletes():
    assert plain("machine: {files: [{path: /a, $patch: delete}, {path: /b}], env: {$patch: delete}}") == [
        {"machine": {"files": [{"path": "/b"}]}}
    ]


def test_documents_are_one_by_kind_and_name():
    first = "apiVersion: v1alpha1\nkind: KernelModuleConfig\nname: nvidia\nparameters: [a=1]\n"
    second = "apiVersion: v1alpha1\nkind: KernelModuleConfig\nname: nvidia\nparameters: [b=2]\n---\n" + first.replace(
        "nvidia", "nvidia_uvm"
    )

    assert [(each["name"], each["parameters"]) for each in plain(first, second)] == [("nvidia", ["a=1", "b=2"]), ("nvidia_uvm", ["a=1"])]


def test_the_machine_configuration_is_one_document_whatever_stands_beside_it():
    assert plain("machine: {type: worker}", "apiVersion: v1alpha1\nkind: SysctlConfig\nparams: {a: '1'}\n---\nmachine: {env: {A: b}}") == [
        {"machine": {"type": "worker", "env": {"A": "b"}}},
        {"apiVersion": "v1alpha1", "kind": "SysctlConfig", "params": {"a": "1"}},
    ]


def test_a_document_that_is_marked_is_deleted_and_never_added():
    gone = "apiVersion: v1alpha1\nkind: SysctlConfig\n$patch: delete\n"

    assert plain("apiVersion: v1alpha1\nkind: SysctlConfig\nparams: {a: '1'}\n", gone) == []
    assert plain(gone) == []


def test_plugins_of_admission_control_are_merged_by_name():
    first = "cluster: {apiServer: {admissionControl: [{name: PodSecurity, configuration: {kind: A, defaults: {enforce: baseline}}}]}}"
    second = (
        "cluster: {apiServer: {admissionControl: [{name: PodSecurity, configuration: {defaults: {enforce: privileged}}}, {name: Other}]}}"
    )

    [config] = plain(first, second)
    assert config["cluster"]["apiServer"]["admissionControl"] == [
        {"name": "PodSecurity", "configuration": {"kind": "A", "defaults": {"enforce": "privileged"}}},
        {"name": "Other"},
    ]


def test_each_value_keeps_the_place_where_it_was_written():
    result = merged(
        "machine:\n  sysctls:\n    a: '1'\n  files:\n    - path: /a\n",
        "machine:\n  sysctls:\n    b: '2'\n    a: '2'\n  files:\n    - path: /b\n",
    )
    where = {
        path: place_of(result, (0, "machine", *path), ("nowhere", 0))
        for path in [("sysctls",), ("sysctls", "a"), ("sysctls", "b"), ("files", 0), ("files", 1, "path")]
    }

    assert where == {
        ("sysctls",): ("0.yaml", 2),
        ("sysctls", "a"): ("1.yaml", 4),
        ("sysctls", "b"): ("1.yaml", 3),
        ("files", 0): ("0.yaml", 5),
        ("files", 1, "path"): ("1.yaml", 6),
    }


def test_merging_changes_nothing_that_was_merged_before():
    base, more = patch("machine: {files: [{path: /a}], env: {A: b}}"), patch("machine: {files: [{path: /b}], env: {C: d}}")
    apply(apply(Seq(), base), more)

    assert _plain(base) == [{"machine": {"files": [{"path": "/a"}], "env": {"A": "b"}}}]


@pytest.mark.parametrize(
    ("operation", "then"),
    [
        ("{op: add, path: /machine/files/-, value: {path: /c}}", [{"path": "/a"}, {"path": "/b"}, {"path": "/c"}]),
        ("{op: add, path: /machine/files/0, value: {path: /c}}", [{"path": "/c"}, {"path": "/a"}, {"path": "/b"}]),
        ("{op: remove, path: /machine/files/0}", [{"path": "/b"}]),
        ("{op: replace, path: /machine/files/1, value: {path: /c}}", [{"path": "/a"}, {"path": "/c"}]),
        ("{op: replace, path: /machine/files/1/path, value: /c}", [{"path": "/a"}, {"path": "/c"}]),
        ("{op: replace, path: /machine/files/9, value: {path: /c}}", [{"path": "/a"}, {"path": "/b"}]),
        ("{op: add, path: /machine/files/99999999999999999999, value: {path: /c}}", [{"path": "/a"}, {"path": "/b"}, {"path": "/c"}]),
        ("{op: remove, path: /machine/files}", None),
        ("{op: test, path: /machine/files, value: []}", [{"path": "/a"}, {"path": "/b"}]),
    ],
)
def test_operations_of_rfc_6902_are_done(operation, then):
    [config] = plain("machine: {files: [{path: /a}, {path: /b}]}", f"[{operation}]")

    assert config["machine"].get("files") == then


def test_an_operation_makes_the_folders_that_may_be_in_what_was_not_read():
    assert plain("- {op: add, path: /machine/nodeLabels/nvidia.com~1gpu, value: 'true'}\n- {op: remove, path: /cluster/proxy}\n") == [
        {"machine": {"nodeLabels": {"nvidia.com/gpu": "true"}}}
    ]


def test_an_operation_with_a_path_that_no_configuration_has_is_left_alone():
    assert plain("machine: {type: worker}", f"- {{op: add, path: {'/a' * 1000}, value: 1}}") == [{"machine": {"type": "worker"}}]


def test_what_an_operation_adds_stands_where_the_operation_does():
    result = merged("machine:\n  type: worker\n", "- op: add\n  path: /machine/env\n  value: {A: b}\n")

    assert place_of(result, (0, "machine", "env"), ("nowhere", 0)) == ("1.yaml", 2)


FIELD = "cluster: {apiServer: {%s}}"
PLUGIN = "admissionControl: [{name: PodSecurity, configuration: {defaults: {enforce: %s}}}]"
DOCUMENT = "apiVersion: v1alpha1\nkind: KubeAdmissionControlConfig\nname: PodSecurity\n%s\n"


@pytest.mark.parametrize(
    ("text", "then"),
    [
        ("machine: {type: controlplane}", None),
        (FIELD % "image: a", None),
        (FIELD % (PLUGIN % "privileged"), "privileged"),
        (FIELD % (PLUGIN % "restricted"), "restricted"),
        (FIELD % (PLUGIN % "${LEVEL}").replace("${LEVEL}", "'${LEVEL}'"), "${LEVEL}"),
        (FIELD % "admissionControl: {$patch: delete}", "off"),
        (FIELD % "admissionControl: [{name: PodSecurity, $patch: delete}]", "off"),
        (FIELD % "admissionControl: null", "off"),
        (FIELD % "admissionControl: [{name: PodSecurity, configuration: {exemptions: {namespaces: [gpu]}}}]", None),
        (FIELD % "extraArgs: {disable-admission-plugins: 'A,PodSecurity'}", "off"),
        (FIELD % "extraArgs: {disable-admission-plugins: [PodSecurity]}", "off"),
        (FIELD % "extraArgs: {enable-admission-plugins: PodSecurity}", None),
        ("- {op: remove, path: /cluster/apiServer/admissionControl}", "off"),
        ("- {op: remove, path: /cluster/apiServer/admissionControl/0}", "off"),
        (DOCUMENT % "$patch: delete", "off"),
        (DOCUMENT % "configuration: {defaults: {enforce: privileged}}", "privileged"),
        ("apiVersion: v1alpha1\nkind: KubeAPIServerConfig\nextraArgs: {disable-admission-plugins: PodSecurity}\n", "off"),
    ],
)
def test_the_level_of_pod_security_is_what_patches_leave_of_it(text, then):
    assert literal(level_after([patch(text)])) == then


@pytest.mark.parametrize(
    ("text", "then"),
    [
        ("cluster: {apiServer: {disablePodSecurityPolicy: true}}", "off"),
        (FIELD % (PLUGIN % "baseline"), "baseline"),
        (FIELD % "admissionControl: [{name: PodSecurity, configuration: {exemptions: {}}}]", "privileged"),
        (DOCUMENT % "configuration: {defaults: {enforce: restricted}}", "restricted"),
    ],
)
def test_a_whole_configuration_enforces_what_it_says_and_else_nothing(text, then):
    assert level(patch(text)) == then


def test_one_document_of_a_patch_that_empties_admission_control_is_enough():
    emptied = FIELD % "admissionControl: null"

    assert literal(level_after([patch(f"{emptied}\n---\n" + FIELD % "image: a")])) == "off"
    assert literal(level_after([patch(FIELD % "image: a"), patch(emptied)])) == "off"


def test_a_list_with_one_item_that_is_no_operation_holds_documents():
    operation = "{op: add, path: /machine/type, value: worker}"

    assert plain("machine: {type: controlplane}", f"[{operation}, {{cluster: {{clusterName: home}}}}]")[0] == {
        "machine": {"type": "controlplane"},
        "cluster": {"clusterName": "home"},
    } | {"op": "add", "path": "/machine/type", "value": "worker"}
