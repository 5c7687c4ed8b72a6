"""Which objects of real clusters have to go: no more than those, and no object of any form is too much for it."""

import copy
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from conftest import needs
from constructs_lib import GpuNodes, Leftover, UpgradePlan
from constructs_lib._yaml import documents
from constructs_lib.talos.leftovers import leftovers
from test_clusters import CLUSTERS, objects

BRIDGE = "it writes what the operator's pods waited for up to Talos 1.12; from 1.13 on the operator's validator does"
GLIBC = "it looks for the driver's libraries under /usr/local/glibc, where Talos 1.13 has none"
RUNTIME_CLASS = "the operator makes this RuntimeClass and owns it"
PLUGIN = "the operator runs a device plugin of its own, and two advertise every GPU twice"
CHART = "it installs a device plugin, and the operator runs one of its own"


def found(manifests, *, crosses_to_cdi=True, to_operator=True):
    return leftovers(manifests, crosses_to_cdi=crosses_to_cdi, to_operator=to_operator)


def plan(old="1.12.11", new="1.13.9", route="standalone", new_route=None):
    return UpgradePlan(nodes=GpuNodes(talos_version=old), to=new, route=route, new_route=new_route)


def workload(kind="DaemonSet", *, image="busybox", **pod):
    containers = [{"name": "main", "image": image, **pod.pop("container", {})}]
    spec = {"template": {"spec": {"containers": containers, **pod}}}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "made", "namespace": "gpu"}, "spec": spec}


PLUGIN_POD = workload(image="nvcr.io/nvidia/k8s-device-plugin:v0.20.0")
NVIDIA = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia"}, "handler": "nvidia"}
FLUX = {
    "apiVersion": "helm.toolkit.fluxcd.io/v2",
    "kind": "HelmRelease",
    "metadata": {"name": "plugin", "namespace": "gpu"},
    "spec": {"chart": {"spec": {"chart": "nvidia-device-plugin", "version": "0.17.1"}}},
}
ARGO = {
    "apiVersion": "argoproj.io/v1alpha1",
    "kind": "Application",
    "metadata": {"name": "plugin", "namespace": "argocd"},
    "spec": {"source": {"chart": "nvidia-device-plugin", "targetRevision": "0.17.1"}},
}

# The clusters of dist/

OF_CLUSTERS = {
    "operator-flux": [Leftover("DaemonSet", "nvidia-gpu-operator", "nvidia-validation-bridge", BRIDGE)],
    "operator-argocd": [Leftover("DaemonSet", "gpu-operator", "nvidia-validation-bridge", BRIDGE)],
    "standalone-shared": [
        Leftover("RuntimeClass", None, "nvidia", RUNTIME_CLASS),
        Leftover("DaemonSet", "nvidia-device-plugin", "nvidia-device-plugin", PLUGIN),
        Leftover("DaemonSet", "nvidia-device-plugin", "nvidia-device-plugin-gpu-feature-discovery", PLUGIN),
    ],
    "runtime-class-taint": [
        Leftover("RuntimeClass", None, "nvidia", RUNTIME_CLASS),
        Leftover("DaemonSet", "kube-system", "nvidia-device-plugin", PLUGIN),
    ],
    "single-node-h100": [
        Leftover("RuntimeClass", None, "nvidia", RUNTIME_CLASS),
        Leftover("DaemonSet", "kube-system", "nvidia-device-plugin", PLUGIN),
    ],
    "today": [],
}


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_of_each_cluster_it_finds_the_bridge_the_plugin_and_the_runtime_class_and_nothing_else(cluster):
    manifests = objects(cluster)

    assert len(manifests) > 4
    assert found(manifests) == OF_CLUSTERS[cluster]


