"""Which objects of real clusters have to go: no more than those, and no object of any form is too much for it."""

import copy
import warnings
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from conftest import message, needs, reference
from constructs_lib import GpuNodes, TalosGpuWarning
from constructs_lib.talos import Leftover, UpgradePlan
from constructs_lib.yaml.load import documents
from test_clusters import CLUSTERS, objects

BRIDGE = "the bridge writes marker files for the operator's pods up to Talos 1.12; from Talos 1.13 on the operator's validator does"
GLIBC = "the pods look for the driver's libraries under /usr/local/glibc, where Talos 1.13 has none"
RUNTIME_CLASS = "the operator creates this RuntimeClass and owns it"
PLUGIN = "the operator runs its own device plugin, and the kubelet listens to only one"
DISCOVERY = "the operator runs its own GPU feature discovery, and two of them set the same labels"
MPS = "the MPS daemon serves the device plugin that is removed, and the operator runs its own MPS daemon"
CHART = "the release installs a device plugin, and the operator runs its own"
UNUSED_BRIDGE = "the bridge writes marker files for the operator's pods, which are removed"
POLICY = "the ClusterPolicy configures the operator, whose device plugin advertises the same GPUs"
OPERATOR = "the Deployment runs the operator, whose device plugin advertises the same GPUs"
OPERATOR_CHART = "the release installs the operator, whose device plugin advertises the same GPUs"
UNUSED_SOURCE = "no remaining HelmRelease takes a chart from this source"


def plan(old="1.12.11", new="1.13.9", route="standalone", new_route=None):
    return UpgradePlan(nodes=GpuNodes(talos_version=old), to=new, route=route, new_route=new_route)


def found(manifests, *, crosses_to_cdi=True, to_operator=True):
    """What goes by default: from Talos 1.12 to 1.13, and from the device plugin to the operator."""
    old, new = ("1.12.11", "1.13.9") if crosses_to_cdi else ("1.13.8", "1.13.9")
    return plan(old, new, new_route="operator" if to_operator else None).leftovers(manifests)


def found_of_the_operator(manifests):
    return plan("1.13.8", "1.13.9", route="operator", new_route="standalone").leftovers(manifests)


@pytest.mark.parametrize(
    ("manifests", "got"),
    [
        ("manifests/", "'manifests/')"),
        (Path("a"), f"{Path('a')!r})"),
        ({"kind": "List", "items": []}, "{'kind': 'List', 'items': []}); put the object into a list"),
    ],
)
def test_what_is_no_list_of_objects_is_refused(manifests, got):
    assert message(lambda: plan().leftovers(manifests), TypeError) == f"'manifests' must be a list of Kubernetes objects (got {got}"


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
        Leftover("DaemonSet", "nvidia-device-plugin", "nvidia-device-plugin-gpu-feature-discovery", DISCOVERY),
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
    "llm-platform": [Leftover("DaemonSet", "gpu-operator", "nvidia-device-plugin-partitioned", PLUGIN)],
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
        (plan(new_route="operator"), [BRIDGE, RUNTIME_CLASS, PLUGIN, DISCOVERY]),
        (plan("1.10", "1.14", new_route="operator"), [BRIDGE, RUNTIME_CLASS, PLUGIN, DISCOVERY]),
        (plan("1.11", "1.12", new_route="operator"), [RUNTIME_CLASS, PLUGIN, DISCOVERY]),
        (plan("1.13.8", "1.13.9", new_route="operator"), [RUNTIME_CLASS, PLUGIN, DISCOVERY]),
        (plan("1.11", "1.12", route="operator"), []),
        (plan("1.13.9", "1.14", route="operator"), []),
        (plan("1.11", "1.12", route="operator", new_route="standalone"), [UNUSED_BRIDGE, UNUSED_SOURCE, OPERATOR_CHART]),
        (plan(route="operator", new_route="standalone"), [BRIDGE, UNUSED_SOURCE, OPERATOR_CHART]),
        (plan("1.13.8", "1.13.9", route="operator", new_route="standalone"), [UNUSED_BRIDGE, UNUSED_SOURCE, OPERATOR_CHART]),
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
    "dra-driver-0.5.0-dev-consumable": [],
    "dra-driver-0.5.0-dev-exclusive": [],
    "gpu-operator-v25.10.1-legacy": [],
    "gpu-operator-v25.3.4-legacy": [],
    "gpu-operator-v26.3.3-cdi": [],
    "gpu-operator-v26.7.0-cdi": [],
    "nfd-v0.19.0": [],
    "nfd-v0.19.0-gpu": [],
}


