"""The rules on the GPU operator, condition by condition."""

from pathlib import Path

import pytest
import yaml
from chart_checks import (
    CDI,
    GIVEN,
    LEGACY,
    checked,
    config_map,
    daemon_set,
    node,
    node_feature_rule,
    operator,
    release,
    runtime_class,
    said,
)

from constructs_lib import GpuNodes
from constructs_lib.checks.engine import run_rules, violations_of
from constructs_lib.checks.rules import RULES
from constructs_lib.observed.agents.agent_kinds import may_write_marker
from constructs_lib.observed.read.repository import read, read_text
from constructs_lib.upstream.talos.releases import READ_ON

BRIDGE = "while true; do touch /run/nvidia/validations/toolkit-ready; sleep 30; done"
ONCE = "touch /run/nvidia/validations/toolkit-ready && sleep infinity"


def bridge(script, **given):
    return daemon_set("busybox:1.37", container={"command": ["sh", "-c", script]}, **given)


# The rule TG001: nothing writes the markers


def test_up_to_talos_1_12_an_operator_without_a_bridge_is_an_error():
    assert said(checked("TG001", LEGACY, chart="gpu-operator@v25.10.1", talos="1.12")) == [
        (
            "error",
            (
                "driver.enabled and toolkit.enabled are false. The operator's validator does not find the driver on Talos 1.12, and nothing in these "
                "files writes its marker files. Every operand waits in Init:0/1 for /run/nvidia/validations/toolkit-ready"
            ),
        )
    ]


@pytest.mark.parametrize("talos", ["1.13", "1.14"])
def test_from_talos_1_13_on_no_bridge_is_needed(talos):
    assert operator("TG001", CDI, talos=talos) == []


@pytest.mark.parametrize(
    "beside",
    [
        bridge(BRIDGE),
        bridge(ONCE),
        config_map("scripts", {"run.sh": BRIDGE}),
    ],
    ids=["a loop", "once, which is another rule", "a script in a ConfigMap"],
)
def test_whatever_writes_the_markers_is_a_bridge(beside):
    assert operator("TG001", LEGACY, beside, version="v25.10.1", talos="1.12") == []


def test_the_search_for_a_markers_name_ends_in_a_script_of_megabytes():
    assert not may_write_marker({"args": ["nvidia/validations" * 200_000]})


LOOP = "while true; do for f in driver toolkit; do touch /run/nvidia/validations/${f}-ready; done; sleep 30; done"


@pytest.mark.parametrize(
    ("script", "found"),
    [
        (LOOP, []),
        (LOOP.replace("${f}", "$f"), []),
        ("touch /run/nvidia/validations/${F}; sleep infinity", []),
        ("touch /run/nvidia/validations/$F; sleep infinity", []),
        ("exec /scripts/${S}", []),
        ("touch /run/nvidia/validations/driver-ready; sleep infinity", ["error"]),
        ("echo $HOME; sleep $TIME", ["error"]),
    ],
)
def test_a_script_with_a_variable_for_the_markers_name_may_be_a_bridge(script, found):
    assert operator("TG001", LEGACY, bridge(script), version="v25.10.1", talos="1.12") == found


@pytest.mark.parametrize(
    ("folder", "found"),
    [("/var/nvidia-driver", []), ("/usr/local", ["error"]), ("/run/nvidia/driver", ["error"]), (GIVEN, [])],
)
def test_a_folder_that_somebody_fills_stands_for_the_driver(folder, found):
    values = {**LEGACY, "hostPaths": {"driverInstallDir": folder}}

    assert operator("TG001", values, version="v25.10.1", talos="1.12") == found


@pytest.mark.parametrize("component", ["driver", "toolkit"])
@pytest.mark.parametrize("value", [True, GIVEN])
def test_an_operator_with_a_driver_or_a_toolkit_of_its_own_is_judged_elsewhere(component, value):
    assert operator("TG001", {**LEGACY, component: {"enabled": value}}, version="v25.10.1", talos="1.12") == []


def test_an_operator_for_virtual_machines_waits_for_no_marker():
    values = {**LEGACY, "sandboxWorkloads": {"enabled": True, "defaultWorkload": "vm-passthrough"}}

    assert operator("TG001", values, version="v25.10.1", talos="1.12") == []
    off = {**values, "sandboxWorkloads": {"enabled": False, "defaultWorkload": "vm-passthrough"}}
    assert operator("TG001", off, version="v25.10.1", talos="1.12") == ["error"]


@pytest.mark.parametrize(
    ("values", "version", "found"),
    [
        (LEGACY, "v25.10.1", ["warning"]),
        (LEGACY, "v26.7.0", ["warning"]),  # CDI off was made for an old Talos
        (CDI, "v25.10.1", ["warning"]),  # and so was this version
        (CDI, "v26.3.1", []),
        (CDI, "", []),
    ],
)
def test_without_a_version_of_talos_only_what_was_made_for_an_old_one_is_warned_of(values, version, found):
    assert operator("TG001", values, version=version, talos=None) == found


