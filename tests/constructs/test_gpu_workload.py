import inspect

import pytest
from cdk8s import ApiObject, App, Chart

from conftest import GENERATIONS, env_of, one, synth
from constructs_lib import (
    ConfigMapKey,
    Empty,
    ExecProbe,
    GpuNodes,
    GpuWorkload,
    HttpProbe,
    Persistent,
    SecretKey,
    Taint,
    TalosGpuWarning,
    TcpProbe,
    TimeSlicing,
)

IMAGE = "ollama/ollama:0.32.15"
POD = "spec.template.spec"
CONTAINER = f"{POD}.containers.0"
# What a kind can't do without, beside nodes and image.
KINDS = {"Deployment": {}, "StatefulSet": {}, "Job": {}, "CronJob": {"schedule": "0 3 * * *"}}


def at(manifest, path):
    """What stands at a path, such as `spec.template.spec.containers.0.image`."""
    for step in path.split("."):
        manifest = manifest[int(step)] if isinstance(manifest, list) else manifest[step]
    return manifest


def absent(manifest, path):
    parent, _, key = path.rpartition(".")
    return key not in at(manifest, parent)


def workload(chart, nodes, **given):
    """The object that runs the pods."""
    GpuWorkload(chart, "ollama", nodes=nodes, image=IMAGE, **given)
    return one(synth(chart), given.get("kind", "Deployment"))


def pod_of(manifest):
    path = "spec.jobTemplate.spec.template.spec" if manifest["kind"] == "CronJob" else POD
    return at(manifest, path)


@pytest.mark.parametrize("kind", KINDS)
def test_main_child_is_what_runs_the_pods(chart, cdi, kind):
    made = GpuWorkload(chart, "ollama", nodes=cdi, image=IMAGE, kind=kind, port=80 if kind == "Deployment" else None, **KINDS[kind])

    assert ApiObject.of(made).kind == kind


@pytest.mark.parametrize(
    ("talos_version", "handler"), [("1.11", {"exec": {"command": ["sleep", "15"]}}), ("1.12", {"sleep": {"seconds": 15}})]
)
def test_the_container_sleeps_by_exec_where_a_kubernetes_of_the_talos_does_not_know_sleep(chart, talos_version, handler):
    made = workload(chart, GpuNodes(talos_version=talos_version), pre_stop_sleep=15)

    assert at(made, CONTAINER)["lifecycle"] == {"preStop": handler}


@pytest.mark.parametrize("talos_version", GENERATIONS)
def test_defaults_of_each_generation(chart, snapshot_yaml, talos_version):
    deployment = workload(chart, GpuNodes(talos_version=talos_version))

    assert synth(chart) == snapshot_yaml
    assert at(deployment, f"{POD}.runtimeClassName") == "nvidia"
    assert at(deployment, f"{CONTAINER}.resources") == {"limits": {"nvidia.com/gpu": 1}, "requests": {"nvidia.com/gpu": 1}}
    assert at(deployment, f"{POD}.tolerations") == [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]


def test_defaults_of_the_preview(chart, snapshot_yaml):
    with pytest.warns(TalosGpuWarning, match="Talos 1.15 is a beta"):
        nodes = GpuNodes(talos_version="1.15")
    deployment = workload(chart, nodes)

    assert synth(chart) == snapshot_yaml
    assert "runtimeClassName" not in at(deployment, POD)
    assert at(deployment, f"{CONTAINER}.resources.limits") == {"nvidia.com/gpu": 1}
    assert at(deployment, "spec.strategy") == {"type": "Recreate"}
    assert at(deployment, f"{POD}.enableServiceLinks") is False
    assert at(deployment, f"{POD}.automountServiceAccountToken") is False
    assert at(deployment, f"{POD}.securityContext") == {"seccompProfile": {"type": "RuntimeDefault"}}
    assert at(deployment, f"{CONTAINER}.securityContext") == {"allowPrivilegeEscalation": False}
    assert "env" not in at(deployment, CONTAINER)


@pytest.mark.parametrize("kind", KINDS)
def test_defaults_of_each_kind(chart, cdi, snapshot_yaml, kind):
    made = workload(chart, cdi, kind=kind, **KINDS[kind])

    assert synth(chart) == snapshot_yaml
    assert pod_of(made)["runtimeClassName"] == "nvidia"
    assert pod_of(made)["containers"][0]["resources"]["limits"] == {"nvidia.com/gpu": 1}
    assert pod_of(made).get("restartPolicy") == ("Never" if "Job" in kind else None)


