"""What a real API server, with Talos' Pod Security in front, says of every manifest and of the pods that would be made of it."""

import copy
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from cluster_policy import policy
from operator_options import every_option
from test_cron_schedule import ACCEPTED, REFUSED

from api_server import ApiError, ApiServer
from conftest import needs, reference
from constructs_lib import ArgumentError, ArgumentTypeError, Dra, Empty, GpuNodes, Nfs, TcpProbe, TimeSlicing
from constructs_lib.arguments.pod_fields import check_fields, check_required
from constructs_lib.manifests.dra.claim_objects import gpu_claim
from constructs_lib.manifests.dra.settings import mig_device_class
from constructs_lib.manifests.exporter.dashboard_object import GpuAlertsSettings, GpuDashboardSettings, dashboard_object, gpu_alerts
from constructs_lib.manifests.exporter.objects import dcgm_exporter
from constructs_lib.manifests.exporter.settings import DcgmExporterSettings
from constructs_lib.manifests.gpu_pod import gpu_pod
from constructs_lib.manifests.objects import merged, plain
from constructs_lib.manifests.operator.bridge_objects import ValidationBridgeSettings, validation_bridge
from constructs_lib.manifests.operator.nfd_settings import NodeFeatureDiscoverySettings
from constructs_lib.manifests.plugin.pod import device_plugin
from constructs_lib.manifests.plugin.settings import DevicePluginSettings
from constructs_lib.manifests.volumes.volume import Persistent
from constructs_lib.manifests.workload.objects import gpu_workload
from constructs_lib.manifests.workload.settings import GpuWorkloadSettings
from constructs_lib.monitoring import AlertRules
from constructs_lib.upstream.kubernetes.fields import field_table
from test_clusters import CLUSTERS, objects, pod_templates
from test_schemas import SHARES

_CUSTOM = (
    "argoproj.io",
    "helm.toolkit.fluxcd.io",
    "monitoring.coreos.com",
    "source.toolkit.fluxcd.io",
    "nvidia.com",
    "nfd-api-crds",
    "gateway.networking",
    "jobset",
    "keda.sh",
    "kueue",
)
# Its CRD is not among those of CRDS, so test_clusters.py holds it.
_WITHOUT_CRD = ("Kustomization",)
# Namespaces that the manifests expect to be there.
_THERE = ("argocd", "flux-system")


@pytest.fixture(scope="module")
def api() -> Iterator[ApiServer]:
    needs("KUBEBUILDER_ASSETS", "the folder with etcd and kube-apiserver")
    crds = Path(needs("CRDS", "the CRDs of Argo CD, Flux, Prometheus and NFD (tools/reference.py)"))
    with ApiServer() as server:
        server.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in _THERE])
        # What the operator would make by itself.
        server.apply([{"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia"}, "handler": "nvidia"}])
        files = [path for path in crds.glob("*.yaml") if path.name.startswith(_CUSTOM)]
        assert len(files) >= 8
        server.apply([crd for path in files for crd in yaml.safe_load_all(path.read_text())])
        yield server


def prepared(api: ApiServer, cluster: str) -> list[dict[str, Any]]:
    """The cluster's objects without its namespaces and RuntimeClass, which are made for real."""
    made = objects(cluster)
    api.apply([each for each in made if each["kind"] == "Namespace"])
    return [each for each in made if each["kind"] not in ("Namespace", "RuntimeClass", *_WITHOUT_CRD)]


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_every_object_is_accepted_as_it_is(api, cluster):
    for made in prepared(api, cluster):
        assert [warning for warning in api.dry_run(made) if "PodSecurity" not in warning] == [], made["metadata"]["name"]