def test_the_crossing_and_the_change_of_route_each_find_their_own():
    flux, shared = objects("operator-flux"), objects("standalone-shared")

    assert found(flux, to_operator=False) == OF_CLUSTERS["operator-flux"]
    assert found(flux, crosses_to_cdi=False) == []
    assert found(shared, to_operator=False) == []
    assert found(shared, crosses_to_cdi=False) == OF_CLUSTERS["standalone-shared"]
    assert found(flux + shared, crosses_to_cdi=False, to_operator=False) == []


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (plan(route="operator"), [BRIDGE]),
        (plan(), [BRIDGE]),
        (plan(new_route="operator"), [BRIDGE, RUNTIME_CLASS, PLUGIN, PLUGIN]),
        (plan("1.10", "1.14", new_route="operator"), [BRIDGE, RUNTIME_CLASS, PLUGIN, PLUGIN]),
        (plan("1.11", "1.12", new_route="operator"), [RUNTIME_CLASS, PLUGIN, PLUGIN]),
        (plan("1.13.8", "1.13.9", new_route="operator"), [RUNTIME_CLASS, PLUGIN, PLUGIN]),
        (plan("1.11", "1.12", route="operator"), []),
        (plan("1.13.9", "1.14", route="operator"), []),
        (plan("1.11", "1.12", route="operator", new_route="standalone"), []),
    ],
)
def test_a_plan_asks_for_what_its_own_way_needs(made, expected):
    manifests = objects("operator-flux") + objects("standalone-shared")

    assert [each.reason for each in made.leftovers(manifests)] == expected


def test_a_plan_takes_any_iterable():
    assert plan(route="operator").leftovers(iter(objects("operator-flux"))) == OF_CLUSTERS["operator-flux"]


def test_what_is_given_is_left_as_it_is():
    manifests = objects("operator-flux")
    before = copy.deepcopy(manifests)
    found(manifests)

    assert manifests == before


# The charts of upstream

OF_CHARTS = {
    "dcgm-exporter-4.8.2": [],
    "device-plugin-v0.18.2-seed002": ["nvidia-device-plugin", "-gpu-feature-discovery", "-mps-control-daemon"],
    "device-plugin-v0.18.2-seed004": ["nvidia-device-plugin", "-mps-control-daemon"],
    "device-plugin-v0.20.0-seed002": ["nvidia-device-plugin", "-gpu-feature-discovery", "-mps-control-daemon"],
    "device-plugin-v0.20.0-seed004": ["nvidia-device-plugin", "-mps-control-daemon"],
    "gpu-operator-v25.10.1-legacy": [],
    "gpu-operator-v25.3.4-legacy": [],
    "gpu-operator-v26.3.3-cdi": [],
    "gpu-operator-v26.7.0-cdi": [],
    "nfd-v0.19.0": [],
}


@pytest.mark.parametrize("chart", OF_CHARTS)
def test_of_upstreams_charts_it_finds_the_daemon_sets_of_the_plugin_and_nothing_else(chart):
    folder = Path(needs("REFERENCE", "upstream's rendered charts")) / "rendered"
    manifests = list(documents((folder / f"{chart}.yaml").read_text()))
    names = [name if name.startswith("nvidia") else f"nvidia-device-plugin{name}" for name in OF_CHARTS[chart]]

    assert len(manifests) >= 2
    assert [(each.kind, each.name, each.reason) for each in found(manifests)] == [("DaemonSet", name, PLUGIN) for name in names]


def test_every_rendered_chart_is_in_the_table():
    folder = Path(needs("REFERENCE", "upstream's rendered charts")) / "rendered"

    assert {path.stem for path in folder.glob("*.yaml")} == OF_CHARTS.keys()


# What each rule goes by


@pytest.mark.parametrize(
    ("manifest", "expected"),
    [
        (FLUX, Leftover("HelmRelease", "gpu", "plugin", CHART)),
        (ARGO, Leftover("Application", "argocd", "plugin", CHART)),
        (NVIDIA, Leftover("RuntimeClass", None, "nvidia", RUNTIME_CLASS)),
        (PLUGIN_POD, Leftover("DaemonSet", "gpu", "made", PLUGIN)),
        (workload(container={"env": [{"name": "LD_LIBRARY_PATH", "value": "/usr/local/glibc/usr/lib"}]}), Leftover("DaemonSet", "gpu", "made", GLIBC)),
        (workload("Deployment", volumes=[{"hostPath": {"path": "/usr/local/glibc"}}]), Leftover("Deployment", "gpu", "made", GLIBC)),
        (
            {"kind": "Pod", "metadata": {"name": "bare"}, "spec": {"containers": [{"args": ["--root=/usr/local/glibc"]}]}},
            Leftover("Pod", None, "bare", GLIBC),
        ),
        (
            workload(volumes=[{"hostPath": {"path": "/run/nvidia"}}], container={"command": ["sh", "-c", "touch /v/toolkit-ready"]}),
            Leftover("DaemonSet", "gpu", "made", BRIDGE),
        ),
    ],
)  # fmt: skip
def test_what_has_to_go_is_named_with_its_reason(manifest, expected):
    assert found([manifest]) == [expected]