@pytest.mark.parametrize("chart", OF_CHARTS)
def test_of_upstreams_charts_it_finds_the_daemon_sets_of_the_plugin_and_nothing_else(chart):
    manifests = list(documents(reference(f"rendered/{chart}.yaml").read_text()))
    names = [name if name.startswith("nvidia") else f"nvidia-device-plugin{name}" for name in OF_CHARTS[chart]]
    reasons = [DISCOVERY if "discovery" in name else MPS if "mps" in name else PLUGIN for name in names]

    assert len(manifests) >= 2
    assert [(each.kind, each.name, each.reason) for each in found(manifests)] == [
        ("DaemonSet", name, reason) for name, reason in zip(names, reasons, strict=True)
    ]


@pytest.mark.parametrize("chart", OF_CHARTS)
def test_of_the_operators_chart_it_finds_the_operator_and_its_policy_when_the_operator_goes(chart):
    left = found_of_the_operator(documents(reference(f"rendered/{chart}.yaml").read_text()))
    expected = [("Deployment", "gpu-operator", OPERATOR), ("ClusterPolicy", "cluster-policy", POLICY)]

    assert [(each.kind, each.name, each.reason) for each in left] == (expected if chart.startswith("gpu-operator") else [])


def test_every_rendered_chart_is_in_the_table():
    folder = Path(needs("REFERENCE", "upstream's rendered charts")) / "rendered"

    assert {path.stem for path in folder.glob("*.yaml")} <= OF_CHARTS.keys()


# What each rule goes by


@pytest.mark.parametrize(
    ("manifest", "expected"),
    [
        (FLUX, Leftover("HelmRelease", "gpu", "plugin", CHART)),
        (ARGO, Leftover("Application", "argocd", "plugin", CHART)),
        (NVIDIA, Leftover("RuntimeClass", None, "nvidia", RUNTIME_CLASS)),
        # A handler is immutable: the operator can't make it its own.
        ({**NVIDIA, "handler": "runc"}, Leftover("RuntimeClass", None, "nvidia", RUNTIME_CLASS)),
        (PLUGIN_POD, Leftover("DaemonSet", "gpu", "made", PLUGIN)),
        (workload(container={"env": [{"name": "LD_LIBRARY_PATH", "value": "/usr/local/glibc/usr/lib"}]}), Leftover("pod spec", "gpu", "DaemonSet made", f"{GLIBC} (manifests[0])")),
        (workload("Deployment", volumes=[{"hostPath": {"path": "/usr/local/glibc"}}]), Leftover("pod spec", "gpu", "Deployment made", f"{GLIBC} (manifests[0])")),
        (
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "bare"}, "spec": {"containers": [{"args": ["--root=/usr/local/glibc"]}]}},
            Leftover("pod spec", None, "Pod bare", f"{GLIBC} (manifests[0])"),
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
        {**NVIDIA, "metadata": {"name": "nvidia-legacy"}},
        {**NVIDIA, "kind": "PriorityClass"},
        {**PLUGIN_POD, "kind": "Deployment"},
        workload(image="nvcr.io/nvidia/k8s/dcgm-exporter:4.5.3"),
        {**FLUX, "spec": {"chart": {"spec": {"chart": "gpu-operator"}}}},
        {**ARGO, "spec": {"source": {"chart": "gpu-operator"}}},
        {**FLUX, "kind": "HelmChart"},
        {**ARGO, "spec": {"sources": [{"chart": "ollama"}, {"ref": "values"}]}},
        {**ARGO, "spec": {"sources": {"chart": "nvidia-device-plugin"}}},
        {**FLUX, "spec": {"chart": {"spec": {"chart": "ollama"}}, "values": {"path": "/usr/local/glibc"}}},
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "notes"},
            "data": {"why": "/usr/local/glibc and /run/nvidia with toolkit-ready"},
        },
        workload(container={"args": ["until [ -f /run/nvidia/validations/toolkit-ready ]; do echo waiting > /dev/stderr; sleep 5; done"]}),
        workload(container={"args": ["touch /tmp/started; test -f /run/nvidia/validations/toolkit-ready"]}),
        workload(container={"args": ["mv /tmp/a /tmp/b\ntest -f /run/nvidia/validations/toolkit-ready"]}),
        workload(volumes=[{"hostPath": {"path": "/run/nvidia"}}]),
        {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "empty"}, "spec": {"template": {"spec": {"containers": []}}}},
    ],
)
def test_what_only_looks_like_it_stays(manifest):
    assert found([manifest]) == []


