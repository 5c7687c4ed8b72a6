"""`GpuGang`: one pod template for the leader and the workers, one rendezvous, one restart, and no gang that the nodes can't hold."""

import pytest
from cdk8s import App, Chart

from conftest import message, one, synth
from constructs_lib import (
    Dra,
    ExistingClaim,
    GpuGang,
    GpuNodes,
    GpuWorkload,
    HttpProbe,
    KueueQueue,
    NvidiaRuntimeClass,
    Persistent,
    SecretKey,
    Taint,
    TalosGpuWarning,
    TimeSlicing,
    autoscale,
    check,
    expose,
    isolate,
    scrape,
)
from constructs_lib.manifests.queues.gang_settings import GangKind
from strict_schemas import all_faults

NODES = GpuNodes(talos_version="1.12", labels={"role": "gpu"}, taints=[Taint("dedicated", "ai")], count=4, gpus_per_node=8)
CLASSES = {
    "1.11": GpuNodes(talos_version="1.11"),
    "1.12": NODES,
    "1.14": GpuNodes(talos_version="1.14", count=4, gpus_per_node=8),
    "1.14 with claims": GpuNodes(talos_version="1.14", dra=Dra(), count=4, gpus_per_node=8),
}
SERVER = {"size": 2, "gpus": 8, "port": 8000, "readiness_probe": HttpProbe("/health")}
TRAINING = {"kind": "JobSet", "size": 4, "gpus": 8}


def gang(chart, nodes=NODES, name="gang", **given):
    return GpuGang(chart, name, nodes=nodes, image="app:1", **{"size": 2, **given})


def found(chart, nodes):
    """The rules with a finding about a gang of the chart."""
    kinds = ("LeaderWorkerSet", "JobSet", "Workload", "PodGroup")
    return {each.rule for each in check(chart.to_json(), nodes=nodes) if each.object.startswith(kinds)}


def spec(made):
    return made.resource.to_json()["spec"]


def templates(made):
    """The pod templates of a LeaderWorkerSet, the leader's first, or of a JobSet."""
    found = spec(made)
    if "replicatedJobs" in found:
        return [found["replicatedJobs"][0]["template"]["spec"]["template"]]
    return [found["leaderWorkerTemplate"]["leaderTemplate"], found["leaderWorkerTemplate"]["workerTemplate"]]


def container(template):
    return template["spec"]["containers"][0]


def variables(template):
    return {each["name"]: each.get("value", each.get("valueFrom")) for each in container(template)["env"]}


@pytest.mark.parametrize("given", [SERVER, TRAINING], ids=["LeaderWorkerSet", "JobSet"])
@pytest.mark.parametrize("name", CLASSES)
def test_every_pod_of_a_gang_is_placed_as_a_pod_of_a_gpu_workload(chart, name, given):
    alone = GpuWorkload(Chart(App(), "alone"), "gang", nodes=CLASSES[name], image="app:1", gpus=8).resource.to_json()["spec"]["template"]
    placing = ("runtimeClassName", "tolerations", "nodeSelector", "affinity", "resourceClaims", "volumes")

    for template in templates(gang(chart, CLASSES[name], **given)):
        assert {key: template["spec"].get(key) for key in placing} == {key: alone["spec"].get(key) for key in placing}
        assert container(template).get("resources") == container(alone).get("resources")
        assert template["metadata"]["labels"] == alone["metadata"]["labels"]


@pytest.mark.parametrize("name", CLASSES)
def test_the_objects_keep_the_strict_schemas_and_the_checks(name):
    chart = Chart(App(), "ai", namespace="ai")
    if not CLASSES[name].dra:
        NvidiaRuntimeClass(chart, "runtime-class")
    server = gang(chart, CLASSES[name], "server", queue="gpus", leader_command=["a"], **SERVER)
    expose(server, "chat.example.com", gateway="web")
    scrape(server)
    isolate(server)
    options = {"queue": "gpus", "rdma": {"rdma/hca": 1}, "network_interface": "=net1", "ttl_seconds_after_finished": 60, "suspend": True}
    gang(chart, CLASSES[name], "training", **options, **{**TRAINING, "size": 2})

    assert all_faults(chart.to_json(), name[:4]) == []
    assert found(chart, CLASSES[name]) == {"TG157"}  # the remark that the queue is not in the app


