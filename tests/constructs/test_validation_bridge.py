import contextlib
import os
import shutil
import signal
import subprocess
import time

import pytest
from cdk8s import ApiObject, App, Chart

from conftest import env_of, message, one, synth
from constructs_lib import GpuNodes, Taint, ValidationBridge
from waiting import becomes

DIRECTORY = "/run/nvidia/validations"
DRIVER_READY = """\
IS_HOST_DRIVER=true
NVIDIA_DRIVER_ROOT=/
DRIVER_ROOT_CTR_PATH=/host
NVIDIA_DEV_ROOT=/
DEV_ROOT_CTR_PATH=/host
"""
BOTH = {"driver-ready": DRIVER_READY, "toolkit-ready": ""}
DNS_LABEL = "a DNS label (lower-case letters, digits and '-', starting with a letter, at most 63 characters)"
NAMESPACE = "the name of a namespace (lower-case letters, digits and '-', at most 63 characters)"
IMAGE = "an image reference without white space"


def pod(chart):
    return one(synth(chart), "DaemonSet")["spec"]["template"]["spec"]


def container(chart):
    (only,) = pod(chart)["containers"]
    return only


def test_main_child_is_the_daemon_set(chart, legacy):
    assert ApiObject.of(ValidationBridge(chart, "bridge", nodes=legacy)).kind == "DaemonSet"


def test_defaults_legacy(chart, legacy, snapshot_yaml):
    ValidationBridge(chart, "bridge", nodes=legacy)

    assert synth(chart) == snapshot_yaml
    assert [(made["kind"], made["metadata"]["name"], made["metadata"]["namespace"]) for made in synth(chart)] == [
        ("DaemonSet", "nvidia-validation-bridge", "kube-system")
    ]


def test_is_root_and_has_no_other_privilege(chart, legacy):
    ValidationBridge(chart, "bridge", nodes=legacy)

    assert container(chart)["securityContext"] == {
        "runAsUser": 0,
        "runAsGroup": 0,
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert pod(chart)["securityContext"] == {"seccompProfile": {"type": "RuntimeDefault"}}
    assert pod(chart)["automountServiceAccountToken"] is False
    assert not {"hostNetwork", "hostPID", "hostIPC", "runtimeClassName"} & pod(chart).keys()


def test_makes_the_folder_that_feature_discovery_waits_for(chart, legacy):
    ValidationBridge(chart, "bridge", nodes=legacy)

    assert pod(chart)["volumes"] == [{"name": "run-nvidia", "hostPath": {"path": "/run/nvidia", "type": "DirectoryOrCreate"}}]
    assert container(chart)["volumeMounts"] == [{"name": "run-nvidia", "mountPath": "/run/nvidia"}]


def test_is_given_no_gpu_even_where_nvidia_is_the_default_runtime(chart, legacy):
    ValidationBridge(chart, "bridge", nodes=legacy)

    assert env_of(container(chart)) == {"NVIDIA_VISIBLE_DEVICES": "void"}
    assert container(chart)["resources"] == {"requests": {"cpu": "1m", "memory": "8Mi"}, "limits": {"memory": "32Mi"}}


def test_is_ready_when_every_file_is_there(chart, legacy):
    ValidationBridge(chart, "bridge", nodes=legacy, driver_enabled=True)

    assert container(chart)["readinessProbe"]["exec"]["command"] == [
        "/bin/sh",
        "-c",
        f"test -f {DIRECTORY}/.driver-ctr-ready && test -f {DIRECTORY}/driver-ready && test -f {DIRECTORY}/toolkit-ready",
    ]


def test_runs_where_its_nodes_are_and_tolerates_their_taints(chart):
    nodes = GpuNodes(talos_version="1.11", labels={"gpu": "rtx"}, taints=[Taint("dedicated", "ai")], name="rtx")
    made = ValidationBridge(chart, "bridge", nodes=nodes)

    assert made.name == "nvidia-validation-bridge-rtx"
    assert pod(chart)["nodeSelector"] == {"gpu": "rtx"}
    assert pod(chart)["tolerations"] == [
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "dedicated", "operator": "Equal", "value": "ai", "effect": "NoSchedule"},
    ]


def test_name_and_image_and_namespace_can_be_chosen(chart, legacy):
    ValidationBridge(chart, "bridge", nodes=legacy, name="markers", namespace="gpu-operator", image="registry.local/busybox:1.36")

    made = one(synth(chart), "DaemonSet")
    assert made["metadata"]["name"] == "markers"
    assert made["metadata"]["namespace"] == "gpu-operator"
    assert container(chart)["image"] == "registry.local/busybox:1.36"


def test_goes_into_the_namespace_of_its_chart(legacy):
    chart = Chart(App(), "gpu", namespace="gpu-agents")

    assert ValidationBridge(chart, "bridge", nodes=legacy).namespace == "gpu-agents"
    assert one(synth(chart), "DaemonSet")["metadata"]["namespace"] == "gpu-agents"