def test_an_object_that_goes_is_named_once_without_the_settings_of_its_pods():
    both = workload(image="k8s-device-plugin:v0.20.0", container={"env": [{"value": "/usr/local/glibc"}]})
    bridge = workload(container={"args": ["touch /v/toolkit-ready"], "env": [{"value": "/usr/local/glibc"}]})

    assert found([both]) == [Leftover("DaemonSet", "gpu", "made", PLUGIN)]
    assert found([both], crosses_to_cdi=False) == [Leftover("DaemonSet", "gpu", "made", PLUGIN)]
    assert found([bridge], to_operator=False) == [Leftover("DaemonSet", "gpu", "made", BRIDGE)]


@pytest.mark.parametrize("kind", ["StatefulSet", "Deployment", "Pod", "Job"])
@pytest.mark.parametrize("to_operator", [True, False])
def test_an_application_that_names_the_old_libraries_is_changed_and_never_deleted(kind, to_operator):
    container = {"name": "plex", "image": "plex:1", "env": [{"name": "LD_LIBRARY_PATH", "value": "/usr/local/glibc/usr/lib"}]}
    twice = {"containers": [container], "volumes": [{"name": "libraries", "hostPath": {"path": "/usr/local/glibc"}}]}
    metadata = {"name": "plex", "namespace": "media"}
    made = {"apiVersion": "v1" if kind == "Pod" else "apps/v1", "kind": kind, "metadata": metadata}
    (leftover,) = found([{**made, "spec": twice if kind == "Pod" else {"template": {"spec": twice}}}], to_operator=to_operator)

    assert leftover == Leftover("pod spec", "media", f"{kind} plex", f"{GLIBC} (manifests[0])")
    assert leftover.command == f"# remove /usr/local/glibc from the pod spec of the {kind} plex in media"


def test_the_order_is_that_of_the_objects():
    assert [each.kind for each in found([PLUGIN_POD, NVIDIA, ARGO, FLUX])] == ["DaemonSet", "RuntimeClass", "Application", "HelmRelease"]


