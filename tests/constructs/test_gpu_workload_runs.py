"""How a `GpuWorkload` runs: rollouts, peers of a StatefulSet, Jobs under GitOps, privileges, and the label of the class."""

import pytest
from cdk8s import App, Chart
from test_gpu_workload import IMAGE, KINDS, at, pod_of, workload

from conftest import message, one, synth
from constructs_lib import (
    DcgmExporter,
    GpuNodes,
    GpuWorkload,
    HttpProbe,
    StandaloneDevicePlugin,
    TalosGpuWarning,
    TcpProbe,
    ValidationBridge,
    gpu_pod,
)
from constructs_lib.arguments.pod_fields import check_fields

NAME = "app.kubernetes.io/name"
NODES = GpuNodes(talos_version="1.14")


def fresh():
    return Chart(App(), "gpu")


@pytest.mark.parametrize("replicas", [2, None])
def test_a_rolling_update_of_a_service_without_a_readiness_probe_is_a_warning(chart, cdi, replicas):
    with pytest.warns(TalosGpuWarning) as caught:
        GpuWorkload(chart, "ollama", nodes=cdi, image=IMAGE, port=80, replicas=replicas, liveness_probe=TcpProbe())

    assert [str(warning.message) for warning in caught] == [
        (
            "ollama: a rolling update without a readiness probe counts a pod as ready as soon as its container runs. While the pods load their "
            "models, the Service has no pod that answers. Give a 'readiness_probe'"
        )
    ]
    assert caught[0].filename == __file__


PROBE = {"readinessProbe": {"tcpSocket": {"port": 80}}}


@pytest.mark.parametrize(
    "given",
    [
        {"replicas": 2, "port": 80, "readiness_probe": HttpProbe("/")},
        {"replicas": 2, "port": 80, "pod_spec": {"containers": [{"name": "ollama", **PROBE}]}},
        {"replicas": 2, "port": 80, "update_strategy": "Recreate"},
        {"replicas": 1, "port": 80, "update_strategy": "RollingUpdate"},
        {"replicas": 0, "port": 80},
        {"replicas": 2},
        {"replicas": 2, "port": 80, "kind": "StatefulSet"},
    ],
    ids=str,
)
def test_a_rollout_that_takes_no_service_away_does_not_warn(chart, cdi, given):
    # A warning would fail this test: filterwarnings is "error".
    assert workload(chart, cdi, **given)


@pytest.mark.parametrize("port", [None, 80])
def test_a_stateful_set_always_has_its_headless_service_with_pods_that_are_not_ready(chart, cdi, port):
    stateful_set = workload(chart, cdi, kind="StatefulSet", port=port)

    service = one(synth(chart), "Service")
    assert service["metadata"]["name"] == at(stateful_set, "spec.serviceName")
    ports = {"ports": [{"name": "http", "port": 80, "targetPort": "http"}]} if port else {}
    assert service["spec"] == {"clusterIP": "None", "publishNotReadyAddresses": True, "selector": {NAME: "ollama"}, **ports}


def test_the_service_of_a_deployment_has_only_pods_that_are_ready(chart, cdi):
    workload(chart, cdi, port=80)

    assert one(synth(chart), "Service")["spec"].keys() == {"selector", "ports"}


def job(**given):
    return workload(fresh(), given.pop("nodes", GpuNodes(talos_version="1.14")), kind="Job", **{"hashed_name": True, **given})


def test_a_hashed_name_changes_with_what_a_job_in_the_cluster_refuses_to_change():
    first = job()["metadata"]["name"]

    assert first == job()["metadata"]["name"]
    assert (first[:7], len(first)) == ("ollama-", 15)
    changes = ({"args": ["b"]}, {"gpus": 2}, {"completions": 2}, {"completions": 2, "completion_mode": "Indexed"}, {"labels": {"a": "b"}})
    names = [first, *(job(**given)["metadata"]["name"] for given in changes)]
    assert len(set(names)) == len(names)


def test_a_hashed_name_stays_with_what_a_job_in_the_cluster_may_change():
    changes = (
        {"parallelism": 2},
        {"suspend": True},
        {"backoff_limit": 1},
        {"active_deadline_seconds": 9},
        {"ttl_seconds_after_finished": 9},
    )

    assert {job(**given)["metadata"]["name"] for given in changes} == {job()["metadata"]["name"]}


def test_a_hashed_name_is_that_of_the_job_alone():
    made = job()

    assert made["metadata"]["labels"] == {NAME: "ollama"}
    assert at(made, "spec.template.spec.containers.0.name") == "ollama"
    assert len(job(name="a" * 54)["metadata"]["name"]) == 63


ADDED = {"capabilities": {"add": ["SYS_ADMIN"]}}