def test_bridges_of_two_classes_select_neither_each_others_pods_nor_nodes(chart):
    for name in ("rtx", "h100"):
        ValidationBridge(chart, name, nodes=GpuNodes(talos_version="1.12", name=name))

    first, second = (made["spec"] for made in synth(chart))
    assert first["selector"]["matchLabels"].items() <= first["template"]["metadata"]["labels"].items()
    assert not first["selector"]["matchLabels"].items() <= second["template"]["metadata"]["labels"].items()
    assert not second["selector"]["matchLabels"].items() <= first["template"]["metadata"]["labels"].items()
    assert [each["template"]["spec"]["nodeSelector"] for each in (first, second)] == [
        {"nvidia.com/device-plugin.config": "rtx"},
        {"nvidia.com/device-plugin.config": "h100"},
    ]


def test_the_longest_name_of_a_class_fits_into_every_label(chart):
    made = ValidationBridge(chart, "bridge", nodes=GpuNodes(talos_version="1.12", name="n" * 36))

    assert made.name == f"nvidia-validation-bridge-{'n' * 36}"
    daemon_set = one(synth(chart), "DaemonSet")
    for metadata in (daemon_set["metadata"], daemon_set["spec"]["template"]["metadata"]):
        assert metadata["labels"]["app.kubernetes.io/instance"] == made.name
        assert max(map(len, metadata["labels"].values())) <= 63


def test_a_second_bridge_on_the_same_nodes_is_refused_also_across_the_charts_of_an_app(legacy):
    app = App()
    first, second = Chart(app, "first"), Chart(app, "second")
    ValidationBridge(first, "bridge", nodes=legacy)

    assert message(lambda: ValidationBridge(second, "bridge", nodes=legacy, name="other", namespace="gpu")) == (
        "'nodes' must be a class that no other bridge of this app has (got GpuNodes(talos_version='1.12')); 'nvidia-validation-bridge' writes the same files on these nodes, and NvidiaGpuOperator brings its own bridges; leave this bridge out"
    )
    assert second.node.children == []


def test_bridges_stand_on_two_classes_and_in_two_apps():
    chart = Chart(App(), "gpu")
    rtx, h100 = (GpuNodes(talos_version="1.12", name=name) for name in ("rtx", "h100"))
    ValidationBridge(chart, "bridge", nodes=rtx)

    assert ValidationBridge(chart, "second", nodes=h100).name == "nvidia-validation-bridge-h100"
    assert ValidationBridge(Chart(App(), "other"), "bridge", nodes=rtx).name == "nvidia-validation-bridge-rtx"


@pytest.mark.parametrize("talos", ["1.13", "1.14"])
def test_is_refused_where_the_operator_needs_none(chart, talos):
    assert message(lambda: ValidationBridge(chart, "bridge", nodes=GpuNodes(talos_version=talos))) == (
        f"'nodes' must be of Talos 1.12 or older (got '{talos}'); on Talos {talos} the operator's own validator finds the driver and writes these files; leave the bridge out, and keep hostPaths.driverInstallDir at /usr/local, as NvidiaGpuOperator sets it"
    )
    assert chart.node.children == []


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"nodes": "1.12"}, TypeError, "'nodes' must be a GpuNodes (got '1.12')"),
        ({"name": "my_bridge"}, ValueError, f"'name' must be {DNS_LABEL} (got 'my_bridge'); did you mean 'my-bridge'?"),
        ({"name": 1}, TypeError, f"'name' must be {DNS_LABEL} (got 1)"),
        ({"namespace": "GPU"}, ValueError, f"'namespace' must be {NAMESPACE} (got 'GPU'); did you mean 'gpu'?"),
        ({"image": ""}, ValueError, f"'image' must be {IMAGE} (got '')"),
        ({"image": "busybox: 1.37"}, ValueError, f"'image' must be {IMAGE} (got 'busybox: 1.37')"),
        ({"image": "busybox\n"}, ValueError, f"'image' must be {IMAGE} (got 'busybox\\n')"),
        ({"image": None}, TypeError, f"'image' must be {IMAGE} (got None)"),
        ({"interval": 0}, ValueError, "'interval' must be a whole number of at least 1 (got 0); the unit is seconds"),
        ({"interval": 0.5}, ValueError, "'interval' must be a whole number of at least 1 (got 0.5); the unit is seconds"),
        ({"interval": "30s"}, TypeError, "'interval' must be a whole number of at least 1 (got '30s'); did you mean 30?"),
        ({"interval": True}, TypeError, "'interval' must be a whole number of at least 1 (got True); the unit is seconds"),
        ({"driver_enabled": "false"}, TypeError, "'driver_enabled' must be True or False (got 'false'); did you mean False?"),
        ({"intervall": 5}, TypeError, "'intervall' must be an argument of ValidationBridge (got intervall=5); did you mean 'interval'?"),
    ],
)
def test_a_wrong_argument_is_refused_and_leaves_nothing_behind(chart, legacy, arguments, error, says):
    assert message(lambda: ValidationBridge(chart, "bridge", **{"nodes": legacy, **arguments}), error) == says
    assert chart.node.children == []
    assert ValidationBridge(chart, "bridge", nodes=legacy).interval == 30