@pytest.mark.parametrize(
    ("leftover", "command"),
    [
        (Leftover("RuntimeClass", None, "nvidia", ""), "kubectl delete runtimeclass nvidia"),
        (Leftover("DaemonSet", "gpu", "plugin", ""), "kubectl delete daemonset plugin --namespace gpu"),
        (Leftover("HelmRelease", "gpu", "plugin", ""), "kubectl delete helmrelease plugin --namespace gpu"),
        (Leftover("ClusterPolicy", None, "cluster-policy", ""), "kubectl delete clusterpolicies.nvidia.com cluster-policy"),
        (Leftover("Application", "argocd", "gpu", ""), "kubectl delete applications.argoproj.io gpu --namespace argocd"),
        (Leftover("Job", "gpu", "", ""), "# a Job without a name in gpu"),
        (Leftover("Pod", None, "", ""), "# a Pod without a name"),
        (Leftover("ApplicationSet", "argocd", "gpu", ""), "kubectl delete applicationset gpu --namespace argocd"),
        (Leftover("chart", "gpu", "nvidia-device-plugin", ""), "# remove the chart nvidia-device-plugin in gpu"),
        (
            Leftover("setting", None, "machine.files.0.content of the node configuration gpu-1", ""),
            "# remove the setting machine.files.0.content of the node configuration gpu-1",
        ),
        (Leftover("pod spec", None, "Pod a\nrm -rf /", ""), "# remove /usr/local/glibc from the pod spec of the Pod a rm -rf /"),
        # The list is a script of a shell's: it must not run what a file has in place of a name.
        (Leftover("DaemonSet", "gpu", "${NAME}", ""), "# the DaemonSet ${NAME} in gpu, whose name another tool fills in"),
        (Leftover("DaemonSet", "${NAMESPACE}", "a", ""), "# the DaemonSet a in ${NAMESPACE}, whose name another tool fills in"),
        (Leftover("Pod", None, "a; rm -rf /", ""), "# the Pod a; rm -rf /, whose name another tool fills in"),
        (Leftover("Pod", None, "a\nrm -rf /", ""), "# the Pod a rm -rf /, whose name another tool fills in"),
        (Leftover("chart", None, "a\nrm -rf /", ""), "# remove the chart a rm -rf /"),
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


def test_a_bridge_may_write_the_file_before_it_begins_to_wait():
    writes = {"initContainers": [{"name": "mark", "command": ["sh", "-c", "mkdir -p /v && touch /v/toolkit-ready"]}]}

    assert found([workload(image="registry.k8s.io/pause:3.10", **writes)]) == [Leftover("DaemonSet", "gpu", "made", BRIDGE)]


def test_what_kubectl_prints_is_read_as_the_objects_that_it_lists():
    printed = {"apiVersion": "v1", "kind": "List", "items": [NVIDIA, PLUGIN_POD]}

    assert found([printed]) == found([NVIDIA, PLUGIN_POD])


def test_a_cron_job_has_a_pod_as_well():
    pod = workload(container={"env": [{"name": "LD_LIBRARY_PATH", "value": "/usr/local/glibc/usr/lib"}]})["spec"]
    manifest = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "nightly", "namespace": "gpu"},
        "spec": {"jobTemplate": {"spec": pod}},
    }

    assert found([manifest]) == [Leftover("pod spec", "gpu", "CronJob nightly", f"{GLIBC} (manifests[0])")]


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


@pytest.mark.parametrize(
    ("program", "reason"), [("gpu-feature-discovery", DISCOVERY), ("mps-control-daemon", MPS), ("nvidia-device-plugin", PLUGIN)]
)
def test_what_the_plugins_image_is_told_to_run_decides_the_reason(program, reason):
    image = "nvcr.io/nvidia/k8s-device-plugin:v0.20.0"
    sidecar = {"name": "config", "image": image, "command": ["config-manager"]}
    manifest = workload(image=image, container={"command": [program]})
    manifest["spec"]["template"]["spec"]["containers"].insert(0, sidecar)

    assert found([manifest]) == [Leftover("DaemonSet", "gpu", "made", reason)]
    # The plugin's own pod waits for MPS in a container that prepares it.
    waits = workload(image=image, initContainers=[{"image": image, "command": ["mps-control-daemon", "mount-shm"]}])
    assert found([waits]) == [Leftover("DaemonSet", "gpu", "made", PLUGIN)]


def test_what_another_object_makes_goes_with_that_one():
    manifest = copy.deepcopy(PLUGIN_POD)
    manifest["metadata"]["ownerReferences"] = [{"kind": "Addon", "name": "gpu", "controller": True}]

    assert found([manifest]) == []
    manifest["metadata"]["ownerReferences"][0]["controller"] = False
    assert found([manifest]) == [Leftover("DaemonSet", "gpu", "made", PLUGIN)]


@pytest.mark.parametrize(
    "metadata", [{"namespace": "gpu"}, {"namespace": "gpu", "generateName": "bridge-"}, {"namespace": "gpu", "name": None}]
)
def test_an_object_without_a_name_is_not_called_none(metadata):
    (left,) = found([{**PLUGIN_POD, "metadata": metadata}])

    assert left == Leftover("DaemonSet", "gpu", "", PLUGIN)
    assert left.command == "# a DaemonSet without a name in gpu"