def test_the_pods_of_a_leader_worker_set_meet_at_the_address_of_the_leader(chart):
    leader, worker = templates(gang(chart, **SERVER))

    expected = {
        "PET_MASTER_ADDR": "$(LWS_LEADER_ADDRESS)",
        "PET_MASTER_PORT": "29500",
        "PET_NNODES": "2",
        "PET_NPROC_PER_NODE": "8",
        "PET_NODE_RANK": "$(LWS_WORKER_INDEX)",
        "NCCL_DEBUG": "WARN",
        "NCCL_IB_DISABLE": "1",
    }
    assert variables(leader) == variables(worker) == expected


def test_the_pods_of_a_job_set_meet_at_the_dns_name_of_its_first_pod(chart):
    made = gang(chart, **TRAINING, rendezvous_port=1234)

    found = variables(templates(made)[0])
    assert (found["PET_MASTER_ADDR"], found["PET_MASTER_PORT"], found["PET_NNODES"]) == ("gang-node-0-0.gang", "1234", "4")
    assert found["PET_NODE_RANK"] == {"fieldRef": {"fieldPath": "metadata.annotations['batch.kubernetes.io/job-completion-index']"}}
    assert spec(made)["network"] == {"enableDNSHostnames": True, "publishNotReadyAddresses": True, "subdomain": "gang"}
    assert spec(made)["replicatedJobs"][0]["name"] == "node"


def test_a_gang_restarts_as_a_whole(chart):
    server, training = gang(chart, **SERVER), gang(chart, name="training", **TRAINING)

    assert spec(server)["leaderWorkerTemplate"]["restartPolicy"] == "RecreateGroupOnPodRestart"
    assert spec(training)["failurePolicy"] == {"maxRestarts": 3}
    job = spec(training)["replicatedJobs"][0]["template"]["spec"]
    assert {key: job[key] for key in ("backoffLimit", "completionMode", "completions", "parallelism")} == {
        "backoffLimit": 0,
        "completionMode": "Indexed",
        "completions": 4,
        "parallelism": 4,
    }
    assert templates(training)[0]["spec"]["restartPolicy"] == "Never"
    assert spec(gang(chart, name="once", **TRAINING, max_restarts=0))["failurePolicy"] == {"maxRestarts": 0}


def test_the_leader_alone_serves_and_has_a_command_of_its_own(chart):
    made = gang(chart, **SERVER, command=["join"], args=["a"], leader_command=["serve"], leader_args=["b"])

    leader, worker = map(container, templates(made))
    assert (leader["command"], leader["args"], worker["command"], worker["args"]) == (["serve"], ["b"], ["join"], ["a"])
    assert "readinessProbe" in leader
    assert leader["ports"] == [{"name": "http", "containerPort": 8000}]
    assert {"ports", "startupProbe", "livenessProbe", "readinessProbe"} & set(worker) == set()


def test_the_service_selects_the_leaders_and_takes_no_name_of_a_headless_service(chart):
    made = gang(chart, **SERVER)

    selector = {"app.kubernetes.io/name": "gang", "leaderworkerset.sigs.k8s.io/worker-index": "0"}
    assert made.service.to_json()["spec"]["selector"] == selector
    # With the subdomain `Shared` the controller would make a headless Service named like the gang.
    assert spec(made)["networkConfig"] == {"subdomainPolicy": "UniquePerReplica"}
    assert spec(made)["startupPolicy"] == "LeaderCreated"
    assert expose(made, load_balancer=True).resource.to_json()["spec"]["selector"] == selector


def test_an_isolated_gang_still_talks_to_itself(chart):
    own = {"podSelector": {"matchLabels": {"app.kubernetes.io/name": "gang"}}}

    policy = isolate(gang(chart, **SERVER)).resource.to_json()["spec"]
    assert {"from": [own]} in policy["ingress"]
    assert {"to": [own]} in policy["egress"]