def pods(cluster: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    found = []
    for made in objects(cluster):
        for template in pod_templates(made):
            metadata = {**template["metadata"], "name": made["metadata"]["name"], "namespace": made["metadata"]["namespace"]}
            # A claim is made with the workload, not by a dry run.
            found.append((made, {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}))
    return found


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_every_pod_passes_talos_pod_security(api, cluster):
    prepared(api, cluster)
    agents = 0
    for made, pod in pods(cluster):
        warnings = api.dry_run(pod)
        if made["kind"] == "DaemonSet":
            agents += 1
            assert warnings == [], f"{pod['metadata']['name']} should run in a namespace that Pod Security leaves alone"
    assert len(pods(cluster)) > 0
    assert agents > 0 or cluster == "today"


def node_feature_rule() -> dict[str, Any]:
    rule = NodeFeatureDiscoverySettings(nodes=GpuNodes(talos_version="1.14")).rule
    assert rule is not None
    return rule


def test_the_rule_that_marks_gpu_nodes_is_accepted(api):
    assert api.dry_run(node_feature_rule()) == []


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("label", {"a": "b"}, r'unknown field "spec\.rules\[0\]\.label"'),
        (
            "matchFeatures",
            [{"feature": "pci.device", "matchExpressions": {"vendor": {"op": "Is", "value": ["10de"]}}}],
            "Unsupported value",
        ),
    ],
)
def test_a_rule_that_is_not_as_nfd_has_it_is_refused(api, path, value, says):
    rule = node_feature_rule()
    rule["spec"]["rules"][0][path] = value

    with pytest.raises(ApiError, match=says):
        api.dry_run(rule)


def test_an_agent_that_partitions_cards_is_accepted_where_pod_security_allows_it(api):
    nodes = GpuNodes(talos_version="1.14", mig_strategy="mixed", mig_devices={"1g.10gb": 7})
    made = device_plugin(DevicePluginSettings(nodes=nodes, namespace="kube-system"))
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "plugin", "namespace": "kube-system"}}

    assert api.dry_run(made) == []
    assert api.dry_run({**pod, "spec": made["spec"]["template"]["spec"]}) == []


def test_a_partition_is_asked_for_by_a_name_that_kubernetes_takes(api):
    nodes = GpuNodes(talos_version="1.14", mig_strategy="mixed")
    for profile in ("1g.10gb", "1g.24gb+me.all", "1g.24gb-me"):
        template = gpu_pod({"spec": {"containers": [{"name": "main", "image": "app:1"}]}}, nodes=nodes, profile=profile)
        metadata = {"name": "main", "namespace": "kube-system", **template["metadata"]}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}
        assert api.dry_run(pod) == []


def test_an_agent_of_the_nodes_is_refused_in_a_namespace_that_is_not_privileged(api):
    api.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "plain"}}])
    made = validation_bridge(ValidationBridgeSettings(nodes=GpuNodes(talos_version="1.12"), namespace="plain"))["Resource"]
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "bridge", "namespace": "plain"},
        "spec": made["spec"]["template"]["spec"],
    }

    with pytest.raises(ApiError, match=r'violates PodSecurity "baseline:latest": hostPath volumes'):
        api.dry_run(pod)


@pytest.mark.parametrize("dra", SHARES, ids=repr)
def test_a_workload_that_claims_is_accepted_with_its_claim_and_its_pods(api, dra):
    api.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "claims"}}])
    nodes = GpuNodes(talos_version="1.14", dra=dra)
    memory = "8Gi" if dra.consumable_shares else None
    made = gpu_workload(GpuWorkloadSettings(nodes=nodes, name="app", image="app:1", namespace="claims", gpus=2, gpu_memory=memory))
    claim, deployment = made["GpuClaim"], made["Resource"]
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "app", "namespace": "claims"},
        "spec": deployment["spec"]["template"]["spec"],
    }

    assert api.dry_run(claim) == []
    # The pod needs no privileged namespace: `baseline` lets it in, and only what `restricted` wants is warned of.
    for each in (deployment, pod):
        assert [warning for warning in api.dry_run(each) if 'PodSecurity "restricted' not in warning] == []


def workload_parts(**given: Any) -> dict[str, Any]:
    arguments: dict[str, Any] = {
        "nodes": GpuNodes(talos_version="1.14"),
        "name": "parts",
        "image": "app:1",
        "namespace": "default",
        **given,
    }
    return {name: plain(made) for name, made in gpu_workload(GpuWorkloadSettings(**arguments)).items()}