# The operator, when it goes


def test_the_clusters_with_an_operator_lose_it_and_its_bridge_when_it_goes():
    assert found_of_the_operator(objects("operator-flux")) == [
        Leftover("DaemonSet", "nvidia-gpu-operator", "nvidia-validation-bridge", UNUSED_BRIDGE),
        Leftover("HelmRepository", "flux-system", "gpu-operator", UNUSED_SOURCE),
        Leftover("HelmRelease", "flux-system", "gpu-operator", OPERATOR_CHART),
    ]
    assert found_of_the_operator(objects("operator-argocd")) == [
        Leftover("DaemonSet", "gpu-operator", "nvidia-validation-bridge", UNUSED_BRIDGE),
        Leftover("Application", "argocd", "gpu-operator", OPERATOR_CHART),
    ]
    assert found_of_the_operator(objects("standalone-shared")) == []


@pytest.mark.parametrize(
    "manifest",
    [
        {"apiVersion": "kyverno.io/v1", "kind": "ClusterPolicy", "metadata": {"name": "require-labels"}},
        workload("Deployment", image="nvcr.io/nvidia/gpu-operator-validator:v25.3.4"),
        workload("DaemonSet", image="nvcr.io/nvidia/gpu-operator:v26.7.0"),
        FLUX,
        ARGO,
        NVIDIA,
        PLUGIN_POD,
    ],
)
def test_what_is_not_the_operators_stays_when_it_goes(manifest):
    assert found_of_the_operator([manifest]) == []


@pytest.mark.parametrize(
    "image", ["nvcr.io/nvidia/gpu-operator:v26.7.0", "gpu-operator@sha256:00", "registry.example.com:5000/gpu-operator"]
)
def test_the_operator_is_known_by_its_image(image):
    assert found_of_the_operator([workload("Deployment", image=image)]) == [Leftover("Deployment", "gpu", "made", OPERATOR)]


# How Flux and Argo CD name a chart


def flux(kind, name, namespace="gpu", **spec):
    group = "helm" if kind == "HelmRelease" else "source"
    return {"apiVersion": f"{group}.toolkit.fluxcd.io/v2", "kind": kind, "metadata": {"name": name, "namespace": namespace}, "spec": spec}


def test_one_of_several_sources_of_an_application_is_enough():
    sources = [{"ref": "values", "repoURL": "https://example.com/a.git"}, {"chart": "nvidia-device-plugin"}]

    assert found([{**ARGO, "spec": {"sources": sources}}]) == [Leftover("Application", "argocd", "plugin", CHART)]


@pytest.mark.parametrize(
    ("reference", "source"),
    [
        ({"kind": "OCIRepository", "name": "a"}, flux("OCIRepository", "a", url="oci://example.com/charts/nvidia-device-plugin")),
        ({"kind": "OCIRepository", "name": "a", "namespace": "flux-system"}, flux("OCIRepository", "a", "flux-system", url="oci://b/nvidia-device-plugin")),
        ({"kind": "HelmChart", "name": "a"}, flux("HelmChart", "a", chart="nvidia-device-plugin")),
        ({"kind": "HelmChart", "name": "a"}, flux("HelmChart", "a", chart="./charts/nvidia-device-plugin")),
    ],
)  # fmt: skip
def test_a_release_may_refer_to_its_chart_which_goes_as_well(reference, source):
    release = flux("HelmRelease", "plugin", chartRef=reference)
    made = source["metadata"]

    assert found([release, source]) == [
        Leftover("HelmRelease", "gpu", "plugin", CHART),
        Leftover(source["kind"], made["namespace"], made["name"], UNUSED_SOURCE),
    ]
    # Another namespace, another source.
    with pytest.warns(TalosGpuWarning, match=f"the chart comes from the {source['kind']} a, which was not read"):
        assert found([release, {**source, "metadata": {**made, "namespace": "other"}}]) == []