def test_nodes_have_no_default(chart):
    assert message(lambda: ValidationBridge(chart, "bridge"), TypeError) == (
        "'nodes' must be given to ValidationBridge (got nothing); the bridge runs on one class of GPU nodes"
    )


# From here on the script itself runs, as the container would run it, in a folder of the test's own.

SHELLS = ["sh", *(["busybox sh"] if shutil.which("busybox") else [])]


@pytest.fixture(params=SHELLS)
def run(request, tmp_path, legacy):
    """Start the bridge's script; returns the process and the folder that it keeps."""
    started = []

    def start(**arguments):
        chart = Chart(App(), "gpu")
        ValidationBridge(chart, "bridge", nodes=legacy, **{"interval": 1, **arguments})
        folder = tmp_path / "nvidia" / "validations"
        script = container(chart)["command"][2].replace(DIRECTORY, str(folder))
        assert DIRECTORY not in script
        with (tmp_path / "log").open("w") as log:
            started.append(subprocess.Popen([*request.param.split(), "-c", script], stdout=log, stderr=log, start_new_session=True))
        return started[-1], folder

    yield start
    for process in started:
        with contextlib.suppress(ProcessLookupError):  # the whole group may have ended by itself
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def contents(folder):
    """Every file of the folder with its content."""
    return {file.name: file.read_text() for file in folder.iterdir()} if folder.is_dir() else {}


@pytest.mark.parametrize(("driver_enabled", "expected"), [(False, BOTH), (True, {".driver-ctr-ready": "", **BOTH})])
def test_the_files_appear_with_exactly_the_content_that_is_sourced(run, driver_enabled, expected):
    _, folder = run(driver_enabled=driver_enabled, interval=60)

    assert becomes(expected, lambda: contents(folder)), contents(folder)


def test_driver_ready_can_be_sourced_with_every_variable_exported(run):
    _, folder = run()
    assert becomes(BOTH, lambda: contents(folder))

    said = subprocess.run(["sh", "-c", f"set -a; . {folder}/driver-ready; env"], env={}, capture_output=True, text=True, check=True).stdout
    assert set(DRIVER_READY.splitlines()) <= set(said.splitlines())


@pytest.mark.parametrize("name", BOTH)
def test_a_file_that_was_removed_comes_back(run, name):
    _, folder = run()
    assert becomes(BOTH, lambda: contents(folder))

    (folder / name).unlink()
    assert becomes(BOTH, lambda: contents(folder)), contents(folder)


def test_the_whole_folder_comes_back_after_it_is_gone(run, tmp_path):
    _, folder = run()
    assert becomes(BOTH, lambda: contents(folder))

    folder.parent.rename(tmp_path / "gone")
    assert becomes(BOTH, lambda: contents(folder)), contents(folder)


def test_a_wrong_file_is_replaced_as_a_whole_and_never_seen_half_written(run):
    _, folder = run()
    assert becomes(BOTH, lambda: contents(folder))
    # Emptied, as `touch` would have made it, and held open: who had the old file open reads no half of the new one.
    with (folder / "driver-ready").open("w+") as held:
        assert becomes(BOTH, lambda: contents(folder)), contents(folder)
        assert held.read() == ""
        assert (folder / "driver-ready").stat().st_ino != os.fstat(held.fileno()).st_ino


def test_a_right_file_is_left_alone(run):
    _, folder = run()
    assert becomes(BOTH, lambda: contents(folder))

    before = {name: (file.st_ino, file.st_mtime_ns) for name in BOTH for file in [(folder / name).stat()]}
    time.sleep(2.2)
    assert {name: (file.st_ino, file.st_mtime_ns) for name in BOTH for file in [(folder / name).stat()]} == before


def test_ends_at_once_when_it_is_told_to_and_leaves_no_other_file(run):
    process, folder = run(interval=60)
    assert becomes(BOTH, lambda: contents(folder))

    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=30) == 0  # half of its interval
    assert contents(folder) == BOTH


def test_says_what_it_wrote_and_nothing_while_all_is_right(run, tmp_path):
    run()
    log, words = tmp_path / "log", "wrote driver-ready\nwrote toolkit-ready\n"
    assert becomes(words, log.read_text)
    time.sleep(1.2)
    assert log.read_text() == words