def test_a_workload_with_every_part_is_accepted(api):
    fetch = {"name": "fetch", "image": "curl:8", "volumeMounts": [{"name": "models", "mountPath": "/models"}]}
    proxy = {"name": "proxy", "image": "proxy:1", "restartPolicy": "Always", "readinessProbe": {"tcpSocket": {"port": 8080}}}
    made = workload_parts(
        port={"http": 80, "rtp-udp": "8555/udp", "rtp-tcp": "8555/tcp"},
        readiness_probe=TcpProbe(),
        service={
            "type": "LoadBalancer",
            "loadBalancerClass": "io.cilium/l2-announcer",
            "loadBalancerSourceRanges": ["10.0.0.0/8"],
            "allocateLoadBalancerNodePorts": False,
            "externalTrafficPolicy": "Local",
            "annotations": {"lbipam.cilium.io/ips": "10.0.0.5"},
            "ports": [{"name": "http", "port": 8080}],
        },
        volumes={"/models": Nfs("nas.example.com", "/export", name="models"), "/scratch": Empty(name="scratch")},
        annotations={"a": "b"},
        init_containers=[fetch, proxy],
    )

    for each in made.values():
        assert [warning for warning in api.dry_run(each) if "PodSecurity" not in warning] == [], each["kind"]


@pytest.mark.parametrize(
    ("service", "pods"),
    [
        *(({field: value}, "Deployment") for field, value in {
            "allocateLoadBalancerNodePorts": True, "loadBalancerClass": "a.b/c", "loadBalancerSourceRanges": ["10.0.0.0/8"],
            "externalTrafficPolicy": "Local", "healthCheckNodePort": 30081,
        }.items()),
        ({"type": "LoadBalancer", "clusterIP": "None"}, "Deployment"),
        ({"type": "NodePort", "clusterIP": "None"}, "StatefulSet"),
        ({"ports": [{"name": "http", "port": 80, "nodePort": 30080}]}, "Deployment"),
        ({"ports": []}, "Deployment"),
        ({"ports": [{"name": "a", "port": 80}, {"name": "b", "port": 80}]}, "Deployment"),
    ],
)  # fmt: skip
def test_what_a_service_refuses_the_api_server_refuses_as_well(api, service, pods):
    made = workload_parts(port=80, kind=pods)["Service"]

    with pytest.raises(ArgumentError, match=r"'service"):
        workload_parts(port=80, kind=pods, service=service)
    with pytest.raises(ApiError):
        api.dry_run({**made, "spec": {**made["spec"], **service}})


@pytest.mark.parametrize(
    "container",
    [
        {"name": "parts", "image": "a:1"},
        {"name": "a"},
        {"name": "a", "image": "a:1", "restartPolicy": "always"},
        {"name": "a", "image": "a:1", "livenessProbe": {"tcpSocket": {"port": 80}}},
        {"name": "a", "image": "a:1", "lifecycle": {"preStop": {"sleep": {"seconds": 1}}}},
        {"name": "a", "image": "a:1", "volumeMounts": [{"name": "models", "mountPath": "/models"}]},
    ],
)
def test_what_init_containers_refuse_the_api_server_refuses_as_well(api, container):
    made = workload_parts()["Resource"]
    made["spec"]["template"]["spec"]["initContainers"] = [container]

    with pytest.raises(ArgumentError, match=r"'init_containers"):
        workload_parts(init_containers=[container])
    with pytest.raises(ApiError):
        api.dry_run(made)


SYS_ADMIN, CAP_SYS_ADMIN = ({"capabilities": {"add": [name]}} for name in ("SYS_ADMIN", "CAP_SYS_ADMIN"))
INDEXED = {"completions": 4, "parallelism": 2, "completion_mode": "Indexed"}
CRON_JOB = {"kind": "CronJob", "schedule": "*/30 8-18 * * mon-fri"}