def test_a_reference_to_what_is_not_here_is_known_by_its_name():
    release = flux("HelmRelease", "plugin", chartRef={"kind": "OCIRepository", "name": "nvidia-device-plugin"})

    assert found([release]) == [Leftover("HelmRelease", "gpu", "plugin", CHART)]


def test_a_source_stays_while_another_release_takes_a_chart_from_it():
    repository = flux("HelmRepository", "nvidia", url="https://helm.ngc.nvidia.com/nvidia")
    chart = flux("HelmChart", "operator", chart="gpu-operator", sourceRef={"kind": "HelmRepository", "name": "nvidia"})
    operator = flux("HelmRelease", "operator", chartRef={"kind": "HelmChart", "name": "operator"})
    network = flux("HelmRelease", "network", chart={"spec": {"chart": "network-operator", "sourceRef": {"kind": "HelmRepository", "name": "nvidia"}}})  # fmt: skip
    elsewhere = {**network, "metadata": {"name": "network", "namespace": "other"}}

    assert [each.name for each in found_of_the_operator([repository, chart, operator])] == ["nvidia", "operator", "operator"]
    assert [each.kind for each in found_of_the_operator([repository, chart, operator, network])] == ["HelmChart", "HelmRelease"]
    assert [each.kind for each in found_of_the_operator([repository, chart, operator, elsewhere])] == [
        "HelmRepository",
        "HelmChart",
        "HelmRelease",
    ]


def test_a_git_repository_may_hold_more_than_the_chart():
    reference = {"kind": "GitRepository", "name": "cluster"}
    release = flux("HelmRelease", "operator", chart={"spec": {"chart": "./charts/gpu-operator", "sourceRef": reference}})

    assert [each.kind for each in found_of_the_operator([flux("GitRepository", "cluster"), release])] == ["HelmRelease"]


# What can't be told


def test_what_can_not_be_read_is_warned_of_by_its_place():
    nested = {"apiVersion": "v1", "kind": "List", "items": [NVIDIA, {"kind": "Pod"}]}
    with pytest.warns(TalosGpuWarning) as caught:
        assert found([{"driver": {"enabled": False}}, nested]) == found([NVIDIA])

    assert [str(each.message) for each in caught] == [
        "manifests[0] was not read: neither a manifest nor a document of Talos",
        "manifests[1].items[1] was not read: neither a manifest nor a document of Talos",
    ]


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        (
            {**FLUX, "spec": {"chart": {"spec": {"chart": "${CHART}"}}}},
            "the HelmRelease plugin in gpu (manifests[0]) may have to be removed or changed as well: another tool fills in the name of the chart, ${CHART}",
        ),
        (
            workload(image="{{ image }}"),
            "the DaemonSet made in gpu (manifests[0]) may have to be removed or changed as well: another tool fills in the image, {{ image }}",
        ),
        (
            {**NVIDIA, "metadata": {"name": "${A}"}},
            "the RuntimeClass ${A} (manifests[0]) may have to be removed or changed as well: another tool fills in the name, ${A}",
        ),
    ],
)
def test_what_something_else_fills_in_is_warned_of(manifest, message):
    with pytest.warns(TalosGpuWarning) as caught:
        assert found([manifest], crosses_to_cdi=False) == []

    assert [str(each.message) for each in caught] == [message]
    assert caught[0].filename == __file__


def test_a_setting_of_a_chart_is_named_with_its_place():
    values = {"hostPaths": {"driverInstallDir": "/usr/local/glibc"}}
    release = {**FLUX, "spec": {"chart": {"spec": {"chart": "gpu-operator", "version": "v26.7.0"}}, "values": values}}
    name = "spec.values.hostPaths.driverInstallDir of the HelmRelease plugin"

    assert found([release], to_operator=False) == [
        Leftover("setting", "gpu", name, "the setting names /usr/local/glibc, where Talos 1.13 has no driver (manifests[0])")
    ]


# What is malformed