def test_on_a_preview_of_nri_no_runtime_class_is_asked_for(chart):
    with pytest.warns(TalosGpuWarning, match=r"Talos 1\.15 is a beta"):
        nodes = GpuNodes(talos_version="1.15")

    assert absent(workload(chart, nodes), f"{POD}.runtimeClassName")


# One argument each, and what it becomes at the exact path.
ARGUMENTS = [
    ({"gpus": 2}, f"{CONTAINER}.resources", {"limits": {"nvidia.com/gpu": 2}, "requests": {"nvidia.com/gpu": 2}}),
    ({"profile": None}, f"{CONTAINER}.resources.limits", {"nvidia.com/gpu": 1}),
    ({"name": "chat"}, "metadata.name", "chat"),
    ({"name": "chat"}, f"{CONTAINER}.name", "chat"),
    ({"name": "chat"}, "spec.selector.matchLabels", {"app.kubernetes.io/name": "chat"}),
    ({"namespace": "ai"}, "metadata.namespace", "ai"),
    ({"namespace": "4th-floor"}, "metadata.namespace", "4th-floor"),
    ({"command": ["ollama"]}, f"{CONTAINER}.command", ["ollama"]),
    ({"args": ("serve", "")}, f"{CONTAINER}.args", ["serve", ""]),
    ({"env": {"A": "", "B": "yes"}}, f"{CONTAINER}.env", [{"name": "A", "value": ""}, {"name": "B", "value": "yes"}]),
    ({"port": 11434}, f"{CONTAINER}.ports", [{"name": "http", "containerPort": 11434}]),
    ({"startup_probe": TcpProbe(80, period=5)}, f"{CONTAINER}.startupProbe.periodSeconds", 5),
    ({"liveness_probe": TcpProbe(80)}, f"{CONTAINER}.livenessProbe.tcpSocket", {"port": 80}),
    ({"readiness_probe": HttpProbe("/", port=80)}, f"{CONTAINER}.readinessProbe.httpGet", {"path": "/", "port": 80}),
    ({"cpu": "500m"}, f"{CONTAINER}.resources.requests", {"cpu": "500m", "nvidia.com/gpu": 1}),
    ({"cpu": 1.5}, f"{CONTAINER}.resources.requests.cpu", "1.5"),
    ({"cpu": 2}, f"{CONTAINER}.resources.limits", {"nvidia.com/gpu": 1}),
    ({"memory": "16Gi"}, f"{CONTAINER}.resources.requests.memory", "16Gi"),
    ({"memory": "16Gi"}, f"{CONTAINER}.resources.limits.memory", "16Gi"),
    ({"shared_memory": "2Gi"}, f"{CONTAINER}.volumeMounts", [{"name": "dev-shm", "mountPath": "/dev/shm"}]),
    ({"shared_memory": "2Gi"}, f"{POD}.volumes", [{"name": "dev-shm", "emptyDir": {"medium": "Memory", "sizeLimit": "2Gi"}}]),
    ({"security_context": {"runAsUser": 1000}}, f"{CONTAINER}.securityContext", {"allowPrivilegeEscalation": False, "runAsUser": 1000}),
    ({"pod_security_context": {"fsGroup": 1}}, f"{POD}.securityContext", {"seccompProfile": {"type": "RuntimeDefault"}, "fsGroup": 1}),
    ({"replicas": 3}, "spec.replicas", 3),
    ({"replicas": 0}, "spec.replicas", 0),
    ({"shared_memory": False, "gpus": 2}, f"{CONTAINER}.resources.limits", {"nvidia.com/gpu": 2}),
    ({"replicas": 3}, "spec.strategy", {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}),
    ({"replicas": None}, "spec.strategy.type", "RollingUpdate"),
    ({"replicas": 1}, "spec.strategy", {"type": "Recreate"}),
    ({"replicas": 0}, "spec.strategy", {"type": "Recreate"}),
    ({"replicas": 3, "update_strategy": "Recreate"}, "spec.strategy", {"type": "Recreate"}),
    ({"update_strategy": "RollingUpdate"}, "spec.strategy.rollingUpdate", {"maxSurge": 0, "maxUnavailable": 1}),
    ({"update_strategy": "Recreate"}, "spec.strategy", {"type": "Recreate"}),
    ({"disruption_budget": False, "replicas": 2}, "spec.replicas", 2),
    ({"termination_grace_period": 0}, f"{POD}.terminationGracePeriodSeconds", 0),
    ({"pre_stop_sleep": 15}, f"{CONTAINER}.lifecycle", {"preStop": {"sleep": {"seconds": 15}}}),
    ({"priority_class_name": "high"}, f"{POD}.priorityClassName", "high"),
    ({"service_account_name": "bot"}, f"{POD}.serviceAccountName", "bot"),
    ({"service_account_name": "bot"}, f"{POD}.automountServiceAccountToken", True),
    ({"image_pull_secrets": ["ghcr"]}, f"{POD}.imagePullSecrets", [{"name": "ghcr"}]),
    ({"labels": {"team": "ai"}}, "metadata.labels", {"app.kubernetes.io/name": "ollama", "team": "ai"}),
    ({"labels": {"team": "ai"}}, "spec.template.metadata.labels.team", "ai"),
    ({"labels": {"team": "ai"}}, "spec.selector.matchLabels", {"app.kubernetes.io/name": "ollama"}),
    ({"annotations": {"a": "b"}}, "metadata.annotations", {"a": "b"}),
    ({"port": 80, "service": {"type": "NodePort"}}, "spec.replicas", 1),
    ({"init_containers": [{"name": "a", "image": "a:1"}]}, f"{POD}.initContainers.0.name", "a"),
    ({"pod_annotations": {"a": "b"}}, "spec.template.metadata.annotations", {"a": "b"}),
    ({"pod_annotations": {"a": ""}}, "spec.template.metadata.annotations", {"a": ""}),
    ({"pod_spec": {"hostname": "gpu"}}, f"{POD}.hostname", "gpu"),
    ({"kind": "Job", "pod_spec": {"restartPolicy": "OnFailure"}}, f"{POD}.restartPolicy", "OnFailure"),
    ({"kind": "StatefulSet", "name": "a" * 52}, "metadata.name", "a" * 52),
    ({"kind": "CronJob", "schedule": "@daily", "name": "a" * 52}, "metadata.name", "a" * 52),
    ({"kind": "Job", "parallelism": 2}, "spec.parallelism", 2),
    ({"kind": "Job", "completions": 4}, "spec.completions", 4),
    ({"kind": "Job", "backoff_limit": 0}, "spec.backoffLimit", 0),
    ({"kind": "Job", "ttl_seconds_after_finished": 0}, "spec.ttlSecondsAfterFinished", 0),
    ({"kind": "Job", "completions": 2, "completion_mode": "Indexed"}, "spec.completionMode", "Indexed"),
    ({"kind": "Job", "active_deadline_seconds": 60}, "spec.activeDeadlineSeconds", 60),
    ({"kind": "Job", "suspend": True}, "spec.suspend", True),
    ({"kind": "Job", "hashed_name": False}, "metadata.name", "ollama"),
    ({"kind": "CronJob", "schedule": "@daily"}, "spec.schedule", "@daily"),
    ({"kind": "CronJob", "schedule": "0  3 * * mon-fri"}, "spec.schedule", "0 3 * * mon-fri"),
    ({"kind": "CronJob", "schedule": "@daily", "time_zone": "Europe/Berlin"}, "spec.timeZone", "Europe/Berlin"),
    ({"kind": "CronJob", "schedule": "@daily", "starting_deadline_seconds": 10}, "spec.startingDeadlineSeconds", 10),
    ({"kind": "CronJob", "schedule": "@daily", "suspend": True}, "spec.suspend", True),
    ({"kind": "CronJob", "schedule": "@daily", "active_deadline_seconds": 60}, "spec.jobTemplate.spec.activeDeadlineSeconds", 60),
    ({"kind": "CronJob", "schedule": "@daily"}, "spec.concurrencyPolicy", "Forbid"),
    ({"kind": "CronJob", "schedule": "@daily", "backoff_limit": 1}, "spec.jobTemplate.spec.backoffLimit", 1),
    ({"kind": "StatefulSet"}, "spec.serviceName", "ollama"),
    ({"volumes": {"/data": Empty()}}, f"{CONTAINER}.volumeMounts", [{"name": "data", "mountPath": "/data"}]),
]