@pytest.mark.parametrize(
    "given",
    [
        {"replicas": 2, "gpus": 2, "memory": "3Gi"},
        {"replicas": None},
        {"kind": "StatefulSet"},
        {"kind": "StatefulSet", "replicas": 2, "port": {"http": 80, "grpc": 81}, "volumes": {"/data": Persistent("1Gi")}},
        {"kind": "Job", "hashed_name": True, "suspend": True, "active_deadline_seconds": 60, **INDEXED},
        {
            **CRON_JOB,
            "time_zone": "Europe/Berlin",
            "starting_deadline_seconds": 10,
            "suspend": True,
            "active_deadline_seconds": 60,
            **INDEXED,
        },
        *({"security_context": context} for context in ({"privileged": True}, SYS_ADMIN, CAP_SYS_ADMIN)),
        *(
            {"pod_spec": {key: [{"name": name, "image": "app:1", "securityContext": context}]}}
            for key, name in (("containers", "app"), ("containers", "side"), ("initContainers", "side"))
            for context in ({"privileged": True}, CAP_SYS_ADMIN)
        ),
    ],
    ids=str,
)
def test_every_object_of_a_workload_is_accepted_and_its_pods_too(api, given):
    made = gpu_workload(
        GpuWorkloadSettings(nodes=GpuNodes(talos_version="1.14"), name="app", image="app:1", namespace="kube-system", **given)
    )

    for each in map(plain, made.values()):
        assert api.dry_run(each) == [], each["kind"]
        # The pods of a claim template get their volumes from the StatefulSet controller.
        for template in [] if "volumeClaimTemplates" in each["spec"] else pod_templates(each):
            metadata = {**template["metadata"], "name": "app", "namespace": "kube-system"}
            assert api.dry_run({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}) == []


def made_workload(**given):
    """The main object of a workload, as plain data."""
    settings = GpuWorkloadSettings(
        **{"nodes": GpuNodes(talos_version="1.14"), "name": "app", "image": "app:1", "namespace": "kube-system", **given}
    )
    return plain(gpu_workload(settings)["Resource"])


def test_an_indexed_job_has_the_longest_name_that_the_cluster_takes(api):
    job = made_workload(kind="Job", name="a" * 60, **{**INDEXED, "completions": 11})
    runs = "-1234567890"  # what a CronJob appends to the names of its Jobs
    cron_job = made_workload(**CRON_JOB, name="a" * (60 - len(runs)), **{**INDEXED, "completions": 11})

    assert api.dry_run(job) == []
    assert api.dry_run(cron_job) == []
    named = {**job, "metadata": {**job["metadata"], "name": cron_job["metadata"]["name"] + runs}}
    assert api.dry_run(named) == []
    for name in ("a" * 61, cron_job["metadata"]["name"] + "a" + runs):
        with pytest.raises(ApiError, match="invalid DNS label"):
            api.dry_run({**job, "metadata": {**job["metadata"], "name": name}})


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
@pytest.mark.parametrize(
    "wrong",
    [
        {"restartPolicy": "Never"},
        {"restartPolicy": "OnFailure"},
        {"activeDeadlineSeconds": 5},
        {"containers": [{"name": "olama"}]},
        {"containers": [{"name": "app", "resources": {"requests": {"memory": "2Gi"}, "limits": {"memory": "1Gi"}}}]},
    ],
    ids=str,
)
def test_what_a_pod_spec_of_a_server_refuses_the_cluster_refuses_as_well(api, kind, wrong):
    with pytest.raises(ArgumentError):
        made_workload(kind=kind, pod_spec=wrong)
    made = made_workload(kind=kind)
    made["spec"]["template"]["spec"] = merged(made["spec"]["template"]["spec"], wrong)
    with pytest.raises(ApiError):
        api.dry_run(made)