def test_an_isolated_workload_of_one_pod_gets_no_rule_for_itself(chart):
    policy = isolate(GpuWorkload(chart, "alone", nodes=NODES, image="app:1")).resource.to_json()["spec"]

    assert "ingress" not in policy
    assert len(policy["egress"]) == 1


def test_kueues_label_is_on_the_object_and_not_on_the_pods(chart):
    made = gang(chart, **TRAINING, queue="gpus")

    assert made.resource.to_json()["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "gpus"
    assert "kueue.x-k8s.io/queue-name" not in templates(made)[0]["metadata"]["labels"]
    assert "kueue.x-k8s.io/queue-name" not in gang(chart, name="other").resource.to_json()["metadata"]["labels"]


def test_rdma_lets_nccl_use_infiniband_and_lock_memory(chart):
    given = {"rdma": {"rdma/hca": 2}, "security_context": {"capabilities": {"drop": ["ALL"], "add": ["IPC_LOCK", "SYS_PTRACE"]}}}
    template = templates(gang(chart, **TRAINING, **given))[0]

    assert container(template)["resources"]["limits"] == {"nvidia.com/gpu": 8, "rdma/hca": 2}
    assert container(template)["securityContext"]["capabilities"] == {"drop": ["ALL"], "add": ["IPC_LOCK", "SYS_PTRACE"]}
    assert "NCCL_IB_DISABLE" not in variables(template)
    plain = templates(gang(chart, name="plain", **TRAINING, rdma={"rdma/hca": 1}))[0]
    assert container(plain)["securityContext"]["capabilities"] == {"add": ["IPC_LOCK"]}


def test_rdma_stands_beside_a_claim_on_gpus(chart):
    template = templates(gang(chart, CLASSES["1.14 with claims"], **TRAINING, rdma={"rdma/hca": 1}))[0]

    assert container(template)["resources"]["limits"] == {"rdma/hca": 1}


def test_the_network_interface_is_that_of_nccl_and_of_gloo(chart):
    found = variables(templates(gang(chart, network_interface="eth1"))[0])

    assert (found["NCCL_SOCKET_IFNAME"], found["GLOO_SOCKET_IFNAME"]) == ("eth1", "eth1")


def test_the_users_variables_win_and_may_use_those_of_the_gang(chart):
    given = {"NCCL_DEBUG": "INFO", "URL": "tcp://$(PET_MASTER_ADDR)", "HF_TOKEN": SecretKey("hf", "token")}
    template = templates(gang(chart, env=given))[0]

    names = [each["name"] for each in container(template)["env"]]
    assert names[-3:] == ["NCCL_DEBUG", "URL", "HF_TOKEN"]
    assert len(set(names)) == len(names)
    assert variables(template)["NCCL_DEBUG"] == "INFO"


def test_a_volume_of_all_nodes_is_mounted_by_every_pod(chart):
    made = gang(chart, **SERVER, volumes={"/models": Persistent("500Gi", access_mode="ReadWriteMany"), "/data": ExistingClaim("data")})

    assert made.claims["/models"].to_json()["spec"]["accessModes"] == ["ReadWriteMany"]
    assert len({str(template["spec"]["volumes"]) for template in templates(made)}) == 1


def test_several_gpus_of_a_pod_share_memory(chart):
    assert gang(chart, gpus=8).shared_memory == "8Gi"


def test_an_autoscaler_may_choose_the_number_of_gangs(chart):
    assert "replicas" not in spec(gang(chart, replicas=None))
    assert spec(gang(chart, name="two", replicas=2))["replicas"] == 2


def test_the_kind_is_a_choice(chart):
    assert gang(chart, kind="JobSet").kind is GangKind.JOB_SET


def test_the_claims_of_a_class_with_dra_are_one_for_each_pod(chart):
    made = gang(chart, CLASSES["1.14 with claims"], **TRAINING)

    assert (
        one(synth(chart), "ResourceClaimTemplate")["metadata"]["name"]
        == templates(made)[0]["spec"]["resourceClaims"][0]["resourceClaimTemplateName"]
    )
    assert made.resource.to_json()["kind"] == "JobSet"


NATIVE = CLASSES["1.14"]


def groups(chart):
    """The Workload and the PodGroup of the chart's gang."""
    manifests = synth(chart)
    return one(manifests, "Workload"), one(manifests, "PodGroup")


@pytest.mark.parametrize(("given", "kind"), [(SERVER, "LeaderWorkerSet"), (TRAINING, "JobSet")])
def test_a_pod_group_is_of_all_pods_and_every_pod_names_it(chart, given, kind):
    made = gang(chart, NATIVE, **given, pod_group=True)
    workload, group = groups(chart)

    policy = {"schedulingPolicy": {"gang": {"minCount": given["size"]}}, "disruptionMode": {"all": {}}}
    assert [template["spec"]["schedulingGroup"] for template in templates(made)] == [{"podGroupName": "gang"}] * len(templates(made))
    assert (group["apiVersion"], group["spec"]) == (
        "scheduling.k8s.io/v1beta1",
        {"workloadRef": {"workloadName": "gang", "templateName": "gang"}, **policy},
    )
    controller = {"apiGroup": made.resource.to_json()["apiVersion"].partition("/")[0], "kind": kind, "name": "gang"}
    assert workload["spec"] == {"controllerRef": controller, "podGroupTemplates": [{"name": "gang", **policy}]}
    assert (made.feature_gates, made.runtime_config) == (("GenericWorkload",), ("scheduling.k8s.io/v1beta1",))


def test_without_a_pod_group_there_is_none_and_the_cluster_needs_nothing(chart):
    made = gang(chart, NATIVE)

    assert [each["kind"] for each in synth(chart)] == ["LeaderWorkerSet"]
    assert "schedulingGroup" not in templates(made)[0]["spec"]
    assert (made.feature_gates, made.runtime_config) == ((), ())


def test_a_pod_group_keeps_the_strict_schemas_and_the_checks():
    chart = Chart(App(), "ai", namespace="ai")
    NvidiaRuntimeClass(chart, "runtime-class")
    gang(chart, NATIVE, **TRAINING, pod_group=True, required_topology="rack", priority_class_name="high")

    assert all_faults(chart.to_json(), "1.14") == []
    assert found(chart, NATIVE) == {"TG156"}  # the remark that the PriorityClass is not in the app


@pytest.mark.parametrize("given", [{"priority_class_name": "high"}, {"pod_spec": {"priorityClassName": "high"}}])
def test_the_group_has_the_priority_of_its_pods(chart, given):
    gang(chart, NATIVE, pod_group=True, disruption_mode="Single", **given)
    workload, group = groups(chart)

    assert group["spec"]["priorityClassName"] == workload["spec"]["podGroupTemplates"][0]["priorityClassName"] == "high"
    assert group["spec"]["disruptionMode"] == {"single": {}}


def test_the_group_has_the_topology_of_a_gang_without_a_queue(chart):
    made = gang(chart, NATIVE, pod_group=True, required_topology="nvidia.com/gpu.clique")

    assert groups(chart)[1]["spec"]["schedulingConstraints"] == {"topology": [{"key": "nvidia.com/gpu.clique"}]}
    assert made.feature_gates == ("GenericWorkload", "TopologyAwareWorkloadScheduling")
    assert "annotations" not in templates(made)[0]["metadata"]


REQUIRED, PREFERRED = ("kueue.x-k8s.io/podset-required-topology", "kueue.x-k8s.io/podset-preferred-topology")


@pytest.mark.parametrize(("argument", "key"), [("required_topology", REQUIRED), ("preferred_topology", PREFERRED)])
def test_kueue_reads_the_topology_of_a_gang_with_a_queue(chart, argument, key):
    training = gang(chart, NATIVE, name="training", queue="gpus", pod_annotations={"a": "b"}, **TRAINING, **{argument: "rack"})
    server = gang(chart, NATIVE, queue="gpus", **SERVER, **{argument: "rack"})

    assert templates(training)[0]["metadata"]["annotations"] == {key: "rack", "a": "b"}
    # The leader and the workers are two sets of pods for Kueue: without a group each may get a rack of its own.
    grouped = {key: "rack", "kueue.x-k8s.io/podset-group-name": "gang"}
    assert [template["metadata"]["annotations"] for template in templates(server)] == [grouped, grouped]


def test_with_a_queue_the_topology_is_kueues_alone(chart):
    made = gang(chart, NATIVE, queue="gpus", pod_group=True, required_topology="rack")

    assert "schedulingConstraints" not in groups(chart)[1]["spec"]
    assert templates(made)[0]["metadata"]["annotations"][REQUIRED] == "rack"
    assert made.feature_gates == ("GenericWorkload",)


NATIVE_CLASS = GpuNodes(talos_version="1.14", name="h100", count=4, gpus_per_node=8)


def queued(folder, *, topology, name="gpus", **given):
    """What the synthesis of a gang in a queue says."""
    app = App(outdir=str(folder))
    gang(Chart(app, "ai", namespace="ai"), NATIVE_CLASS, queue="gpus", **given)
    KueueQueue(Chart(app, "queues"), name, nodes=NATIVE_CLASS, namespaces=["ai"], topology=topology)
    try:
        app.synth()
    except RuntimeError as error:
        return str(error)
    return ""


def test_a_level_that_the_topology_of_the_queue_lacks_is_refused_when_the_app_is_synthesized(tmp_path):
    assert queued(tmp_path, topology=["rack"], required_topology="rack") == ""
    assert queued(tmp_path, topology=["rack"]) == ""
    assert queued(tmp_path, topology=["rack"], name="others", required_topology="block") == ""
    said = queued(tmp_path, topology=["rack"], preferred_topology="block")
    assert (
        "'preferred_topology' must be a level of the topology of its queue 'gpus', which has rack, kubernetes.io/hostname (got 'block'); "
        "Kueue would never admit gang: give KueueQueue 'gpus' a 'topology' with block"
    ) in said
    assert "of its queue 'gpus', which has none (got 'rack')" in queued(tmp_path, topology=None, required_topology="rack")


TWO = "a part of the gang would stay Pending, and the other part would wait for it"
REFUSED = [
    ({"size": 1}, "'size' must be a whole number of at least 2 (got 1); a gang of one pod is a GpuWorkload"),
    ({"size": 5, "gpus": 8}, f"'size' must be at most 4 with gpus=8, as each of 4 nodes offers 8 (got 5); {TWO}"),
    ({"size": 5, "gpus": 5}, f"'size' must be at most 4 with gpus=5, as each of 4 nodes offers 8 (got 5); {TWO}"),
    (
        {"size": 2, "gpus": 8, "replicas": 3},
        "'replicas' must be at most 2 groups of 2 pods with gpus=8, as each of 4 nodes offers 8 (got 3); the other groups would wait",
    ),
    ({"kind": "JobSet", "port": 80}, "'port' must be given only to a LeaderWorkerSet (got {'http': 80}); this is a JobSet"),
    ({"kind": "JobSet", "replicas": 2}, "'replicas' must be given only to a LeaderWorkerSet (got 2); this is a JobSet"),
    (
        {"kind": "JobSet", "leader_command": ["a"]},
        "'leader_command' must be given only to a LeaderWorkerSet (got ('a',)); this is a JobSet",
    ),
    ({"max_restarts": 1}, "'max_restarts' must be given only to a JobSet (got 1); this is a LeaderWorkerSet"),
    ({"suspend": True}, "'suspend' must be given only to a JobSet (got True); this is a LeaderWorkerSet"),
    (
        {"volumes": {"/data": Persistent("1Gi")}},
        (
            "'volumes' must be without a claim that only one node can mount (got '/data'); "
            "the claim at /data is ReadWriteOnce: use access_mode='ReadWriteMany', or a volume of each node"
        ),
    ),
    (
        {"kind": "JobSet", "pod_spec": {"restartPolicy": "OnFailure"}},
        "'pod_spec' must be of a JobSet with the restartPolicy 'Never' (got 'OnFailure'); a process that starts alone finds no gang",
    ),
    (
        {"network_interface": "eth 0"},
        (
            "'network_interface' must be the name of a network interface in the pod, such as 'eth0', or prefixes in NCCL's form, such as "
            "'=net1,=net2' and '^lo' (got 'eth 0')"
        ),
    ),
    ({"rdma": {"hca": 1}}, "'rdma' must be keyed by the extended resources of an RDMA device plugin, such as 'rdma/hca' (got 'hca')"),
    (
        {"rdma": {"nvidia.com/gpu": 1}},
        "'rdma' must be keyed by the extended resources of an RDMA device plugin, such as 'rdma/hca' (got 'nvidia.com/gpu')",
    ),
    ({"rdma": {"rdma/hca": 0}}, "'rdma[rdma/hca]' must be a whole number of at least 1 (got 0)"),
    (
        {"pod_group": True},
        (
            "'pod_group' must be False on Talos 1.12 (got True); Kubernetes has this API from 1.37 on, and Talos 1.12 runs up to 1.35; "
            "'queue' needs no newer Kubernetes"
        ),
    ),
    ({"disruption_mode": "All"}, "'disruption_mode' must be given only with 'pod_group' (got 'All'); it is a field of the PodGroup"),
    (
        {"required_topology": "rack"},
        (
            "'required_topology' must be given with 'queue' or 'pod_group' (got 'rack'); "
            "without both the scheduler places each pod by itself"
        ),
    ),
    (
        {"preferred_topology": "rack"},
        "'preferred_topology' must be given only with 'queue' (got 'rack'); a PodGroup has no preferences; use 'required_topology'",
    ),
    (
        {"queue": "gpus", "required_topology": "rack", "preferred_topology": "block"},
        "'preferred_topology' must be left out with 'required_topology' (got 'block'); Kueue refuses pods with both",
    ),
    (
        {"queue": "gpus", "required_topology": "rack", "pod_annotations": {"kueue.x-k8s.io/podset-preferred-topology": "block"}},
        "'pod_annotations' must be without kueue.x-k8s.io/podset-preferred-topology (got 'block'); the topology of the gang is an argument",
    ),
]
REFUSED_GROUPS = [
    (
        {"replicas": 2},
        (
            "'replicas' must be 1 with 'pod_group' (got 2); a PodGroup is of one gang, and a LeaderWorkerSet makes none for its groups; "
            "make a GpuGang for each gang, or use 'queue' alone"
        ),
    ),
    (
        {"replicas": None},
        (
            "'replicas' must be 1 with 'pod_group' (got None); a PodGroup is of one gang, and a LeaderWorkerSet makes none for its groups; "
            "make a GpuGang for each gang, or use 'queue' alone"
        ),
    ),
    (
        {"pod_spec": {"schedulingGroup": {"podGroupName": "x"}}},
        "'pod_spec' must be without schedulingGroup with 'pod_group' (got {'podGroupName': 'x'}); the group is the gang's own",
    ),
    (
        {"pod_spec": {"schedulerName": "volcano"}},
        (
            "'pod_spec' must be without another schedulerName than 'default-scheduler' with 'pod_group' (got 'volcano'); "
            "it is not known whether another scheduler reads PodGroups; without that each pod is placed by itself"
        ),
    ),
]


@pytest.mark.parametrize(
    ("given", "expected"), REFUSED, ids=[f"{next(reversed(given))}-{index}" for index, (given, _) in enumerate(REFUSED)]
)
def test_a_gang_that_can_not_run_is_refused(chart, given, expected):
    assert message(lambda: gang(chart, **given)) == expected


@pytest.mark.parametrize(("given", "expected"), REFUSED_GROUPS)
def test_what_a_pod_group_can_not_do_is_refused(chart, given, expected):
    assert message(lambda: gang(chart, NATIVE, pod_group=True, **given)) == expected


def test_pods_that_share_one_claim_are_refused_as_they_are_on_one_node(chart):
    nodes = GpuNodes(talos_version="1.14", dra=Dra(share="claim"))

    assert message(lambda: gang(chart, nodes)) == (
        "'nodes' must be a class whose pods have claims of their own (got 'claim'); one claim is on one node, and a gang runs on several; "
        "with share='exclusive' each pod has its own claim"
    )


@pytest.mark.parametrize(("replicas", "longest"), [(1, 50), (11, 49)])
def test_the_name_leaves_room_for_the_names_of_a_leader_worker_sets_pods(chart, replicas, longest):
    assert gang(chart, CLASSES["1.11"], "a" * longest, replicas=replicas)
    with pytest.raises(ValueError, match=f"at most {longest} characters"):
        gang(chart, CLASSES["1.11"], "a" * (longest + 1), replicas=replicas)


@pytest.mark.parametrize(("size", "longest"), [(2, 48), (11, 47)])
def test_the_name_leaves_room_for_the_names_of_a_job_sets_pods(chart, size, longest):
    assert gang(chart, CLASSES["1.11"], "a" * longest, kind="JobSet", size=size)
    with pytest.raises(ValueError, match=f"at most {longest} characters"):
        gang(chart, CLASSES["1.11"], "a" * (longest + 1), kind="JobSet", size=size)


def test_shares_and_partitions_of_a_gpu_are_a_warning(chart):
    shared = GpuNodes(talos_version="1.12", sharing=TimeSlicing(replicas=4))

    with pytest.warns(TalosGpuWarning, match="gang: NCCL refuses two processes on one GPU"):
        gang(chart, shared)


def test_a_training_is_no_server(chart):
    training = gang(chart, **TRAINING)

    assert message(lambda: expose(training, "chat.example.com", gateway="web")).startswith("'workload' must be a Deployment")
    with pytest.raises(ValueError, match="'workload"):
        autoscale(training, wake_on=["a.example.com"], concurrency=1)
    with pytest.raises(AttributeError):
        _ = training.service


FABRIC = GpuNodes(talos_version="1.14", dra=Dra(), count=2, gpus_per_node=4)


def test_a_gang_with_a_compute_domain_claims_the_channel_beside_its_gpus(chart):
    with pytest.warns(TalosGpuWarning) as warned:
        gang(chart, FABRIC, gpus=4, compute_domain=True)
    domain, made = (one(synth(chart), kind) for kind in ("ComputeDomain", "LeaderWorkerSet"))

    assert [str(each.message) for each in warned] == [
        (
            "gang: for a ComputeDomain on a Multi-Node NVLink machine the DRA driver starts nvidia-imex from the driver's folder, and no extension "
            "of Talos names this program: without an extension of your own that brings it and nvidia-imex-ctl to /usr/local/bin the pods stay in "
            "ContainerCreating"
        )
    ]
    channel = {"allocationMode": "Single", "resourceClaimTemplate": {"name": "gang-channel"}}
    assert (domain["apiVersion"], domain["spec"]) == ("resource.nvidia.com/v1beta1", {"numNodes": 0, "channel": channel})
    for pod in ("leaderTemplate", "workerTemplate"):
        spec = made["spec"]["leaderWorkerTemplate"][pod]["spec"]
        assert spec["resourceClaims"][1:] == [{"name": "compute-domain-channel", "resourceClaimTemplateName": "gang-channel"}]
        assert spec["containers"][0]["resources"]["claims"] == [{"name": "gang"}, {"name": "compute-domain-channel"}]


@pytest.mark.parametrize(
    ("nodes", "given", "expected"),
    [
        (CLASSES["1.14"], {}, ("'compute_domain' must be False on nodes without 'dra' (got True); the pods claim a channel, which the DraDriver of a class "
         "with 'dra' serves with compute_domains=True")),
        (FABRIC, {"queue": "gpus"}, ("'compute_domain' must be False with 'queue' (got True); Kueue refuses a claim whose DeviceClass it does not map, and "
         "the channel is no GPU that a quota counts; use 'pod_group'")),
        (FABRIC, {"size": 4, "gpus": 2}, "'compute_domain' must be False for more pods than the class has nodes, 2 (got 4); a node has one channel, for one pod"),
    ],
)  # fmt: skip
def test_a_compute_domain_that_nothing_could_serve_is_refused(chart, nodes, given, expected):
    assert message(lambda: gang(chart, nodes, compute_domain=True, **given)) == expected