def test_in_a_mixed_cluster_the_gpu_nodes_may_run_something_else():
    assert operator("TG001", LEGACY, node(gpu=False, talos="v1.12.4"), version="v25.10.1", talos="1.12") == ["warning"]
    assert operator("TG001", LEGACY, node(talos="v1.12.4"), version="v25.10.1", talos="1.12") == ["error"]
    assert operator("TG001", LEGACY, version="v25.10.1", talos="1.12", nodes=[GpuNodes(talos_version="1.12")]) == ["error"]


def test_a_cluster_policy_is_an_operator_too():
    policy = {"apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy", "metadata": {"name": "cluster-policy"}, "spec": LEGACY}

    findings = checked("TG001", policy, talos="1.12")

    assert [(str(each.severity), each.object) for each in findings] == [("error", "ClusterPolicy cluster-policy")]


# The rule TG002: markers that are written once


@pytest.mark.parametrize(
    "script",
    [
        BRIDGE,
        BRIDGE.replace("true", ":"),
        'd=/run/nvidia/validations; touch "$d/toolkit-ready"; while true; do touch "$d/toolkit-ready"; sleep 30; done',
        "until false; do for f in driver-ready toolkit-ready; do touch /v/$f; done; sleep 5; done",
        "touch /run/nvidia/validations/toolkit-ready; sleep 300",  # it ends, and the kubelet begins it again
        "while [ ! -f /run/nvidia/validations/toolkit-ready ]; do sleep 5; done; sleep infinity",  # it waits, and writes nothing
    ],
)
def test_a_loop_is_no_one_shot(script):
    assert checked("TG002", bridge(script), talos="1.12") == []


@pytest.mark.parametrize(
    "script",
    [
        ONCE,
        "mkdir -p /v; touch /v/toolkit-ready; tail -f /dev/null",
        "touch /v/driver-ready /v/toolkit-ready && while true; do sleep 3600; done",
        "touch /v/toolkit-ready\nwhile :\ndo\n  sleep 1d & wait $!\ndone",
    ],
)
def test_a_marker_that_is_written_once_is_an_error(script):
    assert said(checked("TG002", bridge(script), talos="1.12")) == [
        (
            "error",
            (
                "the bridge writes the operator's marker files only once, and the operator's validator deletes the files whenever it starts "
                "or stops. Every operand that starts later waits in Init:0/1"
            ),
        )
    ]


def test_an_init_container_writes_once():
    pods = daemon_set("registry.k8s.io/pause:3.10")
    pods["spec"]["template"]["spec"]["initContainers"] = [{"name": "init", "image": "busybox", "command": ["touch", "/v/toolkit-ready"]}]

    assert [str(each.severity) for each in checked("TG002", pods, talos="1.12")] == ["error"]


def test_a_cron_job_writes_again_and_again():
    template = bridge(ONCE)["spec"]["template"]
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "bridge"}, "spec": {"template": template}}
    cron = {**job, "kind": "CronJob", "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": job["spec"]}}}

    assert [str(each.severity) for each in checked("TG002", job, talos="1.12")] == ["error"]
    assert checked("TG002", cron, talos="1.12") == []


@pytest.mark.parametrize("label", ["nvidia.com/gpu.deploy.operator-validator", "nvidia.com/gpu.deploy.operands"])
def test_without_a_validator_once_is_enough_until_a_reboot(label):
    off = node(talos="v1.12.4", nodeLabels={label: "false"})

    assert said(checked("TG002", bridge(ONCE), off)) == [
        (
            "warning",
            (
                "the bridge writes the operator's marker files only once, and nothing writes the files again after a reboot. Every operand "
                "that starts later waits in Init:0/1"
            ),
        )
    ]
    assert [str(each.severity) for each in checked("TG002", bridge(ONCE), node(talos="v1.12.4", nodeLabels={label: "true"}))] == ["error"]


def test_once_is_a_warning_without_a_version_of_talos_and_nothing_from_1_13_on():
    assert [str(each.severity) for each in checked("TG002", bridge(ONCE))] == ["warning"]
    assert checked("TG002", bridge(ONCE), talos="1.13") == []


# The rule TG003: where the operator looks for the driver


@pytest.mark.parametrize("folder", ["/usr/local", "/usr/local/", "/usr/local/lib", "/opt/nvidia", GIVEN])
def test_a_folder_that_is_there_is_right(folder):
    assert operator("TG003", {**CDI, "hostPaths": {"driverInstallDir": folder}}) == []


@pytest.mark.parametrize(("talos", "found"), [("1.13", ["error"]), (None, ["warning"]), ("1.12", [])])
def test_the_folder_of_talos_1_12_is_gone_from_1_13_on(talos, found):
    values = {**CDI, "hostPaths": {"driverInstallDir": "/usr/local/glibc/usr/lib"}}

    assert operator("TG003", values, talos=talos) == found


@pytest.mark.parametrize(
    ("talos", "found"), [("1.13.0-alpha.0", []), ("1.13.0-beta.1", []), ("1.13.0-rc.0", ["error"]), ("1.13.0", ["error"])]
)
def test_the_pre_releases_of_talos_1_13_before_its_first_candidate_still_have_the_folder(talos, found):
    values = {**CDI, "hostPaths": {"driverInstallDir": "/usr/local/glibc/usr/lib"}}

    assert operator("TG003", values, talos=talos) == found