@pytest.mark.parametrize("context", [{"privileged": True}, ADDED, {"capabilities": {"add": ["CAP_SYS_ADMIN"]}}], ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_full_privileges_come_without_what_contradicts_them(kind, context):
    nodes = GpuNodes(talos_version="1.14")
    given = {"kind": kind, **KINDS[kind]}
    own = workload(fresh(), nodes, security_context=context, **given)
    over = workload(fresh(), nodes, pod_spec={"containers": [{"name": "ollama", "securityContext": context}]}, **given)

    assert pod_of(own)["containers"][0]["securityContext"] == context
    assert pod_of(over)["containers"][0]["securityContext"] == context


@pytest.mark.parametrize("context", [{"privileged": False}, {"capabilities": {"add": ["NET_ADMIN"]}}, {"runAsUser": 0}], ids=str)
def test_other_privileges_keep_the_default(chart, cdi, context):
    made = workload(chart, cdi, pod_spec={"containers": [{"name": "ollama", "securityContext": context}]})

    assert pod_of(made)["containers"][0]["securityContext"] == {"allowPrivilegeEscalation": False, **context}


def test_a_device_plugin_and_an_exporter_with_full_privileges_come_without_what_contradicts_them(chart, cdi):
    names = {StandaloneDevicePlugin: "nvidia-device-plugin-ctr", DcgmExporter: "exporter"}
    for construct, container in names.items():
        pod_spec = {"containers": [{"name": container, "securityContext": {"privileged": True}}]}
        construct(chart, construct.__name__.lower(), nodes=cdi, pod_spec=pod_spec)

    pods = [each["spec"]["template"]["spec"]["containers"][0] for each in synth(chart) if each["kind"] == "DaemonSet"]
    contexts = {container["name"]: container["securityContext"] for container in pods}
    for name in names.values():
        assert contexts[name]["privileged"] is True
        assert "allowPrivilegeEscalation" not in contexts[name]


@pytest.mark.parametrize(("name", "value"), [(None, "default"), ("cards", "cards")])
def test_every_pod_on_gpu_nodes_is_labelled_with_its_class_and_no_selector_has_the_label(name, value):
    chart, nodes = fresh(), GpuNodes(talos_version="1.12", name=name)
    StandaloneDevicePlugin(chart, "plugin", nodes=nodes)
    DcgmExporter(chart, "exporter", nodes=nodes)
    ValidationBridge(chart, "bridge", nodes=nodes)
    for kind, given in KINDS.items():
        GpuWorkload(chart, kind.lower(), nodes=nodes, image=IMAGE, kind=kind, **given)

    templates = [
        each["spec"].get("jobTemplate", each)["spec"]["template"] for each in synth(chart) if "containers" in str(each.get("spec"))
    ]
    assert len(templates) >= 7
    assert {template["metadata"]["labels"]["talos-gpu/class"] for template in templates} == {value}
    assert "talos-gpu/class" not in str([each["spec"].get("selector") for each in synth(chart) if "spec" in each])
    assert gpu_pod({"spec": {"containers": [{"name": "a"}]}}, nodes=nodes)["metadata"] == {"labels": {"talos-gpu/class": value}}


def test_a_template_of_another_class_is_refused_by_gpu_pod():
    template = {"metadata": {"labels": {"talos-gpu/class": "a"}}, "spec": {"containers": [{"name": "a"}]}}

    with pytest.raises(
        ValueError, match=r"^'template' must be without another value for the label talos-gpu/class than 'b' \(got 'a'\); the pods"
    ):
        gpu_pod(template, nodes=GpuNodes(talos_version="1.14", name="b"))


def test_the_jobs_of_a_cron_job_have_its_labels_and_annotations():
    given = {"labels": {"kueue.x-k8s.io/queue-name": "gpus"}, "annotations": {"a": "b"}}
    made = workload(fresh(), NODES, kind="CronJob", schedule="@daily", **given)
    template = made["spec"]["jobTemplate"]

    labels = {NAME: "ollama", "kueue.x-k8s.io/queue-name": "gpus"}
    assert template["metadata"] == {"labels": labels, "annotations": {"a": "b"}}
    assert (made["metadata"]["labels"], made["metadata"]["annotations"]) == (labels, {"a": "b"})
    assert "annotations" not in template["spec"]["template"]["metadata"]
    assert check_fields("spec", made["spec"], "CronJobSpec") == []


def test_the_jobs_of_a_cron_job_without_annotations_have_labels_alone():
    made = workload(fresh(), NODES, kind="CronJob", schedule="@daily")

    assert made["spec"]["jobTemplate"]["metadata"] == {"labels": {NAME: "ollama"}}


# A pod of an Indexed Job has the host name <job>-<index>, and a CronJob adds '-' and 10 digits to the name of each Job.
INDEXED = {"completion_mode": "Indexed", "completions": 11}


@pytest.mark.parametrize(
    ("longest", "given"),
    [
        (60, {"kind": "Job", **INDEXED}),
        (61, {"kind": "Job", **INDEXED, "completions": 10}),
        (51, {"kind": "Job", "hashed_name": True, **INDEXED}),
        (49, {"kind": "CronJob", "schedule": "@daily", **INDEXED}),
        (63, {"kind": "Job", "completions": 11}),
        (63, {"kind": "Job", "completion_mode": "NonIndexed", "completions": 11}),
    ],
)
def test_the_name_of_an_indexed_job_leaves_room_for_the_number_of_a_pod(longest, given):
    assert workload(fresh(), NODES, name="a" * longest, **given)
    if longest < 63:
        assert message(lambda: workload(fresh(), NODES, name="a" * (longest + 1), **given)) == (
            f"'name' must be a DNS label (lower-case letters, digits and '-', starting with a letter, at most {longest} characters) "
            f"(got '{'a' * (longest + 1)}'); did you mean '{'a' * longest}'?"
        )