@pytest.mark.parametrize(
    "manifest",
    [
        {**NVIDIA, "handler": "runc"},
        {**NVIDIA, "metadata": {"name": "nvidia-legacy"}},
        {**NVIDIA, "kind": "PriorityClass"},
        {**PLUGIN_POD, "kind": "Deployment"},
        workload(image="nvcr.io/nvidia/k8s/dcgm-exporter:4.5.3"),
        {**FLUX, "spec": {"chart": {"spec": {"chart": "gpu-operator"}}}},
        {**ARGO, "spec": {"source": {"chart": "gpu-operator"}}},
        {**FLUX, "kind": "HelmChart"},
        {**FLUX, "spec": {"chart": {"spec": {"chart": "ollama"}}, "values": {"path": "/usr/local/glibc"}}},
        {"kind": "ConfigMap", "metadata": {"name": "notes"}, "data": {"why": "/usr/local/glibc and /run/nvidia with toolkit-ready"}},
        workload(container={"args": ["until [ -f /run/nvidia/validations/toolkit-ready ]; do echo waiting > /dev/stderr; sleep 5; done"]}),
        workload(container={"args": ["touch /tmp/started; test -f /run/nvidia/validations/toolkit-ready"]}),
        workload(container={"args": ["mv /tmp/a /tmp/b\ntest -f /run/nvidia/validations/toolkit-ready"]}),
        workload(volumes=[{"hostPath": {"path": "/run/nvidia"}}]),
        {"kind": "DaemonSet", "metadata": {"name": "empty"}, "spec": {"template": {"spec": {"containers": []}}}},
        {},
    ],
)
def test_what_only_looks_like_it_stays(manifest):
    assert found([manifest]) == []


def test_an_object_is_named_once_with_the_first_reason_that_holds():
    both = workload(image="k8s-device-plugin:v0.20.0", container={"env": [{"value": "/usr/local/glibc"}]})

    assert found([both]) == [Leftover("DaemonSet", "gpu", "made", GLIBC)]
    assert found([both], crosses_to_cdi=False) == [Leftover("DaemonSet", "gpu", "made", PLUGIN)]


def test_the_order_is_that_of_the_objects():
    assert [each.kind for each in found([PLUGIN_POD, NVIDIA, ARGO, FLUX])] == ["DaemonSet", "RuntimeClass", "Application", "HelmRelease"]


@pytest.mark.parametrize(
    ("leftover", "command"),
    [
        (Leftover("RuntimeClass", None, "nvidia", ""), "kubectl delete runtimeclass nvidia"),
        (Leftover("DaemonSet", "gpu", "plugin", ""), "kubectl delete daemonset plugin --namespace gpu"),
        (Leftover("HelmRelease", "gpu", "plugin", ""), "kubectl delete helmrelease plugin --namespace gpu"),
    ],
)
def test_each_has_the_command_that_removes_it(leftover, command):
    assert leftover.command == command


@pytest.mark.parametrize(
    "container",
    [
        {"command": ["sh", "-c", "touch /run/nvidia/validations/toolkit-ready"]},
        {"args": ["mkdir -p /v && touch /v/driver-ready /v/toolkit-ready && sleep infinity"]},
        {"args": ["mkdir -p /v && \\\n touch /v/.driver-ctr-ready \\\n /v/driver-ready \\\n /v/toolkit-ready && \\\n sleep infinity"]},
        {"args": ["while true; do\n  touch /v/driver-ready\n  touch /v/toolkit-ready\n  sleep 30\ndone\n"]},
        {"args": ["echo > /v/toolkit-ready"]},
        {"args": ["echo ok | tee /v/toolkit-ready"]},
        {"command": ["touch", "/run/nvidia/validations/toolkit-ready"]},
        {"args": ["for f in driver-ready toolkit-ready; do touch /run/nvidia/validations/$f; done"]},
        {"args": ["while true; do for f in driver-ready toolkit-ready; do touch /run/nvidia/validations/$f; done; sleep 30; done"]},
        {"args": ["while true\ndo\n  for f in driver-ready toolkit-ready\n  do\n    touch /v/$f\n  done\n  sleep 30\ndone"]},
        {"args": ["if ! test -f /v/toolkit-ready; then touch /v/toolkit-ready; fi"]},
    ],
)
@pytest.mark.parametrize("kind", ["DaemonSet", "Job"])
def test_a_bridge_is_known_however_it_writes_the_file(container, kind):
    assert found([workload(kind, container=container)]) == [Leftover(kind, "gpu", "made", BRIDGE)]