@pytest.mark.parametrize(("talos", "where"), [("1.13", "Talos 1.13"), (None, "Talos 1.13 and newer")])
def test_what_is_said_of_a_folder_names_it(talos, where):
    values = {**CDI, "hostPaths": {"driverInstallDir": "/usr/local/glibc"}}

    assert checked("TG003", values, chart="gpu-operator", talos=talos)[0].message == (
        f"hostPaths.driverInstallDir is /usr/local/glibc, a path that {where} does not have. The validator's pod stays in "
        "CreateContainerError (failed to mkdir /usr/local/glibc: read-only file system)"
    )


def test_the_charts_own_folder_is_a_remark():
    values = {key: value for key, value in CDI.items() if key != "hostPaths"}

    assert said(checked("TG003", values, chart="gpu-operator@v26.7.0", talos="1.13")) == [
        (
            "remark",
            (
                "hostPaths.driverInstallDir is the chart's default, /run/nvidia/driver. The operator finds the driver of Talos 1.13 "
                "only by the link /usr/bin/nvidia-smi, and would not find a driver without the link"
            ),
        )
    ]
    assert operator("TG003", values, talos=None) == []
    assert operator("TG003", values, talos="1.12") == []
    assert operator("TG003", {**values, "driver": {"enabled": True}}) == []


# The rule TG004, TG030, TG029, TG036: versions


def test_v26_3_0_reads_no_version_of_talos():
    findings = checked("TG004", release("gpu-operator", CDI, version="v26.3.0"), talos="1.13")

    assert said(findings) == [
        (
            "error",
            (
                "gpu-operator v26.3.0 works on no Talos: it reads Talos' OS version as a number, so the ClusterPolicy stays NotReady "
                '(strconv.Atoi: parsing "v1", NVIDIA/gpu-operator#2239)'
            ),
        )
    ]
    assert findings[0].fix == f"Set version: v26.7.0, the newest version that this library knows (tables of {READ_ON})"


@pytest.mark.parametrize("key", ["version", "image", "repository"])
def test_an_operator_of_another_image_is_not_v26_3_0(key):
    assert checked("TG004", release("gpu-operator", {**CDI, "operator": {key: "other"}}, version="v26.3.0")) == []


def test_a_rule_of_nfd_mends_the_version():
    broken = release("gpu-operator", CDI, version="v26.3.0")

    assert checked("TG004", broken, node_feature_rule({"feature.node.kubernetes.io/system-os_release.VERSION_ID": "1.13"})) == []
    assert checked("TG004", broken, node_feature_rule({"feature.node.kubernetes.io/gpu": "true"})) != []


@pytest.mark.parametrize("version", ["v26.3.1", "v26.7.0", "v25.10.1", "26.x", None])
def test_other_versions_are_not_broken(version):
    assert checked("TG004", release("gpu-operator", CDI, version=version), talos="1.13") == []


def test_the_version_of_a_rendered_operator_is_in_its_label():
    metadata = {"name": "cluster-policy", "labels": {"helm.sh/chart": "gpu-operator-v26.3.0"}}
    policy = {"apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy", "metadata": metadata, "spec": CDI}
    other = daemon_set("nvcr.io/nvidia/gpu-operator:v26.3.1", name="gpu-operator") | {"kind": "Deployment"}

    assert [str(each.severity) for each in checked("TG004", policy, talos="1.13")] == ["error"]
    assert checked("TG004", policy, other, talos="1.13") == []
    assert checked("TG004", policy, daemon_set("busybox:1.37") | {"kind": "Deployment"}, talos="1.13") != []


def test_a_mixed_cluster_may_have_no_talos_with_a_gpu():
    broken = release("gpu-operator", CDI, version="v26.3.0")

    assert [str(each.severity) for each in checked("TG004", broken, node(gpu=False))] == ["warning"]
    assert [str(each.severity) for each in checked("TG004", broken, node())] == ["error"]


@pytest.mark.parametrize(
    ("version", "talos", "found"),
    [
        ("v25.10.1", "1.13", ["warning"]),
        ("v26.3.1", "1.13", []),
        ("v26.3.0", "1.13", []),  # that is TG004
        ("v25.3.0", "1.12", []),
        ("v24.9.2", "1.12", ["warning"]),
        ("v24.9.2", None, ["warning"]),
        ("v25.3.0", None, []),
        ("v26.3.3", "1.15", ["warning"]),
        ("26.x", "1.13", []),
    ],
)
def test_a_chart_that_is_older_than_its_talos_is_warned_of(version, talos, found):
    assert [str(each.severity) for each in checked("TG030", release("gpu-operator", CDI, version=version), talos=talos)] == found


def test_what_is_said_of_a_version_names_it():
    why = "older charts have other values"

    assert checked("TG030", release("gpu-operator", LEGACY, version="v24.9.2"), talos="1.12")[0].message == (
        f"gpu-operator v24.9.2 is older than v25.3.0, the first version that is known to work on Talos 1.12: {why}"
    )
    assert checked("TG030", release("gpu-operator", LEGACY, version="v24.9.2"))[0].message == (
        f"gpu-operator v24.9.2 is older than v25.3.0, the first version that is known to work on Talos: {why}"
    )
    effect = "of the chart dcgm-exporter. The newest version is installed, whether it works on this Talos or not"
    assert checked("TG029", release("dcgm-exporter", {}, version=None))[0].message == f"the release names no version {effect}"
    assert checked("TG029", release("dcgm-exporter", {}, version="*"))[0].message == f"the release asks for '*' {effect}"