@pytest.mark.parametrize("context", [{"privileged": True}, SYS_ADMIN, CAP_SYS_ADMIN], ids=str)
@pytest.mark.parametrize("made", ["plugin", "exporter"])
def test_an_agent_with_every_privilege_is_accepted(api, made, context):
    nodes = {"nodes": GpuNodes(talos_version="1.14"), "namespace": "kube-system"}
    container = {"name": {"plugin": "nvidia-device-plugin-ctr", "exporter": "exporter"}[made], "securityContext": context}
    given = {**nodes, "pod_spec": {"containers": [container]}}
    daemon_set = (
        device_plugin(DevicePluginSettings(**given)) if made == "plugin" else dcgm_exporter(DcgmExporterSettings(**given))["Resource"]
    )

    assert api.dry_run(plain(daemon_set)) == []


@pytest.mark.parametrize("context", [{"privileged": True}, CAP_SYS_ADMIN], ids=str)
def test_what_would_contradict_every_privilege_is_refused_by_the_cluster(api, context):
    made = gpu_workload(GpuWorkloadSettings(nodes=GpuNodes(talos_version="1.14"), name="app", image="app:1", namespace="kube-system"))[
        "Resource"
    ]
    made["spec"]["template"]["spec"]["containers"][0]["securityContext"] |= context

    with pytest.raises(ApiError, match=r"cannot set `?allowPrivilegeEscalation`? to false"):
        api.dry_run(made)


# What Kubernetes accepts although it never runs, runs other than it looks, or is documented nowhere.
_ONLY_OURS = {"*/90 * * * *", "* */24 * * *", "1,,2 * * * *", "*-5 * * * *", "@every 1h"}


@pytest.mark.parametrize("schedule", [*ACCEPTED, *REFUSED])
def test_a_schedule_is_refused_as_by_the_cluster(api, schedule):
    made = gpu_workload(
        GpuWorkloadSettings(nodes=GpuNodes(talos_version="1.14"), name="app", image="app:1", namespace="kube-system", **CRON_JOB)
    )
    cron_job = made["Resource"]
    cron_job["spec"]["schedule"] = schedule

    if schedule in ACCEPTED or schedule in _ONLY_OURS or "so the Job never runs" in REFUSED[schedule]:
        assert api.dry_run(plain(cron_job)) == []
    else:
        with pytest.raises(ApiError, match=r"spec\.schedule"):
            api.dry_run(plain(cron_job))


@pytest.mark.parametrize("zone", ["Local", "local", "+02:00", "Europe/", "Mars/Olympus", "europe/berlin"])
def test_what_is_no_time_zone_is_refused_by_the_cluster(api, zone):
    made = gpu_workload(
        GpuWorkloadSettings(nodes=GpuNodes(talos_version="1.14"), name="app", image="app:1", namespace="kube-system", **CRON_JOB)
    )
    made["Resource"]["spec"]["timeZone"] = zone

    with pytest.raises(ApiError, match=r"spec\.timeZone"):
        api.dry_run(plain(made["Resource"]))


@pytest.mark.parametrize("profile", ["1g.10gb", "1g.10gb+me", "1g.24gb-me", "1g.24gb+me.all"])
def test_the_class_of_a_mig_profile_is_accepted(api, profile):
    assert api.dry_run(mig_device_class(profile)) == []


def test_a_class_with_a_plus_in_its_resource_is_refused(api):
    made = mig_device_class("1g.10gb+me")

    with pytest.raises(ApiError, match=r"spec\.extendedResourceName: Invalid value"):
        api.dry_run({**made, "spec": {**made["spec"], "extendedResourceName": "nvidia.com/mig-1g.10gb+me"}})


def test_a_selector_that_is_no_cel_is_refused_by_the_cluster_alone(api):
    api.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "claims"}}])
    made = gpu_claim(nodes=GpuNodes(talos_version="1.14", dra=Dra(selectors=["device.memory > 40"])), namespace="claims")

    with pytest.raises(ApiError, match="undefined field 'memory'"):
        api.dry_run(made)