KEYS = st.sampled_from(
    [
        "apiVersion",
        "kind",
        "metadata",
        "name",
        "namespace",
        "ownerReferences",
        "handler",
        "spec",
        "template",
        "containers",
        "command",
        "image",
        "chart",
        "chartRef",
        "sourceRef",
        "source",
        "sources",
        "path",
        "generators",
        "list",
        "elements",
        "items",
        "volumes",
        "hostPath",
        "jobTemplate",
        "leaderWorkerTemplate",
        "replicatedJobs",
        "values",
        "helmCharts",
    ]
)
GROUPS = {
    "DaemonSet": "apps/v1",
    "Deployment": "apps/v1",
    "Pod": "v1",
    "RuntimeClass": "node.k8s.io/v1",
    "HelmRelease": "helm.toolkit.fluxcd.io/v2",
    "HelmChart": "source.toolkit.fluxcd.io/v1",
    "OCIRepository": "source.toolkit.fluxcd.io/v1",
    "Kustomization": "kustomize.toolkit.fluxcd.io/v1",
    "Application": "argoproj.io/v1alpha1",
    "ApplicationSet": "argoproj.io/v1alpha1",
    "ClusterPolicy": "nvidia.com/v1",
    "LeaderWorkerSet": "leaderworkerset.x-k8s.io/v1",
    "JobSet": "jobset.x-k8s.io/v1alpha2",
}
TEXTS = st.sampled_from(
    [
        *GROUPS,
        "nvidia",
        "nvidia-device-plugin",
        "gpu-operator",
        "k8s-device-plugin",
        "/usr/local/glibc",
        "/run/nvidia",
        "toolkit-ready",
        "${A}",
    ]
)
SCALARS = st.none() | st.booleans() | st.integers() | TEXTS | st.text(max_size=3)
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12)
TREES = st.dictionaries(KEYS, JSON, max_size=5) | st.fixed_dictionaries(
    {"spec": st.fixed_dictionaries({"template": st.fixed_dictionaries({"spec": JSON})})}, optional={"metadata": JSON, "handler": TEXTS}
)
OBJECTS = st.builds(lambda kind, tree: {"apiVersion": GROUPS[kind], "kind": kind, **tree}, st.sampled_from(list(GROUPS)), TREES)


def malformed(kind, **keys):
    return {"apiVersion": GROUPS[kind], "kind": kind, **keys}


@given(st.lists(OBJECTS, max_size=4))
@example([malformed("Pod", metadata=["/usr/local/glibc"])])
@example([malformed("Pod", metadata="/usr/local/glibc")])
@example([malformed("DaemonSet", spec={"template": {"spec": {"containers": [None, "k8s-device-plugin", {"image": "k8s-device-plugin"}]}}})])
@example([malformed("HelmRelease", spec={"chart": {"spec": {"chart": ["nvidia-device-plugin"]}}})])
@example([malformed("HelmRelease", spec={"chartRef": {"kind": ["OCIRepository"], "name": "a", "namespace": ["b"]}})])
@example([malformed("HelmChart", metadata={"name": "a"}, spec={"sourceRef": {"kind": "HelmChart", "name": "a"}})])
@example([malformed("Application", spec={"sources": [None, {"chart": {}}]})])
@example([malformed("ApplicationSet", spec={"generators": [{"list": {"elements": [1]}}], "template": []})])
@example([malformed("Pod", metadata={"ownerReferences": [None, "a", {"controller": "true"}]})])
def test_a_malformed_object_is_never_too_much(manifests):
    reasons = {BRIDGE, RUNTIME_CLASS, PLUGIN, CHART, UNUSED_SOURCE}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TalosGpuWarning)
        for each in found(manifests):
            assert isinstance(each.name, str)
            assert each.reason.partition("; the ApplicationSet")[0] in reasons or each.kind in ("setting", "pod spec")
        for each in found_of_the_operator(manifests):
            assert isinstance(each.command, str)


@pytest.mark.parametrize("thing", [None, [], "text", 5, [NVIDIA]])
def test_what_is_no_mapping_is_passed_over(thing):
    assert found([thing, NVIDIA]) == found([NVIDIA])