def test_the_fix_of_an_old_chart_is_the_one_for_this_talos():
    assert (
        checked("TG030", release("gpu-operator", CDI, version="v25.10.1"), talos="1.13")[0].fix
        == f"Set version: v26.7.0, the newest version that this library knows (tables of {READ_ON})"
    )
    assert checked("TG030", release("gpu-operator", LEGACY, version="v24.9.2"), talos="1.12")[0].fix == "Set version: v25.10.1"


@pytest.mark.parametrize(("rule", "version"), [("TG004", "v26.3.0"), ("TG030", "v24.9.2")])
def test_the_fix_of_a_chart_for_an_unknown_talos_names_both_versions(rule, version):
    fix = "Set version: v26.7.0 from Talos 1.13 on, or version: v25.10.1 up to Talos 1.12"

    assert checked(rule, release("gpu-operator", CDI, version=version))[0].fix == fix


@pytest.mark.parametrize("chart", ["gpu-operator", "nvidia-device-plugin", "dcgm-exporter", "dra-driver-nvidia-gpu"])
@pytest.mark.parametrize(
    ("version", "found"),
    [(None, ["warning"]), ("*", ["warning"]), (">=0", ["warning"]), (">= 25.3.0", ["warning"]), ("26.x", []), ("~0.20.0", []), (GIVEN, [])],
)
def test_a_chart_of_nvidias_is_pinned(chart, version, found):
    assert [str(each.severity) for each in checked("TG029", release(chart, {}, version=version))] == found


def test_other_charts_and_files_of_values_need_no_version():
    assert checked("TG029", release("ollama", {}, version=None)) == []
    assert checked("TG029", CDI, chart="gpu-operator") == []


def test_the_account_of_a_rendered_hook_has_a_namespace():
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "gpu-operator-upgrade-crd-hook-sa"}}
    hook = {**account, "metadata": {**account["metadata"], "annotations": {"helm.sh/hook": "pre-upgrade"}}}

    assert [str(each.severity) for each in checked("TG036", hook)] == ["remark"]
    assert checked("TG036", account) == []
    assert checked("TG036", {**hook, "metadata": {**hook["metadata"], "namespace": "gpu-operator"}}) == []


def test_a_chart_that_kustomize_renders_holds_its_hook(tmp_path):
    def found(version, values):
        chart = {"name": "gpu-operator", "repo": "https://helm.ngc.nvidia.com/nvidia", "valuesInline": values, "version": version}
        kustomization = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "helmCharts": [chart]}
        (tmp_path / "kustomization.yaml").write_text(yaml.safe_dump(kustomization))
        return [(str(each.severity), Path(each.file).name, each.line) for each in run_rules(read([str(tmp_path)]), select=["TG036"])]

    assert found("v25.10.1", LEGACY) == [("remark", "kustomization.yaml", 5)]
    assert found("v26.3.0", CDI) == []
    assert found("v25.10.1", {**LEGACY, "operator": {"upgradeCRD": False}}) == []
    assert checked("TG036", release("gpu-operator", LEGACY, version="v25.10.1")) == []


# The rule TG010, TG011: driver and toolkit


def test_a_driver_of_the_operators_is_an_error_where_talos_has_the_gpus():
    values = {key: value for key, value in CDI.items() if key != "driver"}
    message = "but NVIDIA builds no driver image for Talos. The driver's pods stay in ImagePullBackOff"

    assert said(checked("TG010", values, chart="gpu-operator@v26.7.0", talos="1.13")) == [
        ("error", f"driver.enabled is true by default, {message}")
    ]
    assert said(checked("TG010", {**CDI, "driver": {"enabled": True}}, chart="gpu-operator@v26.7.0", talos="1.13")) == [
        ("error", f"driver.enabled is true, {message}")
    ]


@pytest.mark.parametrize(("component", "rule"), [("driver", "TG010"), ("toolkit", "TG011")])
def test_a_switch_that_is_off_or_not_known_is_no_finding(component, rule):
    for value in (False, "false", GIVEN):
        assert operator(rule, {**CDI, component: {"enabled": value}}) == []


@pytest.mark.parametrize(("component", "rule"), [("driver", "TG010"), ("toolkit", "TG011")])
def test_where_the_gpus_may_be_elsewhere_it_is_a_warning(component, rule):
    values = {**CDI, component: {"enabled": True}}

    assert operator(rule, values, talos=None) == ["warning"]
    assert operator(rule, values, node(gpu=False)) == ["warning"]
    assert operator(rule, values, node()) == ["error"]


@pytest.mark.parametrize(("component", "rule", "operand"), [("driver", "TG010", "driver"), ("toolkit", "TG011", "container-toolkit")])
def test_a_label_that_keeps_an_operand_off_the_nodes_of_talos_leaves_it_to_the_nodes_of_another_os(component, rule, operand):
    """`--fix` would take the driver from the other nodes."""
    values = {**CDI, component: {"enabled": True}}

    def labelled(key, value):
        labels = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1", "labels": {f"nvidia.com/gpu.deploy.{key}": value}}}
        return operator(rule, values, node(), labels)

    assert labelled(operand, "false") == []
    assert labelled(operand, "true") == ["error"]
    assert labelled("device-plugin", "false") == ["error"]


