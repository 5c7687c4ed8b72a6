"""Arguments of every construct: legal ones by strategies that draw every argument, and values that hardly any argument can have."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from cdk8s import App, Chart
from hypothesis import strategies as st

from constructs_lib import (
    ArgoCd,
    Companion,
    ConfigMapFiles,
    ConfigMapKey,
    DcgmExporter,
    Dra,
    DraDriver,
    Empty,
    ExecProbe,
    ExistingClaim,
    FeatureDiscovery,
    Flux,
    GpuAlerts,
    GpuClaim,
    GpuDashboard,
    GpuGang,
    GpuNodes,
    GpuQuota,
    GpuStack,
    GpuWorkload,
    HostPath,
    HttpProbe,
    KueueQueue,
    Memory,
    Mps,
    MpsControlDaemon,
    Nfs,
    NodeFeatureDiscovery,
    NvidiaGpuOperator,
    NvidiaRuntimeClass,
    Persistent,
    PrivilegedNamespace,
    SecretFiles,
    SecretKey,
    StandaloneDevicePlugin,
    Taint,
    TcpProbe,
    TimeSlicing,
    ValidationBridge,
)
from constructs_lib.manifests.queues.gpu_quota_objects import offers_profile, offers_whole_gpus
from constructs_lib.monitoring import AlertRules, AlertThresholds, Counter, Metric, MetricsSource
from constructs_lib.recipes import OpenWebUI

Arguments = dict[str, Any]
LEGACY, CDI, PREVIEW = ("1.8", "1.10", "1.11", "1.12"), ("1.13", "1.14"), ("1.15",)

flags = st.booleans()
names = st.from_regex(r"[a-z]([-a-z0-9]{0,8}[a-z0-9])?", fullmatch=True)
# PyYAML, which the tests read with, refuses these of the characters that a text may have.
texts = st.text(st.characters(exclude_categories=("Cs", "Cc", "Cn", "Co", "Zl", "Zp")), max_size=6)
some_text = texts.filter(str.strip)
keys = st.builds("{}{}".format, st.sampled_from(["", "example.com/", "gpu.example.com/"]), names)
label_values = st.from_regex(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,8}[A-Za-z0-9])?)?", fullmatch=True)
label_maps = st.dictionaries(keys, label_values, max_size=2)
# A node has one value for each label, so these have other keys.
extra_label_maps = st.dictionaries(st.builds("extra.example.com/{}".format, names), label_values, max_size=2)
annotation_maps = st.dictionaries(keys, texts, max_size=2)
secrets = st.lists(names, max_size=2)
images = st.sampled_from(["a:1", "ghcr.io/a/b:v2", "vllm/vllm-openai:v0.28.0", f"registry.local:5000/a@sha256:{'0' * 64}"])
sizes = st.sampled_from(["16Mi", "1Gi", "1.5G", "100Gi"])
pull_policies = st.sampled_from(["Always", "IfNotPresent", "Never"])
resources = st.sampled_from([{}, {"limits": {"memory": "1Gi"}}, {"requests": {"cpu": 0.5, "memory": "64Mi"}, "limits": {"cpu": "2"}}])
taints = st.lists(
    st.builds(Taint, keys, st.none() | label_values, effect=st.sampled_from(["NoSchedule", "PreferNoSchedule", "NoExecute"])), max_size=2
)
# Fields of a pod that no construct decides itself.
pod_specs = st.fixed_dictionaries(
    {},
    optional={
        "dnsPolicy": st.sampled_from(["Default", "ClusterFirst", "ClusterFirstWithHostNet"]),
        "hostAliases": st.just([{"ip": "10.0.0.1", "hostnames": ["nas"]}]),
        "nodeSelector": st.dictionaries(st.just("example.com/disk"), label_values),
        "tolerations": st.just([{"key": "spot", "operator": "Exists"}]),
        "terminationGracePeriodSeconds": st.integers(0, 600),
        "containers": st.just([{"name": "zz-side", "image": "side:1", "env": [{"name": "A", "value": "yes"}]}]),
        "volumes": st.just([{"name": "zz-scratch", "emptyDir": {"sizeLimit": "1Gi"}}]),
        "schedulerName": st.just("kueue"),
    },
)


def drawn(required: dict[str, st.SearchStrategy[Any]] | None = None, /, **optional: st.SearchStrategy[Any]) -> st.SearchStrategy[Arguments]:
    """Arguments of which the optional ones may be left out."""
    return st.fixed_dictionaries(required or {}, optional=optional)


@st.composite
def gpu_nodes(draw: Any, talos: tuple[str, ...] = (*LEGACY, *CDI), *, claimed: bool | None = False, counted: bool = False) -> GpuNodes:
    """A class of nodes. `claimed` says whether pods claim the GPUs; None for either. `counted` says that the number of the GPUs is always known."""
    version = draw(st.sampled_from(talos))
    numbers = {"gpus_per_node": st.integers(1, 8), "count": st.integers(1, 9)}
    given = draw(
        drawn(
            numbers if counted else {}, **({} if counted else numbers), labels=label_maps, extra_labels=extra_label_maps, taints=taints,
            memory_per_gpu=st.sampled_from(["16Gi", "80Gi"]), name=names, kernel_modules=st.sampled_from(["open", "proprietary"]),
            driver_track=st.sampled_from(["lts", "production"]),
        )
    )  # fmt: skip
    if claimed or (claimed is None and version in CDI and draw(flags)):
        shares = st.builds(Dra, share=st.just("consumable"), shares=st.integers(1, 8) | st.sampled_from(["unlimited", "memory"]))
        turns = st.builds(Dra, share=st.just("time-slicing"), interval=st.sampled_from(["Default", "Short", "Medium", "Long"]))
        return GpuNodes(
            talos_version=version, **given, dra=draw(shares | turns | st.builds(Dra, share=st.sampled_from(["exclusive", "claim"])))
        )
    slices = st.builds(TimeSlicing, replicas=st.integers(2, 50), rename_by_default=flags, fail_requests_greater_than_one=flags)
    partitions = drawn(mig_strategy=st.sampled_from(["none", "single"]), sharing=slices)
    layouts = st.sampled_from([{"1g.10gb": 7}, {"1g.10gb": 5, "2g.20gb": 1}, {"3g.40gb": 2}])
    cut = st.fixed_dictionaries({"mig_strategy": st.just("mixed"), "mig_devices": layouts}, optional={"sharing": slices})
    kinds = partitions | cut | st.just({"mig_strategy": "mixed"})
    if version != "1.12":
        kinds |= st.fixed_dictionaries({"sharing": st.builds(Mps, replicas=st.integers(2, 16), rename_by_default=flags)})
    return GpuNodes(talos_version=version, **given, **draw(kinds))


@st.composite
def node_classes(draw: Any, talos: tuple[str, ...], *, claimed: bool = False) -> Any:
    """One class that needs no plugin of its own, or a list of two such classes, which share no node."""
    first = draw(gpu_nodes(talos, claimed=claimed).filter(lambda nodes: nodes.mig_devices is None))
    if draw(flags):
        return first
    second = GpuNodes(talos_version=first.talos_version, name="second", taints=[Taint("second")], dra=first.dra)
    return [GpuNodes(talos_version=first.talos_version, name="first", taints=first.taints, sharing=first.sharing, dra=first.dra), second]


deliveries = st.one_of(
    st.builds(Flux, namespace=st.none() | names, interval=st.sampled_from(["1h", "30m"]), timeout=st.sampled_from(["15m", "1h30m"])),
    st.builds(
        ArgoCd, namespace=names, project=names, server=st.just("https://10.0.0.1:6443"), automated=flags, prune=flags, self_heal=flags
    ),
)
installed = {
    "namespace": names, "create_namespace": flags, "release_name": names,
    "repository": st.sampled_from(["https://charts.local", "oci://registry.local/charts"]), "chart": names | st.just("oci://registry.local/a/b"),
}  # fmt: skip


@st.composite
def gpu_requests(draw: Any, nodes: GpuNodes, most: int = 4) -> Arguments:
    """Arguments with which a workload asks nodes for at most this many GPUs."""
    given: Arguments = {}
    if nodes.mig_strategy == "mixed":
        given["profile"] = draw(st.sampled_from(nodes.mig_profiles or ("1g.10gb", "2g.20gb+me")))
    elif nodes.dra and nodes.dra.share in ("exclusive", "claim") and draw(flags):
        given["profile"] = "1g.10gb"
    limits = [nodes.gpus_per_node if nodes.dra else nodes.advertised(given.get("profile")), most]
    if nodes.sharing and nodes.sharing.fail_requests_greater_than_one:
        limits.append(1)
    given["gpus"] = draw(st.integers(1, min(limit for limit in limits if limit is not None)))
    if "profile" not in given and (not nodes.dra or nodes.dra.share == "consumable") and draw(flags):
        given["gpu_memory"] = "8Gi"
    return given


@st.composite
def workloads(draw: Any) -> Arguments:
    """Arguments of a GpuWorkload."""
    nodes = draw(gpu_nodes(claimed=None))
    kind = draw(st.sampled_from(["Deployment", "StatefulSet", "Job", "CronJob"]))
    is_server = kind in ("Deployment", "StatefulSet")
    given = draw(any_workload) | draw(_servers if is_server else _jobs) | draw(gpu_requests(nodes))
    if nodes.by_mps:
        given.pop("shared_memory", None)
    if is_server:
        offered = nodes.advertised(given.get("profile"))
        most = 3 if offered is None or nodes.count is None else nodes.count * (offered // given["gpus"])
        given["replicas"] = draw(st.integers(0, min(3, most)) | (st.none() if most > 1 else st.just(1)))
    return {**given, **draw(of_kind(kind)), "nodes": nodes, "kind": kind}


@st.composite
def of_kind(draw: Any, kind: str) -> Arguments:
    """Arguments that one kind of workload alone has."""
    if kind == "CronJob":
        return draw(_cron_jobs)
    if kind == "Job":
        return draw(drawn(hashed_name=flags))
    return draw(drawn(update_strategy=st.sampled_from(["Recreate", "RollingUpdate"]))) if kind == "Deployment" else {}


@st.composite
def companions(draw: Any) -> Arguments:
    """Arguments of a Companion."""
    kind = draw(st.sampled_from(["Deployment", "StatefulSet", "Job", "CronJob"]))
    is_server = kind in ("Deployment", "StatefulSet")
    given = draw(any_workload) | draw(_servers if is_server else _jobs) | draw(of_kind(kind)) | draw(_avoided)
    if is_server:
        given["replicas"] = draw(st.none() | st.integers(0, 3))
    return {**given, "kind": kind}


_probes = st.one_of(
    st.builds(HttpProbe, st.just("/healthz"), period=st.integers(1, 60), timeout=st.integers(1, 5), failure_threshold=st.integers(1, 9)),
    st.builds(TcpProbe, period=st.integers(1, 60)),
    st.builds(ExecProbe, st.just(["nvidia-smi"]), timeout=st.integers(1, 5)),
)
_volumes = st.fixed_dictionaries(
    {},
    optional={
        "/models": st.builds(Persistent, sizes, storage_class=st.sampled_from([None, "", "fast"]), access_mode=st.just("ReadWriteMany")),
        "/claim": st.builds(ExistingClaim, names, read_only=flags, sub_path=st.none() | st.just("a/b")),
        "/host": st.builds(HostPath, st.just("/var/mnt/data"), type=st.sampled_from(["Directory", "DirectoryOrCreate"])),
        "/nfs": st.builds(Nfs, st.just("nas.local"), st.just("/export")),
        "/settings": st.builds(ConfigMapFiles, names, read_only=flags),
        "/tls": st.builds(SecretFiles, names),
        "/cache": st.builds(Memory, st.sampled_from(["16Mi", "100M"])),
        "/empty": st.builds(Empty, st.none() | sizes),
    },
)
_environments = st.dictionaries(
    st.sampled_from(["A", "HF_HOME", "a.b-c"]),
    texts | st.builds(SecretKey, names, names, optional=flags) | st.builds(ConfigMapKey, names, names),
)
any_workload = drawn(
    {"image": images},
    name=names, namespace=names, command=st.lists(texts, max_size=2), args=st.lists(texts, max_size=2), env=_environments, volumes=_volumes,
    cpu=st.sampled_from([1, 0.5, "500m", "2"]), memory=st.just("200Gi"), shared_memory=st.sampled_from(["2Gi", False]),
    security_context=st.sampled_from([{"runAsUser": 1000}, {"capabilities": {"drop": ["ALL"]}}, {"privileged": True}]),
    pod_security_context=st.sampled_from([{"fsGroup": 1000}, {"seccompProfile": {"type": "RuntimeDefault"}}]),
    termination_grace_period=st.integers(0, 600), priority_class_name=names, service_account_name=names, image_pull_secrets=secrets,
    labels=label_maps, annotations=annotation_maps, pod_annotations=annotation_maps, pod_spec=pod_specs,
    init_containers=st.just([{"name": "zz-fetch", "image": "fetch:1", "command": ["fetch"]}]),
)  # fmt: skip
_ports = st.just({"port": 8000}) | st.just({"port": {"http": 8000, "metrics": 9000, "turn": "3478/udp"}})
_reached = st.sampled_from(
    [
        {},
        {"service": {"annotations": {"a": "yes"}}},
        {"startup_probe": TcpProbe()},
        {"liveness_probe": HttpProbe("/")},
        {"service": {"labels": {"a": "b"}}},
    ]
)
_servers = st.builds(lambda port, more, probe: {**port, **more, "readiness_probe": probe}, _ports, _reached, _probes) | drawn(
    readiness_probe=st.builds(TcpProbe, st.integers(1, 65535)), liveness_probe=st.builds(HttpProbe, st.just("/"), st.integers(1, 65535))
)
_jobs = drawn(
    parallelism=st.integers(1, 3), completions=st.integers(1, 5), backoff_limit=st.integers(0, 9), active_deadline_seconds=st.integers(1, 9),
    ttl_seconds_after_finished=st.integers(0, 9), suspend=flags,
) | st.just({"completion_mode": "Indexed", "completions": 4, "parallelism": 2}) | st.just({"completion_mode": "NonIndexed"})  # fmt: skip
_cron_jobs = drawn(
    {"schedule": st.sampled_from(["@daily", "*/5 * * * *", "0 3 * * 1-5"])},
    time_zone=st.sampled_from(["Europe/Berlin", "Etc/UTC"]),
    starting_deadline_seconds=st.integers(10, 600),
)


_avoided = drawn(nodes=gpu_nodes(claimed=None) | st.lists(gpu_nodes(claimed=None), max_size=2), required=flags)


@st.composite
def device_plugins(draw: Any) -> Arguments:
    """Arguments of a StandaloneDevicePlugin."""
    nodes = draw(gpu_nodes())
    given = draw(
        drawn(
            name=names, namespace=names, image_pull_policy=pull_policies, image_pull_secrets=secrets, resources=resources, priority_class_name=names,
            feature_discovery=flags | st.builds(FeatureDiscovery, resources=resources, pod_spec=pod_specs, sleep_interval=st.sampled_from([None, "10m", "infinite"]), no_timestamp=flags),
            device_id_strategy=st.sampled_from(["uuid", "index"]), device_discovery_strategy=st.sampled_from(["nvml", "auto"]),
            fail_on_init_error=flags, compat_with_cpu_manager=flags, nvidia_driver_root=st.just("/"), gdrcopy_enabled=flags, gds_enabled=flags,
            mofed_enabled=flags, image=st.just("nvcr.io/nvidia/k8s-device-plugin:v0.20.0-ubi9"), mig_parted_image=images,
            update_strategy=st.sampled_from(["RollingUpdate", "OnDelete"]), pod_annotations=annotation_maps, pod_spec=pod_specs,
        )
    )  # fmt: skip
    if nodes.by_mps:
        given |= draw(drawn(mps_control_daemon=st.builds(MpsControlDaemon, resources=resources, pod_spec=pod_specs)))
    if nodes.sharing:
        given |= draw(drawn(shared_devices_allocation_policy=st.sampled_from(["packed", "distributed"])))
    if nodes.mig_devices:
        given |= draw(drawn(mig_parted_resources=resources))
    if nodes.generation == "cdi":
        given |= draw(
            st.just({})
            | drawn(
                {"device_list_strategy": st.sampled_from(["cdi-cri", ["envvar", "cdi-annotations"], ["cdi-annotations", "cdi-cri"]])},
                nvidia_cdi_hook_path=st.just("/usr/bin/nvidia-cdi-hook"),
                cdi_feature_flags=st.just(["disable-nvsandboxutils"]),
                cdi_disable_hooks=st.just(["chmod"]),
            )
        )
    if given.get("compat_with_cpu_manager"):
        given |= draw(drawn(nvidia_dev_root=st.just("/")))
    return {**given, "nodes": nodes}


sources = st.builds(
    MetricsSource,
    job=st.sampled_from(["dcgm-exporter", "nvidia-dcgm-exporter", "a job"]),
    node_label=st.sampled_from(["node", "Hostname"]),
    honor_labels=flags,
    exporter_version=st.sampled_from([None, "4.8.2", "4.9.0"]),
)
_alerts = [alert.name for alert in AlertRules().all_alerts]
_watching = {
    "source": sources, "labels": label_maps, "namespace": names,
}  # fmt: skip


@st.composite
def exporters(draw: Any) -> Arguments:
    """Arguments of a DcgmExporter."""
    given = draw(
        drawn(
            {"nodes": gpu_nodes(claimed=None)},
            name=names, namespace=names, interval=st.sampled_from(["15s", "1m30s"]), scrape_timeout=st.sampled_from(["10s", "500ms"]),
            image=st.sampled_from(["nvcr.io/nvidia/k8s/dcgm-exporter:4.6.1-4.8.4-ubi9", f"mirror.local/dcgm-exporter:4.6.1-4.8.4@sha256:{'0' * 64}"]),
            image_pull_policy=pull_policies, image_pull_secrets=secrets, resources=resources, priority_class_name=names,
            pod_annotations=annotation_maps, pod_spec=pod_specs, service_monitor=flags,
            counters=st.just([Metric.GPU_UTIL, "DCGM_FI_DEV_GPU_TEMP", Counter(Metric.FB_USED, help="Used")]),
        )
    )  # fmt: skip
    if "counters" not in given:
        given |= draw(drawn(profiling=flags))
    if given.get("service_monitor", True):
        given |= draw(drawn(service_monitor_labels=label_maps, honor_labels=flags))
    return given


@st.composite
def claims(draw: Any) -> Arguments:
    """Arguments of a GpuClaim."""
    nodes = draw(gpu_nodes(CDI, claimed=True))
    share = str(nodes.dra.share)
    given = draw(drawn(gpus=st.integers(1, nodes.gpus_per_node or 8), name=names, namespace=names))
    if share == "consumable":
        given |= draw(drawn(gpu_memory=st.just("8Gi")))
    elif share != "time-slicing":
        given |= draw(drawn(profile=st.sampled_from(["1g.10gb", "1g.10gb+me", "3g.40gb"])))
    return {**given, "nodes": nodes}


@st.composite
def drivers(draw: Any) -> Arguments:
    """Arguments of a DraDriver."""
    given = draw(
        drawn(
            {"nodes": node_classes(CDI, claimed=True), "delivery": deliveries},
            values=st.sampled_from([{"logVerbosity": "6"}, {"controller": {"priorityClassName": "a"}}, {"kubeletPlugin": {"podAnnotations": {"a": "b"}}}]),
            version=st.just("0.5.0"), compute_domains=flags, **installed,
        )
    )  # fmt: skip
    gates = ["DRAConsumableCapacity", "DRAExtendedResource", "DRAPartitionableDevices"]
    return {
        **given,
        **draw(drawn(mig_profiles=st.just(["1g.10gb", "1g.10gb+me"]))),
        **draw(st.just({}) | st.just({"kubernetes_version": "1.36", "kubernetes_feature_gates": gates})),
    }


@st.composite
def dashboards(draw: Any) -> Arguments:
    """Arguments of a GpuDashboard."""
    kind = draw(st.sampled_from(["config-map", "grafana-dashboard"]))
    folders = st.sampled_from(["GPUs", "Team é / x".replace("/", "-")])
    given = draw(drawn(**_watching, kind=st.just(kind), name=names, folder=folders, title=some_text, uid=names, profiling=flags))
    if kind == "config-map":
        return {**given, **draw(drawn(folder_annotation=keys))}
    return {**given, "kind": kind, **draw(drawn(instance_selector=label_maps, allow_cross_namespace_import=flags))}


def web_fronts() -> st.SearchStrategy[Arguments]:
    """Arguments of an OpenWebUI, whose servers are in another app."""

    def server(name: str, port: int, namespace: str | None) -> GpuWorkload:
        nodes = GpuNodes(talos_version="1.14")
        return GpuWorkload(Chart(App(), "servers", namespace=namespace), name, nodes=nodes, image="server:1", port=port)

    of_models = st.builds(server, names, st.sampled_from([80, 11434]), st.none() | names)
    servers = st.one_of(drawn({each: of_models | st.lists(of_models, min_size=1, max_size=2)}) for each in ("ollama", "openai"))
    own = drawn(storage=st.none() | sizes, port=st.just(3000), replicas=st.integers(0, 1), image=st.just("registry.local/open-webui:v1"))
    given = any_workload.map(lambda given: {name: value for name, value in given.items() if name not in ("image", "command", "args")})
    return st.builds(lambda *parts: {name: value for part in parts for name, value in part.items()}, given, own, servers, _avoided)


@st.composite
def stacks(draw: Any) -> Arguments:
    """Arguments of a GpuStack."""
    nodes = draw(st.one_of(node_classes((*LEGACY, *CDI)), gpu_nodes(claimed=None), node_classes(CDI, claimed=True), node_classes(PREVIEW)))
    by_nri = (nodes[0] if isinstance(nodes, list) else nodes).generation == "nri"
    operator = draw((st.just(True) if by_nri else flags) | st.just({"values": {"operator": {"logging": {"level": "debug"}}}}))
    parts = {
        "exporter": st.sampled_from([{"service_monitor": False}, {"interval": "15s"}]), "alerts": st.just({"disable": ["GpuHwThermalSlowdown"]}),
        "dashboard": st.just({"folder": "GPUs"}),
    }  # fmt: skip
    return draw(
        drawn(
            {"nodes": st.just(nodes), "delivery": deliveries, "operator": st.just(operator)}, namespace=names, create_namespace=flags,
            device_plugin=st.just({"priority_class_name": "a"}), driver=st.just({"values": {"logVerbosity": "6"}}),
            discovery=flags | st.just({"gpu_present_rule": True}) if operator is False else st.just(False), monitoring=flags, monitoring_labels=label_maps,
            **{name: st.just(False) if by_nri and name == "exporter" else flags | arguments for name, arguments in parts.items()},
        )
    )  # fmt: skip


@st.composite
def quotas(draw: Any) -> Arguments:
    """Arguments of a GpuQuota."""
    nodes = draw(node_classes((*LEGACY, *CDI)) | gpu_nodes(claimed=None))
    classes = nodes if isinstance(nodes, list) else [nodes]
    offered = [each for each in ("1g.10gb", "2g.20gb", "3g.40gb") if any(offers_profile(one, each) for one in classes)]
    partitions = {"profiles": st.dictionaries(st.sampled_from(offered), st.integers(0, 9), min_size=1)} if offered else {}
    gpus = {"gpus": st.integers(0, 99)}
    limit = {} if all(one.dra for one in classes) else {"gpus_per_container": st.integers(1, 8)}
    counted = drawn(gpus, **partitions, **limit) if any(map(offers_whole_gpus, classes)) else drawn(partitions, **limit)
    return {**draw(counted), **draw(drawn(name=names, namespace=names, labels=label_maps)), "nodes": nodes}


@st.composite
def queues(draw: Any) -> Arguments:
    """Arguments of a KueueQueue. Its Topology, of whose CRD there is no schema here, is tried in tests/lab/test_queues_run.py."""
    nodes = draw(gpu_nodes(claimed=None, counted=True).filter(lambda nodes: not (nodes.dra and nodes.dra.is_one_claim)))
    required = {"nodes": st.just(nodes), "namespaces": st.lists(names, min_size=1, max_size=2)}
    gpus = {"gpus": st.integers(0, 99)} if offers_whole_gpus(nodes) else {}
    if gpus and nodes.advertised() is None:
        required, gpus = {**required, **gpus}, {}
    resources = st.just({"cpu": "64", "memory": "1Ti"})
    own = drawn(required, **gpus, resources=resources, within_cluster_queue=st.sampled_from(["Never", "LowerPriority"]), name=names)
    shared = drawn(
        {"cohort": names},
        borrowing_limit=st.integers(0, 99),
        lending_limit=st.just(0),
        reclaim_within_cohort=st.sampled_from(["LowerPriority", "Any"]),
    )
    policy = st.sampled_from([{}, {"fair_sharing_weight": 2}, {"fair_sharing_weight": "500m"}])
    return draw(own) | draw(st.one_of(st.just({}), st.builds(dict.__or__, shared, policy)))


@st.composite
def gangs(draw: Any) -> Arguments:
    """Arguments of a GpuGang on classes that have room for it."""
    kind = draw(st.sampled_from(["LeaderWorkerSet", "JobSet"]))
    nodes = GpuNodes(
        talos_version=draw(st.sampled_from([*LEGACY, *CDI])),
        gpus_per_node=8,
        count=4,
        taints=draw(st.sampled_from([[], [Taint("dedicated", "ai")]])),
    )
    common = drawn(
        {"image": images, "size": st.integers(2, 4), "gpus": st.integers(1, 8)},
        name=names, env=st.dictionaries(st.sampled_from(["A", "B_C"]), texts, max_size=2), args=st.lists(texts, max_size=2), rendezvous_port=st.integers(1, 65535),
        network_interface=st.sampled_from(["eth0", "^lo", "=net1,=net2"]), rdma=st.just({"rdma/hca": 1}), labels=label_maps,
    )  # fmt: skip
    placed = [
        {},
        {"queue": "gpus"},
        {"queue": "gpus", "required_topology": "example.com/rack"},
        {"queue": "gpus", "preferred_topology": "example.com/rack"},
    ]
    if nodes.talos_version.minor >= 14:
        placed += [{"pod_group": True, "disruption_mode": "Single"}, {"pod_group": True, "required_topology": "nvidia.com/gpu.clique"}]
    own = {
        "LeaderWorkerSet": drawn(port=st.integers(1, 65535), leader_args=st.lists(texts, max_size=2)),
        "JobSet": drawn(max_restarts=st.integers(0, 9), suspend=flags),
    }
    return {**draw(common), **draw(own[kind]), **draw(st.sampled_from(placed)), "nodes": nodes, "kind": kind}


LEGAL: dict[type, st.SearchStrategy[Arguments]] = {
    GpuWorkload: workloads(),
    StandaloneDevicePlugin: device_plugins(),
    DcgmExporter: exporters(),
    NvidiaGpuOperator: drawn(
        {"nodes": st.one_of(*(node_classes(talos) for talos in (LEGACY, CDI, PREVIEW))), "delivery": deliveries},
        values=st.sampled_from([{"dcgmExporter": {"enabled": False}}, {"operator": {"logging": {"level": "debug"}}}, {"gfd": {"enabled": True}}]),
        nfd=flags, **installed,
    ),
    NodeFeatureDiscovery: drawn(
        {"nodes": node_classes((*LEGACY, *CDI, *PREVIEW)), "delivery": deliveries},
        values=st.sampled_from([{"master": {"replicaCount": 2}}, {"gc": {"enable": False}}]),
        version=st.just("0.19.0"), gpu_present_rule=flags, **installed,
    ),
    DraDriver: drivers(),
    ValidationBridge: drawn(
        {"nodes": gpu_nodes(LEGACY)}, name=names, namespace=names, image=images, interval=st.integers(1, 3600), driver_enabled=flags
    ),
    GpuAlerts: drawn(
        enable=st.lists(st.sampled_from(_alerts), unique=True, max_size=3).filter(lambda found: "GpuHwThermalSlowdown" not in found),
        disable=st.just(["GpuHwThermalSlowdown"]), operator=flags, for_=st.dictionaries(st.sampled_from(_alerts), st.sampled_from(["0s", "15m", "1d"]), max_size=2),
        daemon_sets=st.just("nvidia-.+"), alert_labels=st.dictionaries(st.sampled_from(["team", "a_b"]), texts, max_size=1),
        runbook_url=st.just("https://docs.local/alerts"), name=names, **_watching,
        thresholds=st.builds(AlertThresholds, fatal_xids=st.lists(st.integers(1, 200), min_size=1, max_size=3), slowdown_temperature=st.none() | st.integers(1, 150),
                             slowdown_share=st.integers(1, 99), pcie_replays=st.integers(0, 99), lookback=st.sampled_from(["6h", "1d"])),
    ),
    GpuDashboard: dashboards(),
    GpuClaim: claims(),
    NvidiaRuntimeClass: drawn(name=names),
    PrivilegedNamespace: drawn(name=names, labels=label_maps),
    GpuGang: gangs(),
    Companion: companions(),
    OpenWebUI: web_fronts(),
    GpuStack: stacks(),
    GpuQuota: quotas(),
    KueueQueue: queues(),
}  # fmt: skip
"""Legal arguments of every construct but the recipes, without its scope and its id."""


class Unheard:
    """A value of a class that nobody expects."""


_WILD: tuple[Callable[[], Any], ...] = (
    lambda: None, lambda: True, lambda: 0, lambda: -1, lambda: 10**30, lambda: 10**5000, lambda: 2**53 + 1, lambda: 1.5, lambda: math.nan, lambda: "",
    lambda: " ", lambda: "x" * 300, lambda: "Ä b", lambda: "${HOST}", lambda: "{{ .Values.a }}", lambda: "\ud800", lambda: "a\ud800", lambda: "\x00",
    lambda: "1." + "9" * 5000, lambda: "9" * 5000, lambda: "1Gi", lambda: b"a", list, dict, set, lambda: [None], lambda: [[]], lambda: ["\ud800"], lambda: {"a": None},
    lambda: {1: 2}, lambda: {"__proto__": "a"}, lambda: {"a": {"__proto__": 1}}, lambda: {"a": "\ud800"}, lambda: {"\ud800": "a"}, lambda: {"a": 2**60 + 1},
    lambda: {"a": [math.inf]}, lambda: {"a": Unheard()}, Unheard, lambda: Unheard, lambda: {"b", "a"}, lambda: range(2), lambda: "1.36", lambda: [{}],
    lambda: {"containers": [{"name": "__proto__"}]}, lambda: {"nodeSelector": {"a": 1}}, lambda: iter(["a"]), lambda: "oci://a", lambda: "\n",
)  # fmt: skip
# Functions, so that an example never gets a value that an earlier one has changed.
wild = st.sampled_from(_WILD).map(lambda make: make())
"""Values that hardly any argument can have."""