@pytest.mark.parametrize(("given", "path", "expected"), ARGUMENTS, ids=[f"{given}-{path}" for given, path, _ in ARGUMENTS])
def test_an_argument_arrives_at_its_path(chart, cdi, given, path, expected):
    assert at(workload(chart, cdi, **given), path) == expected


def test_each_argument_has_a_case_above():
    arguments = {
        name for name, parameter in inspect.signature(GpuWorkload.__init__).parameters.items() if parameter.kind.name == "KEYWORD_ONLY"
    }

    assert arguments - {name for given, _, _ in ARGUMENTS for name in given} == {"nodes", "image", "gpu_memory"}


def test_as_many_pods_as_fit_on_the_nodes_are_accepted(chart):
    # Three GPUs a node, two a pod: one pod on each of two nodes.
    nodes = GpuNodes(talos_version="1.14", gpus_per_node=3, count=2)

    assert at(workload(chart, nodes, gpus=2, replicas=2), "spec.replicas") == 2


def test_replicas_none_leaves_the_number_to_an_autoscaler(chart, cdi):
    assert absent(workload(chart, cdi, replicas=None), "spec.replicas")


def test_references_in_env_stay_references(chart, cdi):
    env = {"TOKEN": SecretKey("hf", "token"), "MODEL": ConfigMapKey("settings", "model", optional=True)}

    assert env_of(at(workload(chart, cdi, env=env), CONTAINER)) == {
        "TOKEN": {"secretKeyRef": {"name": "hf", "key": "token"}},
        "MODEL": {"configMapKeyRef": {"name": "settings", "key": "model", "optional": True}},
    }