@pytest.mark.parametrize(("component", "rule", "operand"), [("driver", "TG010", "driver"), ("toolkit", "TG011", "container-toolkit")])
def test_the_label_that_keeps_an_operand_off_the_talos_nodes_is_a_mixed_cluster(component, rule, operand):
    values = {**CDI, component: {"enabled": True}}

    assert operator(rule, values, node(nodeLabels={f"nvidia.com/gpu.deploy.{operand}": "false"})) == []
    assert operator(rule, values, node(nodeLabels={f"nvidia.com/gpu.deploy.{operand}": "true"})) == ["error"]
    assert operator(rule, values, node(nodeLabels={"nvidia.com/gpu.deploy.dcgm": "false"})) == ["error"]


def live(system):
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {"nodeInfo": {"osImage": system}}}


@pytest.mark.parametrize(("component", "rule"), [("driver", "TG010"), ("toolkit", "TG011")])
@pytest.mark.parametrize(
    ("more", "beside", "is_safe"),
    [
        ({}, [], True),
        ({}, [live("Talos (v1.13.9)")], True),
        ({}, [live("Talos (v1.13.9)"), live("Ubuntu 24.04.3 LTS")], False),
        ({"version": "580.105.08"}, [], False),
    ],
)
def test_a_fix_takes_no_driver_from_nodes_of_another_os_without_being_asked(component, rule, more, beside, is_safe):
    text = "\n---\n".join(
        yaml.safe_dump(each)
        for each in (release("gpu-operator", {**CDI, component: {"enabled": True, **more}}, version="v26.7.0"), node(), *beside)
    )
    (violation,) = violations_of(RULES[rule], read_text(text, talos="1.13"))

    assert [edit.is_safe for edit in violation.edits] == [is_safe]


def test_a_driver_image_of_somebodys_own_is_a_warning():
    assert operator("TG010", {**CDI, "driver": {"enabled": True, "repository": "registry.example.com/talos"}}) == ["warning"]
    assert operator("TG010", {**CDI, "driver": {"enabled": True, "repository": "nvcr.io/nvidia", "image": "driver"}}) == ["error"]


def test_a_driver_with_a_licence_is_the_one_of_a_virtual_machine_and_no_extension_has_it():
    (finding,) = checked(
        "TG010", {**CDI, "driver": {"enabled": True, "licensingConfig": {"secretName": "licence"}}}, chart="gpu-operator", talos="1.13"
    )

    assert finding.severity == "warning"
    assert finding.fix == (
        "Set driver.enabled: false. NVIDIA's licence lets nobody publish the vGPU guest driver, so no extension of Talos has it: build an extension with the "
        "driver of your licence (siderolabs/extensions#461), or hand whole cards to the machine"
    )


@pytest.mark.parametrize(
    "changed",
    [
        {"repository": "ghcr.io/jfroy"},
        {"installDir": "/var/nvidia"},
        {"env": [{"name": "CONTAINERD_CONFIG", "value": "/var/nvidia/containerd.toml"}]},
    ],
)
def test_a_patched_toolkit_is_a_warning(changed):
    assert operator("TG011", {**CDI, "toolkit": {"enabled": True, **changed}}, talos="1.12") == ["warning"]


@pytest.mark.parametrize(("talos", "severity"), [("1.12", "warning"), (None, "remark")])
def test_a_toolkit_with_the_file_of_k3s_is_for_other_nodes_unless_those_with_gpus_run_talos(talos, severity):
    file = "/var/lib/rancher/k3s/agent/etc/containerd/config-v3.toml.d/nvidia.toml"
    names = {"CONTAINERD_CONFIG": "/var/lib/rancher/k3s/agent/etc/containerd/config.toml", "RUNTIME_DROP_IN_CONFIG": file}
    values = {
        **CDI,
        "toolkit": {"enabled": True, "env": [{"name": name, "value": value} for name, value in names.items()]},
        "cdi": {"nriPluginEnabled": False},
    }
    (finding,) = checked("TG011", values, chart="gpu-operator", talos=talos)

    assert str(finding.severity) == severity
    assert finding.message == (
        f"toolkit.enabled is true, but the toolkit writes {file}, which the containerd of Talos does not read by itself"
    )


@pytest.mark.parametrize(
    ("chart", "writes"),
    [("v25.3.4", "writes /var/lib/x.toml"), ("v25.10.1", "can't write to /etc/containerd/conf.d"), ("v26.7.0", "can't write to")],
)
def test_from_25_10_on_the_toolkit_writes_a_drop_in_file_too(chart, writes):
    values = {"toolkit": {"enabled": True, "env": [{"name": "CONTAINERD_CONFIG", "value": "/var/lib/x.toml"}]}}
    (finding,) = checked("TG011", values, chart=f"gpu-operator@{chart}", talos="1.12")

    assert writes in finding.message
    assert str(finding.severity) == "warning"


@pytest.mark.parametrize(("talos", "found"), [("1.12", ["error"]), ("1.13", ["error"]), ("1.14", ["warning"]), ("1.15", ["warning"])])
def test_from_talos_1_14_on_a_toolkit_may_inject(talos, found):
    assert operator("TG011", {**CDI, "toolkit": {"enabled": True}}, talos=talos) == found