def test_the_cluster_policy_of_every_option_is_accepted_under_server_side_apply(api):
    """The CRD is that of v26.7.0, which meets older ClusterPolicies after an upgrade. A value that the chart leaves empty is null, and refused."""
    defaults: dict[str, Any] = {}
    made = {}
    for name, settings in every_option():
        if settings.version not in defaults:
            defaults[settings.version] = yaml.safe_load(
                reference(f"values/gpu-operator-{settings.version}.yaml").read_text(encoding="utf-8")
            )
        policy_of = policy(settings.chart_values, defaults[settings.version], settings.version)
        made.setdefault(json.dumps(policy_of, sort_keys=True), (name, settings, policy_of))
    refused, unexplained = [], []
    for name, settings, policy_of in made.values():
        try:
            stored = api.applied(policy_of)
        except ApiError as error:
            refused.append(f"{name}: {error}")
            continue
        if settings.version == "v26.7.0":
            (ignored,) = settings.release.ignore_differences
            unexplained += [
                f"{name}: {path}"
                for path in added_fields(policy_of["spec"], stored["spec"], "/spec")
                if path not in ignored["jsonPointers"]
            ]

    assert (refused, unexplained) == ([], [])
    assert len(made) > 100


def added_fields(given: dict[str, Any], stored: dict[str, Any], path: str) -> Iterator[str]:
    """The paths at which the server stores something else than it was given."""
    for key, value in stored.items():
        here = f"{path}/{key}"
        if isinstance(value, dict) and isinstance(given.get(key), dict):
            yield from added_fields(given[key], value, here)
        elif given.get(key) != value:
            yield here


@pytest.mark.parametrize("version", ["v25.10.1", "v26.7.0"])
def test_the_cluster_policy_of_an_empty_mig_strategy_is_refused(api, version):
    """The real chart's rendering of an empty strategy shows that the test above sees a null."""
    rendered = yaml.safe_load(reference(f"rendered/clusterpolicy/two-mig-strategies-{version}.yaml").read_text(encoding="utf-8"))

    with pytest.raises(ApiError, match=r'spec\.mig: Invalid value: "null"'):
        api.applied(rendered)


# The Grafana operator's own (config/crd/bases at v5.9.2): where CRDS has it, its kind is checked too.
_GRAFANA_CRD = Path(os.environ.get("CRDS", "")) / "grafana.integreatly.org_grafanadashboards.yaml"


@pytest.mark.parametrize("kind", ["config-map", *(["grafana-dashboard"] if _GRAFANA_CRD.exists() else [])])
def test_a_dashboard_is_accepted_with_everything_that_it_can_have(api, kind):
    theirs: dict[str, Any] = {}
    if kind == "grafana-dashboard":
        api.apply([yaml.safe_load(_GRAFANA_CRD.read_text())])
        theirs = {"instance_selector": {"dashboards": "grafana"}, "allow_cross_namespace_import": True}
    settings = GpuDashboardSettings(
        name="gpus", namespace="default", kind=kind, folder="GPUs", labels={"team": "ml"}, uid="u" * 40, profiling=True, **theirs
    )

    assert api.dry_run(dashboard_object(settings)["Resource"]) == []


def test_every_alert_that_there_is_is_accepted_as_it_is(api):
    off = [alert.name for alert in AlertRules().all_alerts if alert.opt_in]
    given = {"enable": off, "for_": {"GpuXidFatal": "0s"}, "alert_labels": {"team": "ml"}, "labels": {"release": "kube-prometheus-stack"}}
    made = gpu_alerts(GpuAlertsSettings(namespace="kube-system", **given))["Resource"]

    assert api.dry_run(made) == []
    with pytest.raises(ApiError, match=r"spec\.groups\[0\]\.rules\[0\]\.for"):
        api.dry_run(changed(made, "for", "1.5h"))
    with pytest.raises(ApiError, match=r'unknown field "spec\.groups\[0\]\.rules\[0\]\.expression"'):
        api.dry_run(changed(made, "expression", "up"))