def test_port_makes_a_service_that_selects_the_pods(chart, cdi):
    deployment = workload(chart, cdi, port=11434)

    service = one(synth(chart), "Service", "ollama")
    assert service["spec"]["ports"] == [{"name": "http", "port": 11434, "targetPort": "http"}]
    assert service["spec"]["selector"].items() <= at(deployment, "spec.template.metadata.labels").items()


def test_several_ports_keep_their_names_and_probes_ask_the_first(chart, cdi):
    deployment = workload(chart, cdi, port={"grpc": 9000, "metrics": 9001}, liveness_probe=TcpProbe())

    ports = one(synth(chart), "Service")["spec"]["ports"]
    assert [(port["name"], port["port"], port["targetPort"]) for port in ports] == [("grpc", 9000, "grpc"), ("metrics", 9001, "metrics")]
    assert at(deployment, f"{CONTAINER}.livenessProbe.tcpSocket.port") == "grpc"


def test_the_service_of_a_stateful_set_is_headless_and_of_a_deployment_is_not(chart, cdi):
    GpuWorkload(chart, "stateful", nodes=cdi, image=IMAGE, kind="StatefulSet", port=80)
    GpuWorkload(chart, "plain", nodes=cdi, image=IMAGE, port=80)

    assert one(synth(chart), "Service", "stateful")["spec"]["clusterIP"] == "None"
    assert "clusterIP" not in one(synth(chart), "Service", "plain")["spec"]


@pytest.mark.parametrize(("threshold", "deadline"), [(59, None), (60, 1200), (180, 2400)])
def test_a_long_start_moves_the_deadline_of_the_rollout(chart, cdi, threshold, deadline):
    deployment = workload(chart, cdi, port=8000, startup_probe=HttpProbe("/health", failure_threshold=threshold))

    assert deployment["spec"].get("progressDeadlineSeconds") == deadline


def test_everything_of_the_nodes_reaches_the_pod(chart):
    sharing = TimeSlicing(replicas=5, rename_by_default=True)
    nodes = GpuNodes(talos_version="1.12", labels={"role": "gpu"}, taints=[Taint("dedicated", "ai")], sharing=sharing)

    deployment = workload(chart, nodes, gpus=2)
    assert at(deployment, f"{CONTAINER}.resources.limits") == {"nvidia.com/gpu.shared": 2}
    assert at(deployment, f"{POD}.nodeSelector") == {"role": "gpu"}
    assert {"key": "dedicated", "operator": "Equal", "value": "ai", "effect": "NoSchedule"} in at(deployment, f"{POD}.tolerations")
    assert absent(deployment, f"{POD}.affinity")


@pytest.mark.parametrize("field", ["runtimeClassName", "tolerations", "nodeSelector"])
def test_what_the_nodes_need_is_not_lost_to_pod_spec(chart, field):
    deployment = workload(chart, GpuNodes(talos_version="1.12", labels={"role": "gpu"}), pod_spec={field: None})

    assert at(deployment, f"{POD}.{field}") == at(
        workload(Chart(App(), "other"), GpuNodes(talos_version="1.12", labels={"role": "gpu"})), f"{POD}.{field}"
    )