@pytest.mark.parametrize(("talos", "found"), [("1.13", ["error"]), ("1.14", []), ("1.15", []), (None, [])])
def test_the_toolkit_of_the_nri_plugin_is_right(talos, found):
    values = {**CDI, "toolkit": {"enabled": True}, "cdi": {"nriPluginEnabled": True}}

    assert operator("TG011", values, talos=talos) == found


@pytest.mark.parametrize("rule", ["TG010", "TG011"])
def test_nodes_of_virtual_machines_get_neither(rule):
    machines = {"enabled": True, "defaultWorkload": "vm-passthrough"}

    assert operator(rule, {"sandboxWorkloads": machines}) == []
    assert operator(rule, {"sandboxWorkloads": {"enabled": True}}) == ["error"]


@pytest.mark.parametrize("rule", ["TG010", "TG011"])
def test_nodes_with_a_vgpu_manager_or_a_label_for_virtual_machines_get_neither(rule):
    machines = {"enabled": True}
    labelled = "---\nmachine: {nodeLabels: {nvidia.com/gpu.workload.config: vm-vgpu}, kernel: {modules: [{name: nvidia}]}}\n"

    assert operator(rule, {"sandboxWorkloads": machines, "vgpuManager": {"enabled": True}}) == []
    assert operator(rule, {"vgpuManager": {"enabled": True}}) == ["error"]
    assert operator(rule, {"sandboxWorkloads": machines}, labelled) == []
    assert operator(rule, {"sandboxWorkloads": machines}, labelled.replace("vm-vgpu", "container")) == ["error"]


def test_values_that_come_from_elsewhere_are_not_missing():
    elsewhere = release("gpu-operator", {}, valuesFrom=[{"kind": "Secret", "name": "values"}])

    for rule in ("TG001", "TG003", "TG006", "TG010", "TG011"):
        assert checked(rule, elsewhere, talos="1.13") == []


# The rule TG013: partitions


@pytest.mark.parametrize(
    "config",
    [{"default": "all-1g.10gb"}, {"name": "mig-parted-config"}, {"create": True}],
)
def test_partitions_that_the_mig_manager_is_to_make_are_warned_of(config):
    values = {**CDI, "migManager": {"enabled": True, "config": config}}

    assert operator("TG013", values) == ["warning"]
    assert operator("TG013", {**values, "migManager": {"enabled": False, "config": config}}) == []
    assert operator("TG013", {**values, "mig": {"strategy": "none"}}) == []


def test_a_mig_manager_that_nobody_asks_is_left_alone():
    assert operator("TG013", {**CDI, "migManager": {"enabled": True}}) == []
    assert operator("TG013", {**CDI, "migManager": {"enabled": True, "config": {"default": "all-disabled"}}}) == []
    assert operator("TG013", {**CDI, "migManager": {"enabled": True, "config": {"default": GIVEN}}}) == []


def test_a_label_of_a_node_asks_it():
    labelled = node(nodeLabels={"nvidia.com/mig.config": "all-1g.10gb"})

    assert operator("TG013", {**CDI, "migManager": {"enabled": True}}, labelled) == ["warning"]
    assert operator("TG013", {**CDI, "migManager": {"enabled": True}}, node(nodeLabels={"nvidia.com/mig.config": "all-disabled"})) == []


def test_a_newer_operator_may_have_mended_it():
    values = {**CDI, "migManager": {"enabled": True, "config": {"default": "all-1g.10gb"}}}

    assert operator("TG013", values, version="v27.1.0") == []


def test_partitions_need_somebody_who_cuts_them():
    nodes = [GpuNodes(talos_version="1.13", product="NVIDIA-H100-80GB-HBM3", mig_strategy="mixed", mig_devices={"1g.10gb": 7})]
    values = {**CDI, "mig": {"strategy": "mixed"}}
    cuts = daemon_set("k8s-mig-manager:v0.15.0", container={"command": ["sh", "-c", "nvidia-mig-parted apply -f /config"]})

    assert operator("TG013", values, nodes=nodes) == ["warning"]
    assert operator("TG013", values, cuts, nodes=nodes) == []
    assert operator("TG013", values, daemon_set("app", container={"command": ["sleep"]}), nodes=nodes) == ["warning"]
    assert operator("TG013", {**values, "devicePlugin": {"enabled": False}}, nodes=nodes) == []


# The rule TG014, TG015, TG016, TG005: what stands beside it


def test_a_runtime_class_of_the_same_handler_is_a_remark_and_another_handler_an_error():
    message = "the operator also creates the RuntimeClass nvidia. "

    assert said(checked("TG014", CDI, runtime_class(), chart="gpu-operator@v26.7.0")) == [
        (
            "remark",
            f"{message}Both have the same handler. The operator owns the RuntimeClass, and deletes it when the operator is uninstalled",
        )
    ]
    assert said(checked("TG014", CDI, runtime_class(handler="runc"), chart="gpu-operator@v26.7.0")) == [
        ("error", f"{message}The handler here is runc, and the operator's is nvidia. The update fails with 'handler: field is immutable'")
    ]