def test_what_kubectl_prints_is_read_as_the_objects_that_it_lists():
    printed = {"apiVersion": "v1", "kind": "List", "items": [NVIDIA, PLUGIN_POD]}

    assert found([printed]) == found([NVIDIA, PLUGIN_POD])


def test_a_cron_job_has_a_pod_as_well():
    pod = workload(container={"env": [{"name": "LD_LIBRARY_PATH", "value": "/usr/local/glibc/usr/lib"}]})["spec"]
    manifest = {"kind": "CronJob", "metadata": {"name": "nightly", "namespace": "gpu"}, "spec": {"jobTemplate": {"spec": pod}}}

    assert found([manifest]) == [Leftover("CronJob", "gpu", "nightly", GLIBC)]


# NVIDIA/gpu-operator v25.10.1 assets/gpu-feature-discovery/0500_daemonset.yaml: the operator's own pods wait for what the bridge writes.
WAITS = """
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: gpu-feature-discovery, namespace: gpu-operator}
spec:
  template:
    spec:
      initContainers:
      - name: toolkit-validation
        command: [sh, -c]
        args: ["until [ -f /run/nvidia/validations/toolkit-ready ]; do sleep 5; done"]
        volumeMounts: [{name: run-nvidia, mountPath: /run/nvidia}]
      containers: [{name: gpu-feature-discovery, image: k8s-device-plugin}]
      volumes: [{name: run-nvidia, hostPath: {path: /run/nvidia, type: Directory}}]
"""


def test_the_operators_own_pods_which_wait_for_the_files_are_no_bridge():
    assert found([yaml.safe_load(WAITS)], to_operator=False) == []


# What is malformed

steady = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
KEYS = st.sampled_from(
    [
        "kind",
        "metadata",
        "name",
        "namespace",
        "handler",
        "spec",
        "template",
        "containers",
        "image",
        "chart",
        "source",
        "items",
        "volumes",
        "jobTemplate",
    ]
)
TEXTS = st.sampled_from(
    [
        "DaemonSet",
        "Pod",
        "RuntimeClass",
        "HelmRelease",
        "Application",
        "nvidia",
        "nvidia-device-plugin",
        "k8s-device-plugin",
        "/usr/local/glibc",
        "/run/nvidia",
        "toolkit-ready",
    ]
)
SCALARS = st.none() | st.booleans() | st.integers() | TEXTS | st.text(max_size=3)
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12)
OBJECTS = st.dictionaries(KEYS, JSON, max_size=5) | st.fixed_dictionaries(
    {"kind": TEXTS, "spec": st.fixed_dictionaries({"template": JSON})}, optional={"metadata": JSON, "handler": TEXTS}
)


@steady
@given(st.lists(OBJECTS, max_size=4))
@example([{"kind": "Pod", "metadata": ["/usr/local/glibc"]}])
@example([{"kind": "Pod", "metadata": "/usr/local/glibc"}])
@example(
    [{"kind": "DaemonSet", "spec": {"template": {"spec": {"containers": [None, "k8s-device-plugin", {"image": "k8s-device-plugin"}]}}}}]
)
@example([{"kind": "HelmRelease", "spec": {"chart": {"spec": {"chart": ["nvidia-device-plugin"]}}}}])
def test_a_malformed_object_is_never_too_much(manifests):
    for each in found(manifests):
        assert isinstance(each.name, str)
        assert each.reason in {BRIDGE, GLIBC, RUNTIME_CLASS, PLUGIN, CHART}


@pytest.mark.parametrize("thing", [None, [], "text", 5, [NVIDIA]])
def test_what_is_no_object_at_all_is_passed_over(thing):
    assert found([thing, NVIDIA]) == found([NVIDIA])