def test_the_limit_is_not_lost_to_pod_spec(chart, cdi):
    deployment = workload(chart, cdi, pod_spec={"containers": [{"name": "ollama", "resources": None}]})

    assert at(deployment, f"{CONTAINER}.resources.limits") == {"nvidia.com/gpu": 1}


def test_a_sidecar_in_pod_spec_is_added_and_sees_no_gpu(chart, legacy):
    deployment = workload(chart, legacy, pod_spec={"containers": [{"name": "proxy", "image": "envoy:1"}]})

    server, proxy = at(deployment, f"{POD}.containers")
    assert (server["name"], server["image"]) == ("ollama", IMAGE)
    assert env_of(proxy) == {"NVIDIA_VISIBLE_DEVICES": "void"}
    assert "resources" not in proxy


def test_env_and_volumes_of_pod_spec_take_the_place_of_ours(chart, cdi):
    env = [{"name": "TOKEN", "value": "none"}]
    volumes = [{"name": "data", "hostPath": {"path": "/var/mnt"}}]
    over = {"containers": [{"name": "ollama", "env": env}], "volumes": volumes}

    deployment = workload(chart, cdi, env={"TOKEN": SecretKey("hf", "token")}, volumes={"/data": Empty("1Gi")}, pod_spec=over)
    assert at(deployment, f"{CONTAINER}.env") == env
    assert at(deployment, f"{POD}.volumes") == volumes


def test_a_default_of_ours_can_be_removed_by_none_in_pod_spec(chart, cdi):
    assert absent(workload(chart, cdi, pod_spec={"enableServiceLinks": None}), f"{POD}.enableServiceLinks")


EXEC = ExecProbe(["true"])
HOOK = {"containers": [{"name": "ollama", "lifecycle": {"postStart": {"exec": {"command": ["true"]}}}}]}


@pytest.mark.parametrize(
    ("given", "places"),
    [
        ({"startup_probe": EXEC}, "startupProbe"),
        ({"liveness_probe": EXEC, "readiness_probe": EXEC}, "livenessProbe or readinessProbe"),
        ({"pod_spec": HOOK}, "postStart"),
    ],
    ids=["probe", "two", "hook"],
)
def test_exec_into_a_gpu_container_warns_on_talos_1_12_from_the_users_own_line(chart, legacy, given, places):
    with pytest.warns(TalosGpuWarning) as caught:
        GpuWorkload(chart, "ollama", nodes=legacy, image=IMAGE, **given)

    assert [warning.filename for warning in caught] == [__file__]
    assert str(caught[0].message) == (
        "ollama: on Talos 1.12 an exec into a GPU container may fail (init 250 result=11, siderolabs/extensions#940). "
        f"A failing {places} restarts the container; use an HttpProbe or a TcpProbe, and a Job in place of a hook"
    )


@pytest.mark.parametrize("talos_version", ["1.11", "1.13", "1.14"])
def test_exec_probes_do_not_warn_on_another_talos(chart, talos_version):
    # A warning would fail this test: filterwarnings is "error".
    deployment = workload(chart, GpuNodes(talos_version=talos_version), liveness_probe=EXEC)

    assert at(deployment, f"{CONTAINER}.livenessProbe.exec") == {"command": ["true"]}


def test_the_charts_namespace_is_the_default_and_an_own_one_wins():
    chart = Chart(App(), "ai", namespace="ai")
    GpuWorkload(chart, "a", nodes=GpuNodes(talos_version="1.14"), image=IMAGE, port=80, volumes={"/data": Persistent("1Gi")})
    GpuWorkload(chart, "b", nodes=GpuNodes(talos_version="1.14"), image=IMAGE, port=80, namespace="other")

    assert [manifest["metadata"]["namespace"] for manifest in synth(chart)] == ["ai", "ai", "ai", "other", "other"]


def test_attributes_hold_the_resolved_values(chart, cdi):
    made = GpuWorkload(chart, "ollama", nodes=cdi, image=IMAGE, kind="StatefulSet", port=80, command=["serve"], cpu=2)

    assert (made.name, made.port, made.command, made.cpu, made.gpus) == ("ollama", {"http": 80}, ("serve",), "2", 1)
    assert (made.kind.name, made.update_strategy) == ("STATEFUL_SET", None)
    assert made.nodes is cdi