def test_other_runtime_classes_are_nobodys_business():
    assert operator("TG014", CDI, runtime_class("gpu")) == []
    assert operator("TG014", {**CDI, "operator": {"runtimeClass": "gpu"}}, runtime_class()) == []
    assert operator("TG014", {**CDI, "operator": {"runtimeClass": GIVEN}}, runtime_class()) == []
    assert operator("TG014", CDI, runtime_class(ownerReferences=[{"kind": "ClusterPolicy", "name": "cluster-policy"}])) == []
    assert operator("TG014", {**CDI, "cdi": {"nriPluginEnabled": True}}, runtime_class()) == []


def application(version="v26.7.0", values=None, **spec):
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "gpu-operator", "namespace": "argocd"},
        "spec": {
            "destination": {"namespace": "gpu"},
            "source": {
                "repoURL": "https://helm.ngc.nvidia.com/nvidia",
                "chart": "gpu-operator",
                "targetRevision": version,
                "helm": {"valuesObject": values or CDI},
            },
            **spec,
        },
    }


ADDED = ("cdi.default", "cdi.nriPluginEnabled", "hostPaths.kubeletRootDir")
OLDER = ("migManager.config.name", "operator.defaultRuntime")


def ignoring(*fields, kind="ClusterPolicy", **entry):
    return {"ignoreDifferences": [{"group": "nvidia.com", "kind": kind, "jsonPointers": [f"/spec/{each}" for each in fields], **entry}]}


def drifting(*objects):
    """The fields that the finding names."""
    return [field for each in checked("TG015", *objects) for field in (*ADDED, *OLDER) if f"spec.{field}" in each.message]


def test_argo_cd_shows_the_fields_that_the_chart_leaves_out():
    compared = application() | {
        "metadata": {"name": "o", "annotations": {"argocd.argoproj.io/compare-options": "ServerSideDiff=true,IncludeMutationWebhook=true"}}
    }

    message = (
        "the API server adds spec.cdi.default, spec.cdi.nriPluginEnabled and spec.hostPaths.kubeletRootDir to the ClusterPolicy, and the chart does "
        "not set these fields. Argo CD may show the Application as OutOfSync forever"
    )

    assert said(checked("TG015", application())) == [("remark", message)]
    assert checked("TG015", compared) == []
    assert checked("TG015", release("gpu-operator", CDI, version="v26.7.0")) == []


@pytest.mark.parametrize(
    ("version", "values", "fields"),
    [
        ("v25.3.4", CDI, OLDER),
        ("v25.10.1", CDI, ("cdi.default", *OLDER)),
        ("v25.10.1", {**CDI, "migManager": {"enabled": False, "config": {"name": "mine"}}}, ("cdi.default", OLDER[1])),
        ("v26.3.3", CDI, ("cdi.default", "cdi.nriPluginEnabled")),
        ("v26.3.3", {**CDI, "cdi": {"default": True, "nriPluginEnabled": True}}, ()),
        ("v26.7.0", {**CDI, "cdi": {"default": False, "nriPluginEnabled": GIVEN}}, ("cdi.default", "hostPaths.kubeletRootDir")),
        ("v26.7.0", {**CDI, "hostPaths": {"kubeletRootDir": "/var/lib/kubelet"}}, ("cdi.default", "cdi.nriPluginEnabled")),
    ],
)
def test_the_api_server_adds_the_fields_that_the_chart_of_the_version_leaves_out(version, values, fields):
    assert drifting(application(version, values)) == list(fields)


@pytest.mark.parametrize(
    ("ignored", "fields"),
    [
        (ignoring("cdi/default"), ADDED[1:]),
        (ignoring("cdi"), ADDED[2:]),
        (ignoring("cdi", "hostPaths/kubeletRootDir"), ()),
        (ignoring("cdi", "hostPaths", kind="*"), ()),
        (ignoring("cdi", "hostPaths", kind="Deployment"), ADDED),
        (ignoring(jqPathExpressions=[".spec.cdi"]), ()),
        (ignoring(managedFieldsManagers=["kube-apiserver"]), ()),
        (ignoring("cdi", GIVEN), ()),
        (ignoring("cdi", kind=GIVEN), ADDED[2:]),
    ],
)
def test_a_field_that_argo_cd_ignores_or_may_ignore_is_not_shown(ignored, fields):
    assert drifting(application(**ignored)) == list(fields)


def test_two_charts_bring_the_same_crds():
    dra = release("dra-driver-nvidia-gpu", {"nvidiaDriverRoot": "/usr/local"}, version="0.4.1")
    replaces = {"upgrade": {"crds": "CreateReplace"}}
    replaced = dra | {"spec": {**dra["spec"], **replaces}}

    def found(*documents):
        return [str(each.severity) for each in checked("TG016", *documents)]

    assert found(release("gpu-operator", CDI, version="v26.7.0", **replaces), replaced) == ["remark"]
    assert found(release("gpu-operator", CDI, version="v26.3.3", **replaces), replaced) == []
    assert found(release("gpu-operator", CDI, version="v26.7.0"), replaced) == []
    assert found(release("gpu-operator", CDI, version="v26.7.0", **replaces), dra) == []
    assert found(release("gpu-operator", CDI, version="v26.7.0", **replaces)) == []
    skipping = application()
    skipping["spec"]["source"]["helm"]["skipCrds"] = True
    several = application()
    several["spec"]["sources"] = [several["spec"].pop("source")]
    assert found(application(), replaced) == ["remark"]
    assert found(skipping, replaced) == []
    assert found(several, replaced) == ["remark"]
    several["spec"]["sources"][0]["helm"]["skipCrds"] = True
    assert found(several, replaced) == []