def changed(rule: dict[str, Any], field: str, value: str) -> dict[str, Any]:
    """A PrometheusRule with another field in its first rule."""
    other = copy.deepcopy(rule)
    other["spec"]["groups"][0]["rules"][0][field] = value
    return other


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"honor_labels": True, "service_monitor_labels": {"release": "kps"}, "interval": "1m30s", "scrape_timeout": "1m"},
        {"nodes": GpuNodes(talos_version="1.14", sharing=TimeSlicing(replicas=2))},
        {"nodes": GpuNodes(talos_version="1.14", mig_strategy="mixed"), "profiling": True},
        {"nodes": GpuNodes(talos_version="1.14", dra=Dra())},
    ],
    ids=["defaults", "honor labels", "shared", "partitioned", "claimed"],
)
def test_every_object_of_an_exporter_is_accepted_and_its_service_monitor_too(api, arguments):
    settings = DcgmExporterSettings(**{"nodes": GpuNodes(talos_version="1.14"), "namespace": "kube-system", **arguments})
    made = list(dcgm_exporter(settings).values())

    assert "ServiceMonitor" in [each["kind"] for each in made]
    for each in made:
        assert api.dry_run(plain(each)) == [], each["kind"]


def test_a_field_that_prometheus_operator_does_not_know_is_refused(api):
    settings = DcgmExporterSettings(nodes=GpuNodes(talos_version="1.14"), namespace="kube-system")
    monitor = dcgm_exporter(settings)["ServiceMonitor"]

    with pytest.raises(ApiError, match=r'unknown field "spec\.jobLabels"'):
        api.dry_run({**monitor, "spec": {**monitor["spec"], "jobLabels": "app"}})


def test_a_field_that_kubernetes_does_not_know_is_refused(api):
    made = next(each for each in prepared(api, "today") if each["kind"] == "Deployment")

    with pytest.raises(ApiError, match=r'unknown field "spec\.replica"'):
        api.dry_run({**made, "spec": {**made["spec"], "replica": 1}})


def test_the_servers_enumerations_are_in_the_table(api):
    table = field_table()
    served = api.enumerations("api/v1", "apis/apps/v1", "apis/batch/v1", "apis/networking.k8s.io/v1")
    known = {place: values for place, values in served.items() if place[1] in table.types.get(place[0], {})}

    assert len(known) >= 45
    assert {place: values for place, values in known.items() if not values <= {*table.choices.get(place[0], {}).get(place[1], [])}} == {}


LACKING = {
    "a container's name": {"containers": [{"image": "a"}]},
    "a port's containerPort": {"ports": [{"name": "http"}]},
    "a mount's mountPath": {"volumeMounts": [{"name": "data"}]},
    "a probe's port": {"livenessProbe": {"httpGet": {"path": "/"}}},
    "a variable's name": {"env": [{"value": "a"}]},
    "a policy": {"imagePullPolicy": "always"},
    "a protocol": {"ports": [{"containerPort": 80, "protocol": "tcp"}]},
    "a port's name": {"ports": [{"containerPort": 80, "name": "prometheus-metrics"}]},
    "a spread's whenUnsatisfiable": {"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone"}]},
    "a toleration's operator": {"tolerations": [{"key": "a", "operator": "Exist"}]},
}


@pytest.mark.parametrize("wrong", LACKING.values(), ids=LACKING)
def test_what_the_library_refuses_the_server_refuses_too(api, wrong):
    right = {"containers": [{"name": "a", "image": "a"}], "volumes": [{"name": "data", "emptyDir": {}}]}
    of_pod = {"containers", "topologySpreadConstraints", "tolerations"}
    spec = right | (wrong if wrong.keys() <= of_pod else {"containers": [{**right["containers"][0], **wrong}]})
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "default"}}

    assert (check_fields("pod_spec", right, "PodSpec"), check_required("pod_spec", right, "PodSpec")) == ([], None)
    assert api.dry_run({**pod, "spec": right}) is not None
    with pytest.raises((ArgumentError, ArgumentTypeError)):
        assert check_fields("pod_spec", spec, "PodSpec") or check_required("pod_spec", spec, "PodSpec")
    with pytest.raises(ApiError):
        api.dry_run({**pod, "spec": spec})