def test_an_operator_without_node_feature_discovery_runs_nothing():
    alone = {**CDI, "nfd": {"enabled": False}}
    nfd = release("node-feature-discovery", {})
    worker = daemon_set("registry.k8s.io/nfd/node-feature-discovery:v0.19.0", container={"command": ["nfd-worker"]})
    master = daemon_set("registry.k8s.io/nfd/node-feature-discovery:v0.19.0", container={"command": ["nfd-master"]})

    message = (
        "nfd.enabled is false, and no other node feature discovery was read. Without the labels of NFD the operator labels no "
        "node, and runs no operands"
    )
    findings = checked("TG005", "driver: {enabled: false}\nnfd: {enabled: false}\n", chart="gpu-operator")
    assert [(str(each.severity), each.message, each.line) for each in findings] == [("warning", message, 2)]
    assert operator("TG005", CDI) == []
    assert operator("TG005", alone, nfd) == []
    assert operator("TG005", alone, worker) == []
    assert operator("TG005", alone, master) == ["warning"]
    assert operator("TG005", {**CDI, "nfd": {"enabled": GIVEN}}) == []


def test_a_rendered_operator_has_its_node_feature_discovery_beside_it():
    policy = {"apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy", "metadata": {"name": "cluster-policy"}, "spec": CDI}
    deployment = daemon_set("nvcr.io/nvidia/gpu-operator:v26.7.0", name="gpu-operator") | {"kind": "Deployment"}
    worker = daemon_set("registry.k8s.io/nfd/node-feature-discovery:v0.19.0", container={"command": ["nfd-worker"]})

    assert said(checked("TG005", policy, deployment)) == [
        (
            "warning",
            (
                "the operator was rendered without NFD, and no other node feature discovery was read. Without the labels of NFD the "
                "operator labels no node, and runs no operands"
            ),
        )
    ]
    assert [str(each.severity) for each in checked("TG005", policy, daemon_set("app") | {"kind": "Deployment"})] == []
    assert checked("TG005", policy, deployment, worker) == []
    assert checked("TG005", policy) == []  # of which nobody knows what it was rendered with


# The rule TG037: whatever else it installs


@pytest.mark.parametrize("component", ["gds", "vgpuManager", "kataManager", "gdrcopy"])
def test_what_installs_something_on_the_host_is_warned_of(component):
    machines = {**CDI, "sandboxWorkloads": {"enabled": True}}

    assert operator("TG037", {**machines, component: {"enabled": True}}) == ["warning"]
    assert operator("TG037", {**machines, component: {"enabled": False}}) == []
    assert operator("TG037", {**machines, component: {"enabled": GIVEN}}) == []


@pytest.mark.parametrize("component", ["vgpuManager", "kataManager"])
def test_a_component_of_virtual_machines_is_off_with_them(component):
    assert operator("TG037", {**CDI, component: {"enabled": True}}) == []


def test_gdrcopy_has_an_extension_from_talos_1_12_on():
    values = {**CDI, "gdrcopy": {"enabled": True}}
    schematic = "customization: {systemExtensions: {officialExtensions: [siderolabs/nvidia-gdrdrv-device]}}"

    assert operator("TG037", values, schematic) == []
    assert operator("TG037", values, schematic, talos="1.12") == []
    assert operator("TG037", values, schematic, talos="1.11") == ["warning"]
    assert operator("TG037", values, schematic.replace("gdrdrv-device", "container-toolkit-lts")) == ["warning"]
    message = "gdrcopy.enabled is true: gdrdrv is a container of the operator's driver DaemonSet, which does not run on Talos"
    newer, older = (checked("TG037", values, chart="gpu-operator", talos=talos)[0] for talos in ("1.12", "1.11"))
    assert (newer.message, newer.fix) == (message, "Add the extension siderolabs/nvidia-gdrdrv-device, or set gdrcopy.enabled: false")
    assert (older.message, older.fix) == (f"{message}, and before Talos 1.12 no extension brings the module", "Set gdrcopy.enabled: false")


@pytest.mark.parametrize(("workload", "found"), [("vm-vgpu", ["warning"]), ("vm-passthrough", []), ("container", [])])
def test_virtual_gpus_need_an_image_that_does_not_exist(workload, found):
    values = {**CDI, "sandboxWorkloads": {"enabled": True, "defaultWorkload": workload}}

    assert operator("TG037", values) == found
    assert operator("TG037", {**values, "sandboxWorkloads": {"enabled": False, "defaultWorkload": workload}}) == []


def test_one_workload_whose_containers_are_not_known_may_be_a_bridge():
    known, unknown = daemon_set("busybox:1.37"), daemon_set("busybox:1.37")
    unknown["spec"]["template"]["spec"]["containers"] = "${CONTAINERS}"

    assert operator("TG001", LEGACY, known, version="v25.10.1", talos="1.12") != []
    assert operator("TG001", LEGACY, known, unknown, version="v25.10.1", talos="1.12") == []
