"""Every public argument of `GpuWorkload`, wrong in every way that people are wrong; what came of it is said in whole messages."""

import inspect
import warnings

import pytest
from cdk8s import App

from conftest import message, synth
from constructs_lib import Empty, GpuNodes, GpuWorkload, HttpProbe, Memory, Mps, Persistent, SecretKey, TalosGpuWarning, TimeSlicing

IMAGE = "ollama/ollama:0.32.15"
NODES = GpuNodes(talos_version="1.14", labels={"role": "gpu"})
JOB, CRON_JOB = {"kind": "Job"}, {"kind": "CronJob", "schedule": "@daily"}
# Refused as a value (ValueError) or as the wrong kind of thing (TypeError).
V, T = ValueError, TypeError

GPUS = "'gpus' must be a whole number of at least 1 (got {}); to share a GPU set 'sharing' on GpuNodes"
LABEL = "a DNS label (lower-case letters, digits and '-', starting with a letter, at most {} characters)"
NAME = "a DNS name (lower-case letters, digits, '-' and '.', at most 253 characters)"
NAMESPACE = "the name of a namespace (lower-case letters, digits and '-', at most 63 characters)"
IMAGE_RULE = "an image reference without white space"
QUANTITY = "a Kubernetes quantity above zero such as '{}'"
LABEL_VALUE = "a label value (at most 63 letters, digits, '-', '_' and '.', as a string)"
LABEL_KEY = "a label key ('name' or 'prefix/name', the name of at most 63 letters, digits, '-', '_' and '.')"
KINDS = "one of 'Deployment', 'StatefulSet', 'Job', 'CronJob'"
PROBES = "an HttpProbe, a TcpProbe or an ExecProbe"
VOLUMES = "one of Persistent, ExistingClaim, HostPath, Nfs, OciImage, ConfigMapFiles, SecretFiles, Memory, Empty"
MOUNT_PATHS = "keyed by absolute mount paths, without ':' and without a trailing '/'"
SCHEDULE = "a cron schedule such as '0 3 * * *' or '@daily'"
DEVICES = "NVIDIA_VISIBLE_DEVICES overrides the GPU that the device plugin allocates and shows every GPU of the node; leave NVIDIA_VISIBLE_DEVICES out"
NO_PORT = "a probe without a port uses the workload's port"
ONE_NODE = "1 for a Deployment whose claim only one node can mount"
PLAIN = "a string, a number, True, False, None, a list or a mapping"
FIVE = "a schedule has five fields: minute, hour, day of the month, month, day of the week"
ZONE = "the name of an IANA time zone such as 'Europe/Berlin'"
SOON = "the CronJob controller looks every 10 seconds, so it may miss every run"
KEEP = {"allowPrivilegeEscalation": False}
CONTRADICTS = "without allowPrivilegeEscalation: false beside privileged: true or CAP_SYS_ADMIN"
LEAVE_OUT = "the API server refuses the two together; leave allowPrivilegeEscalation out"
SERVERS, JOBS = "given only to a Deployment or a StatefulSet", "given only to a CronJob or a Job"


def refused(argument, rule, got, then=""):
    return f"'{argument}' must be {rule} (got {got})" + (f"; {then}" if then else "")


# What is given, the kind of error, its whole message.
CASES = [
    *(({"gpus": got}, V, GPUS.format(got)) for got in (0.5, 0, -1)),
    *(({"gpus": got}, T, GPUS.format(repr(got))) for got in (True, None)),
    ({"gpus": 1.0}, V, refused("gpus", "a whole number of at least 1", 1.0, "did you mean 1?")),
    ({"gpus": "1"}, T, refused("gpus", "a whole number of at least 1", "'1'", "did you mean 1?")),
    ({"profile": "1g.10gb"}, V, refused("profile", "left out on nodes with mig_strategy='none'", "'1g.10gb'", "these nodes have whole GPUs")),
    ({"nodes": "1.12"}, T, refused("nodes", "a GpuNodes", "'1.12'", "such as GpuNodes(talos_version='1.12')")),
    ({"image": None}, T, refused("image", IMAGE_RULE, "None")),
    *(({"image": got}, V, refused("image", IMAGE_RULE, repr(got))) for got in ("", "ollama :1", " ollama:1", "ollama:1\n")),
    ({"gpu_memory": 8}, T, refused("gpu_memory", "a Kubernetes quantity above zero such as '16Gi'", "8", "did you mean '8Gi'?")),
    ({"nodes": GpuNodes(talos_version="1.14", memory_per_gpu="16Gi"), "gpu_memory": "32Gi"}, V, refused("gpu_memory", "at most 16Gi, the memory of one GPU", "'32Gi'",
     "the pod does not fit on one GPU; 'memory_per_gpu' of GpuNodes names another size, such as that with ECC off")),
    ({"kind": "deployment"}, V, refused("kind", KINDS, "'deployment'", "did you mean 'Deployment'?")),
    ({"kind": "DaemonSet"}, V, refused("kind", KINDS, "'DaemonSet'", (
        "a DaemonSet would take a GPU of every node: set kind='Deployment' and 'replicas', or give a DaemonSet of cdk8s-plus to request_gpus"))),
    ({"kind": "Pod"}, V, refused("kind", KINDS, "'Pod'", (
        "nothing starts a single Pod again: set kind='Job' for a program that ends, and kind='Deployment' for a server"))),
    ({"kind": "ReplicaSet"}, V, refused("kind", KINDS, "'ReplicaSet'", "set kind='Deployment', which makes its ReplicaSets itself")),
    ({"env": ["A=secret"]}, T, refused("env", "a mapping of names to values", "['A=secret']", "did you mean {'A': '…'}?")),
    ({"env": [{"name": "A", "value": "b"}]}, T,
     refused("env", "a mapping of names to values", "[{'name': 'A', 'value': 'b'}]", "did you mean {'A': '…'}?")),
    ({"kind": None}, T, refused("kind", KINDS, "None")),
    ({"name": "My_App"}, V, refused("name", LABEL.format(63), "'My_App'", "did you mean 'my-app'?")),
    ({"name": 3}, T, refused("name", LABEL.format(63), "3")),
    *(({"name": "a" * 53, **kind}, V, refused("name", LABEL.format(52), repr("a" * 53), f"did you mean '{'a' * 52}'?"))
      for kind in (CRON_JOB, {"kind": "StatefulSet"})),
    ({"namespace": ""}, V, refused("namespace", NAMESPACE, "''")),
    *(({"namespace": got}, V, refused("namespace", NAMESPACE, repr(got), f"did you mean '{meant}'?"))
      for got, meant in {"A b": "a-b", "a.b": "a-b", "a" * 64: "a" * 63}.items()),
    ({"namespace": 1}, T, refused("namespace", NAMESPACE, "1")),
    *(({name: "A b"}, V, refused(name, NAME, "'A b'")) for name in ("priority_class_name", "service_account_name")),
    *(({name: 1}, T, refused(name, NAME, "1")) for name in ("priority_class_name", "service_account_name")),
    *(({name: "serve"}, T, refused(name, "a list of strings", "'serve'", "did you mean ['serve']?")) for name in ("command", "args")),
    *(({name: ["-p", 1]}, T, refused(name, "a list of strings", "['-p', 1]", "item 1 is not a string")) for name in ("command", "args")),
    *(({"env": got}, T, refused("env", "a mapping of names to values", repr(got))) for got in ([("A", "b")], [], "", 0, False)),
    ({"env": {"A": 1}}, T, refused("env[A]", "a string, a SecretKey or a ConfigMapKey", "1", "did you mean '1'?")),
    ({"env": {"A": True}}, T, refused("env[A]", "a string, a SecretKey or a ConfigMapKey", "True", "did you mean 'true'?")),
    ({"env": {"A": None}}, T, refused("env[A]", "a string, a SecretKey or a ConfigMapKey", "None")),
    ({"env": {"1A": "b"}}, V, refused("env", "the name of an environment variable (letters, digits, '_', '-' and '.')", "'1A'")),
    ({"env": {"NVIDIA_VISIBLE_DEVICES": "all"}}, V, refused("env", "without NVIDIA_VISIBLE_DEVICES", "'all in the container'", DEVICES)),
    ({"env": {"NVIDIA_VISIBLE_DEVICES": "void"}}, V, refused("env", "without NVIDIA_VISIBLE_DEVICES", "'void in the container'", DEVICES)),
    *(({"port": got}, V, refused("port", "a whole number from 1 to 65535", got)) for got in (0, 65536)),
    ({"port": 80.0}, V, refused("port", "a whole number from 1 to 65535", 80.0, "did you mean 80?")),
    ({"port": True}, T, refused("port", "a whole number from 1 to 65535", "True")),
    *(({"port": got}, T, refused("port", "a port, or a mapping of names to ports", repr(got), then)) for got, then in (
        ([80], "did you mean 80?"), (["80"], "did you mean 80?"), ([], ""), (["http"], ""), ([70000], ""), ([80, 80], ""),
        ([80, 8555], "did you mean {'http': 80, 'port-8555': 8555}?"),
        ([{"name": "web", "containerPort": 80}], "did you mean {'web': 80}?"))),
    ({"port": "80"}, T, refused("port", "a whole number from 1 to 65535, or a string such as '8555/udp'", "'80'", "did you mean 80?")),
    ({"port": {}}, V, refused("port", "at least one port, each once", "{}")),
    ({"port": {"a": 1, "b": 1}}, V, refused("port", "at least one port, each once", "{'a': 1, 'b': 1}")),
    ({"port": {"HTTP": 1}}, V, refused("port", "named by at most 15 lower-case letters, digits and '-'", "'HTTP'")),
    ({"port": {"http": "1"}}, T, refused("port[http]", "a whole number from 1 to 65535, or a string such as '8555/udp'", "'1'", "did you mean 1?")),
    ({"service": "LoadBalancer", "port": 80}, T, refused("service", "a mapping of fields of a Service", "'LoadBalancer'", "did you mean {'type': 'LoadBalancer'}?")),
    ({"service": "external", "port": 80}, T, refused("service", "a mapping of fields of a Service", "'external'")),
    ({"pod_spec": "OnFailure"}, T,
     refused("pod_spec", "a mapping of fields of a pod spec", "'OnFailure'", "did you mean {'restartPolicy': 'OnFailure'}?")),
    ({"annotations": {"a": 1}}, T, refused("annotations[a]", "a string", "1")),
    ({"init_containers": {"name": "a"}}, T, refused("init_containers", "a list of containers", "{'name': 'a'}", "put the container into a list")),
    *(({"volumes": got}, T, refused("volumes", "a mapping of mount paths to volumes", repr(got))) for got in (["/data"], [], "")),
    *(({"volumes": {path: Empty()}}, V, refused("volumes", MOUNT_PATHS, repr(path))) for path in ("data", "/data/", "/a:b", "/")),
    ({"volumes": {"/data": "100Gi"}}, T, refused("volumes[/data]", VOLUMES, "'100Gi'", "did you mean Persistent('100Gi')?")),
    ({"volumes": {"/data": "models"}}, T, refused("volumes[/data]", VOLUMES, "'models'")),
    *(({f"{probe}_probe": "/"}, T, refused(f"{probe}_probe", PROBES, "'/'", "did you mean HttpProbe('/')?")) for probe in ("startup", "liveness", "readiness")),
    ({"liveness_probe": HttpProbe("/")}, V, refused("port", "given to the probe or to the workload", "None", NO_PORT)),
    *(({"cpu": got}, V, refused("cpu", QUANTITY.format("500m"), repr(got))) for got in ("two", "0", 0, 0.0, -1.5)),
    ({"cpu": True}, T, refused("cpu", QUANTITY.format("500m"), "True", "True is a switch, and no amount: write the amount, such as '500m'")),
    *(({"memory": got}, V, refused("memory", QUANTITY.format("16Gi"), repr(got), "did you mean '16Gi'?")) for got in ("16GB", "16gb", "16 gib")),
    ({"memory": 16}, T, refused("memory", QUANTITY.format("16Gi"), "16", "did you mean '16Gi'?")),
    ({"memory": 16.5}, T, refused("memory", QUANTITY.format("16Gi"), "16.5", "did you mean '16.5Gi'?")),
    ({"shared_memory": "0"}, V, refused("shared_memory", QUANTITY.format("16Gi"), "'0'")),
    ({"shared_memory": 2}, T, refused("shared_memory", QUANTITY.format("16Gi"), "2", "did you mean '2Gi'?")),
    *(({name: got}, T, refused(name, "a mapping", repr(got)))
      for name in ("security_context", "pod_security_context") for got in ("root", [], False)),
    *(({"replicas": got}, V, refused("replicas", "a whole number of at least 0", got)) for got in (-1, 1.5)),
    *(({"replicas": got}, T, refused("replicas", "a whole number of at least 0", repr(got))) for got in ([1, 2], "four", True)),
    *(({"replicas": got}, T, refused("replicas", "a whole number of at least 0", repr(got), "did you mean 4?")) for got in ("4", [4], ["4"])),
    ({"replicas": 2, **JOB}, V, refused("replicas", SERVERS, 2, "this is a Job")),
    ({"port": 80, **CRON_JOB}, V, refused("port", SERVERS, {"http": 80}, "this is a CronJob")),
    ({"update_strategy": "recreate"}, V,
     refused("update_strategy", "one of 'Recreate', 'RollingUpdate'", "'recreate'", "did you mean 'Recreate'?")),
    ({"update_strategy": "RollingUpdate", "kind": "StatefulSet"}, V,
     refused("update_strategy", "given only to a Deployment", "'RollingUpdate'", "this is a StatefulSet")),
    ({"schedule": "@daily"}, V, refused("schedule", "given only to a CronJob", "'@daily'", "this is a Deployment")),
    ({"kind": "CronJob"}, T, refused("schedule", SCHEDULE, "None", "a CronJob needs one")),
    *(({"kind": "CronJob", "schedule": got}, V, refused("schedule", SCHEDULE, repr(got), FIVE)) for got in ("daily", "0 3 * *")),
    ({"time_zone": "+02:00", **CRON_JOB}, V, refused("time_zone", ZONE, "'+02:00'", "Kubernetes takes names, and neither offsets nor 'Local'")),
    ({"time_zone": 1, **CRON_JOB}, T, refused("time_zone", ZONE, "1")),
    ({"starting_deadline_seconds": 9, **CRON_JOB}, V, refused("starting_deadline_seconds", "a whole number of at least 10", 9, SOON)),
    *(({name: got, **kind}, V, refused(name, "given only to a CronJob", repr(got), f"this is a {kind.get('kind', 'Deployment')}"))
      for name, got in (("time_zone", "UTC"), ("starting_deadline_seconds", 60)) for kind in (JOB, {})),
    ({"completion_mode": "indexed", **JOB}, V,
     refused("completion_mode", "one of 'NonIndexed', 'Indexed'", "'indexed'", "did you mean 'Indexed'?")),
    ({"completion_mode": "Indexed", **JOB}, V,
     refused("completions", "given with completion_mode='Indexed'", "None", "each index is one completion")),
    ({"active_deadline_seconds": 0, **JOB}, V, refused("active_deadline_seconds", "a whole number of at least 1", 0)),
    *(({name: "yes", **JOB}, T, refused(name, "True or False", "'yes'", "did you mean True?")) for name in ("suspend", "hashed_name")),
    *(({name: True}, V, refused(name, rule, True, "this is a Deployment"))
      for name, rule in (("suspend", JOBS), ("hashed_name", "given only to a Job"))),
    ({"hashed_name": True, **CRON_JOB}, V, refused("hashed_name", "given only to a Job", True, "this is a CronJob")),
    ({"name": "a" * 55, "hashed_name": True, **JOB}, V, refused("name", LABEL.format(54), repr("a" * 55), f"did you mean '{'a' * 54}'?")),
    ({"shared_memory": True}, T, refused("shared_memory", QUANTITY.format("16Gi"), "True", "True is a switch, and no amount: write the amount, such as '16Gi'")),
    ({"labels": {"talos-gpu/class": "a"}}, V,
     refused("labels", "without talos-gpu/class", "'a'", "the 'name' of GpuNodes is the value of this label")),
    ({"security_context": {"privileged": True, **KEEP}}, V,
     refused("security_context", CONTRADICTS, repr({"privileged": True, **KEEP}), LEAVE_OUT)),
    *(({"pod_spec": {key: [{"name": name, "image": "a:1", "securityContext": context}]}}, V, refused("pod_spec", CONTRADICTS, repr(context), LEAVE_OUT))
      for key, name in (("containers", "ollama"), ("containers", "side"), ("initContainers", "side"))
      for context in ({**KEEP, "privileged": True}, {**KEEP, "capabilities": {"add": ["CAP_SYS_ADMIN"]}})),
    ({"security_context": KEEP, "pod_spec": {"containers": [{"name": "ollama", "securityContext": {"privileged": True}}]}}, V,
     refused("pod_spec", CONTRADICTS, repr({**KEEP, "privileged": True}), LEAVE_OUT)),
    *(({name: 1}, V, refused(name, JOBS, 1, "this is a Deployment"))
      for name in ("parallelism", "completions", "backoff_limit", "ttl_seconds_after_finished")),
    *(({name: 0, **JOB}, V, refused(name, "a whole number of at least 1", 0)) for name in ("parallelism", "completions")),
    *(({name: -1, **JOB}, V, refused(name, "a whole number of at least 0", -1)) for name in ("backoff_limit", "ttl_seconds_after_finished")),
    *(({name: "1", **JOB}, T, refused(name, "a whole number of at least 1", "'1'", "did you mean 1?")) for name in ("parallelism", "completions")),
    ({"disruption_budget": None}, T, refused("disruption_budget", "True or False", None)),
    *(({"termination_grace_period": got}, T, refused("termination_grace_period", "a whole number of at least 0", repr(got), "did you mean 30?"))
      for got in ("30", "30s")),
    ({"termination_grace_period": -1}, V, refused("termination_grace_period", "a whole number of at least 0", -1)),
    ({"pre_stop_sleep": 0}, V, refused("pre_stop_sleep", "a whole number of at least 1", 0)),
    (
        {"pre_stop_sleep": 30},
        V,
        refused(
            "pre_stop_sleep",
            "less than 'termination_grace_period' (30)",
            30,
            "the sleep is a part of the grace period, and the server needs the rest to end",
        ),
    ),
    ({"image_pull_secrets": "ghcr"}, T, refused("image_pull_secrets", "a list of strings", "'ghcr'", "did you mean ['ghcr']?")),
    ({"image_pull_secrets": ["GHCR"]}, V, refused("image_pull_secrets", NAME, "'GHCR'")),
    *(({"labels": got}, T, refused("labels", "a mapping of label keys to label values", repr(got))) for got in (["a"], [], 0)),
    *(({"labels": got}, T, refused("labels", "a mapping of label keys to label values", repr(got), "did you mean {'role': 'gpu'}?"))
      for got in (["role=gpu"], "role=gpu")),
    ({"labels": {"a": True}}, T, refused("labels[a]", LABEL_VALUE, "True", "did you mean 'true'?")),
    ({"labels": {"a b": "c"}}, V, refused("labels", LABEL_KEY, "'a b'")),
    ({"labels": {"app.kubernetes.io/name": "other"}}, V,
     refused("labels", "without app.kubernetes.io/name", "'other'", "the workload's selector uses this label")),
    *(({"pod_annotations": got}, T, refused("pod_annotations", "a mapping of annotation keys to strings", repr(got))) for got in ([], "")),
    ({"pod_annotations": ["a=b", "c="]}, T,
     refused("pod_annotations", "a mapping of annotation keys to strings", "['a=b', 'c=']", "did you mean {'a': 'b', 'c': ''}?")),
    ({"pod_annotations": {"a": 1}}, T, refused("pod_annotations[a]", "a string", "1")),
    ({"pod_annotations": {"a b": "c"}}, V, refused("pod_annotations", LABEL_KEY, "'a b'")),
    *(({"pod_spec": got}, T, refused("pod_spec", "a mapping of fields of a pod spec", repr(got))) for got in ("hostNetwork", [], "")),
    ({"pod_spec": {1: 2}}, T, refused("pod_spec", "a mapping of fields of a pod spec", "{1: 2}", "the key 1 is not a string")),
    *(({name: {"a": [{1}]}}, T, refused(f"{name}[a.0]", PLAIN, "{1}")) for name in ("pod_spec", "security_context", "pod_security_context")),
    ({"pod_spec": {"a": float("nan")}}, V, refused("pod_spec[a]", "a number that JSON can hold", "nan")),
    ({"pod_spec": {"runtimeClassName": "kata"}}, V,
     refused("pod_spec", "without another runtimeClassName than 'nvidia'", "'kata'", "'nvidia' is the only handler of NVIDIA's that Talos registers")),
    *(({"pod_spec": {"restartPolicy": policy}, **kind}, V,
       refused("pod_spec", "of a Job with the restartPolicy 'Never' or 'OnFailure'", f"'{policy}'"))
      for kind in (JOB, CRON_JOB) for policy in ("Always", "")),
    ({"pod_spec": {"containers": [{"name": "ollama", "resources": {"limits": {"nvidia.com/gpu": 2}}}]}}, V,
     refused("pod_spec", "without another GPU in its limits than nvidia.com/gpu: 1", "'nvidia.com/gpu: 2'", "leave the other GPU out")),
    ({"pod_spec": {"initContainers": [{"name": "pull", "env": [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}]}]}}, V,
     refused("pod_spec", "without NVIDIA_VISIBLE_DEVICES", "'all in pull'", DEVICES)),
    ({"shared_memory": "2Gi", "volumes": {"/dev/shm": Memory("1Gi")}}, V,
     refused("shared_memory", "left out when 'volumes' has /dev/shm", "'2Gi'")),
    ({"volumes": {"/scratch": Memory("8Gi")}, "memory": "8Gi"}, V,
     refused("memory", "more than 'volumes[/scratch]' (8Gi)", "'8Gi'", "the files of a volume in memory count towards the container's memory")),
    ({"shared_memory": "2Gi", "memory": "2048Mi"}, V,
     refused("memory", "more than 'shared_memory' (2Gi)", "'2048Mi'", "shared memory counts towards the container's memory")),
    *(({"replicas": 2, "volumes": {"/data": Persistent("1Gi", access_mode=mode)}}, V,
       refused("replicas", ONE_NODE, 2, f"the claim at /data is {mode}: use kind='StatefulSet', or access_mode='ReadWriteMany'"))
      for mode in ("ReadWriteOnce", "ReadWriteOncePod")),
]  # fmt: skip


@pytest.mark.parametrize(("given", "error", "expected"), CASES, ids=[str(given) for given, _, _ in CASES])
def test_is_refused_in_one_sentence_and_the_same_id_still_works(chart, cdi, given, error, expected):
    assert message(lambda: GpuWorkload(chart, "ollama", **({"nodes": cdi, "image": IMAGE} | given)), error) == expected
    assert synth(chart) == []

    GpuWorkload(chart, "ollama", nodes=cdi, image=IMAGE)
    assert [manifest["kind"] for manifest in synth(chart)] == ["Deployment"]


def test_each_argument_has_a_case_above():
    arguments = {
        name for name, parameter in inspect.signature(GpuWorkload.__init__).parameters.items() if parameter.kind.name == "KEYWORD_ONLY"
    }

    assert arguments == {argument for given, _, _ in CASES for argument in given}


@pytest.mark.parametrize(
    ("given", "then"),
    [("gpu", "did you mean 'gpus'?"), ("volume", "did you mean 'volumes'?"), ("memory_limit", "did you mean 'memory'?")],
)
def test_an_unknown_keyword_names_the_one_that_was_meant(chart, cdi, given, then):
    assert message(lambda: GpuWorkload(chart, "ollama", nodes=cdi, image=IMAGE, **{given: 1}), TypeError) == (
        f"'{given}' must be an argument of GpuWorkload (got {given}=1); {then}"
    )


@pytest.mark.parametrize(
    ("given", "then"),
    [
        *((name, "give the 'labels' to GpuNodes: the labels become the selector") for name in ("node_selector", "nodeSelector")),
        ("tolerations", "give the 'taints' to GpuNodes: every pod for these nodes tolerates the taints"),
        ("affinity", "give the 'labels' to GpuNodes: the labels become the selector"),
        *(
            (name, "the RuntimeClass follows from the 'talos_version' of GpuNodes")
            for name in ("runtime_class", "runtime_class_name", "runtimeClassName")
        ),
        *((name, f"'{name}' is an argument of GpuNodes") for name in ("mig_strategy", "sharing")),
        ("time_slicing", "give sharing=TimeSlicing(…) to GpuNodes"),
        ("strategy", "the argument is 'update_strategy'"),
    ],
)
def test_an_unknown_keyword_that_is_set_elsewhere_names_the_place(chart, cdi, given, then):
    assert message(lambda: GpuWorkload(chart, "ollama", nodes=cdi, image=IMAGE, **{given: []}), TypeError) == (
        f"'{given}' must be an argument of GpuWorkload (got {given}=[]); {then}"
    )


def test_an_unknown_keyword_like_no_other_is_answered_with_all(chart, cdi):
    text = message(lambda: GpuWorkload(chart, "ollama", nodes=cdi, image=IMAGE, zebra=True), TypeError)

    assert text.startswith(
        "'zebra' must be an argument of GpuWorkload (got zebra=True); the arguments of GpuWorkload are 'nodes', 'image', "
    )
    assert text.endswith("'pod_annotations', 'init_containers', 'service', 'pod_spec'")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"image": IMAGE}, "'nodes' must be given to GpuWorkload (got nothing); a GPU workload runs on a class of GPU nodes"),
        ({"nodes": GpuNodes(talos_version="1.14")}, "'image' must be given to GpuWorkload (got nothing); name the image to run"),
    ],
    ids=["nodes", "image"],
)
def test_what_has_no_default_is_asked_for(chart, given, expected):
    assert message(lambda: GpuWorkload(chart, "ollama", **given), TypeError) == expected


def test_an_argument_without_its_name_is_asked_for_its_name(chart):
    assert message(lambda: GpuWorkload(chart, "ollama", "1.14", image=IMAGE), TypeError) == (
        "'nodes' must be given by its name (got '1.14'); such as GpuWorkload(…, nodes=…)"
    )


@pytest.mark.parametrize(
    ("id_", "error", "expected"),
    [
        ("", V, "'id' must be a string that is not empty (got '')"),
        (None, T, "'id' must be a string that is not empty (got None)"),
        ("Ollama", V, refused("id", LABEL.format(63), "'Ollama'", "did you mean 'ollama'?")),
        ("ai/ollama", V, refused("id", LABEL.format(63), "'ai/ollama'", "did you mean 'ai-ollama'?")),
    ],
)
def test_an_id_that_can_be_no_name_is_refused(chart, cdi, id_, error, expected):
    assert message(lambda: GpuWorkload(chart, id_, nodes=cdi, image=IMAGE), error) == expected
    assert synth(chart) == []


@pytest.mark.parametrize(("given", "missing"), [([], "scope"), (["chart"], "id")])
def test_a_place_that_was_not_given_is_asked_for(cdi, given, missing):
    assert (
        message(lambda: GpuWorkload(*given, nodes=cdi, image=IMAGE), TypeError) == f"'{missing}' must be given to GpuWorkload (got nothing)"
    )
    assert message(lambda: GpuWorkload(*given), TypeError) == f"'{missing}' must be given to GpuWorkload (got nothing)"


@pytest.mark.parametrize(
    ("scope", "then"),
    [("chart", ""), (None, ""), (App(), "put a Chart between the app and the construct: Chart(app, …)")],
    ids=["a text", "nothing", "an app"],
)
def test_a_scope_that_is_no_chart_is_refused(cdi, scope, then):
    assert message(lambda: GpuWorkload(scope, "ollama", nodes=cdi, image=IMAGE), TypeError) == (
        refused("scope", "a Chart, or a construct in a Chart", "an App" if then else repr(scope), then)
    )


def test_a_secret_reference_does_not_smuggle_visible_devices_in(chart, cdi):
    env = {"NVIDIA_VISIBLE_DEVICES": SecretKey("a", "b")}

    assert message(lambda: GpuWorkload(chart, "ollama", nodes=cdi, image=IMAGE, env=env)).startswith(
        "'env' must be without NVIDIA_VISIBLE_DEVICES"
    )


PENDING = "the other pods would stay Pending"


@pytest.mark.parametrize(
    ("nodes", "given", "expected"),
    [
        ({"gpus_per_node": 2}, {"gpus": 3},
         refused("gpus", "at most 2, the number that one node offers", 3, "the pod would stay Pending; see 'gpus_per_node' of GpuNodes")),
        ({"sharing": TimeSlicing(replicas=4, fail_requests_greater_than_one=True)}, {"gpus": 2},
         refused("gpus", "1 on these nodes", 2, "'fail_requests_greater_than_one' of 'sharing' refuses more than one share: two shares are no more of a GPU than one")),
        ({"gpus_per_node": 2, "count": 1}, {"gpus": 2, "replicas": 2},
         refused("replicas", "at most 1 with gpus=2, as each of 1 nodes offers 2", 2, PENDING)),
        # Six GPUs are no three pairs where each node has three.
        ({"gpus_per_node": 3, "count": 2}, {"gpus": 2, "replicas": 3},
         refused("replicas", "at most 2 with gpus=2, as each of 2 nodes offers 3", 3, PENDING)),
        ({"gpus_per_node": 1, "count": 2, "sharing": TimeSlicing(replicas=2)}, {"replicas": 5},
         refused("replicas", "at most 4 with gpus=1, as each of 2 nodes offers 2", 5, PENDING)),
        ({"labels": {"role": "gpu"}}, {"pod_spec": {"nodeSelector": {"role": "cpu"}}},
         refused("pod_spec", "without another value for the node label role than 'gpu'", "'cpu'", "no node matches both values")),
    ],
)  # fmt: skip
def test_what_these_nodes_cannot_bear_is_refused(chart, nodes, given, expected):
    assert message(lambda: GpuWorkload(chart, "ollama", nodes=GpuNodes(talos_version="1.14", **nodes), image=IMAGE, **given)) == expected
    assert synth(chart) == []


@pytest.mark.parametrize(("argument", "given"), [("shared_memory", "1Gi"), ("volumes", {"/dev/shm": Memory("1Gi")})])
def test_a_dev_shm_beside_that_of_the_mps_daemon_is_refused(chart, argument, given):
    with pytest.warns(TalosGpuWarning, match="no report is known of MPS working"):
        nodes = GpuNodes(talos_version="1.14", sharing=Mps(replicas=4))
    got = given if argument == "shared_memory" else "/dev/shm"

    assert message(lambda: GpuWorkload(chart, "ollama", nodes=nodes, image=IMAGE, **{argument: given})) == refused(
        argument, "without a volume at /dev/shm on nodes that share by MPS", repr(got), "the MPS daemon mounts its own volume at /dev/shm"
    )


def test_a_runtime_class_where_nri_needs_none_is_refused(chart):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TalosGpuWarning)
        nodes = GpuNodes(talos_version="1.15")

    assert message(lambda: GpuWorkload(chart, "ollama", nodes=nodes, image=IMAGE, pod_spec={"runtimeClassName": "nvidia"})) == (
        "'pod_spec' must be without a runtimeClassName on Talos 1.15, whose containerd injects GPUs by CDI (got 'nvidia'); leave runtimeClassName out"
    )


REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
TERMS = f"affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms"


@pytest.mark.parametrize("containers", [None, []])
def test_a_pod_spec_that_removes_every_container_is_refused(chart, containers):
    assert message(lambda: GpuWorkload(chart, "ollama", nodes=NODES, image=IMAGE, pod_spec={"containers": containers})) == refused(
        "pod_spec", "with a list of at least one container in 'containers'", repr(containers)
    )


def test_a_container_of_pod_spec_without_a_name_is_refused(chart):
    proxy = {"image": "proxy:1"}

    assert message(lambda: GpuWorkload(chart, "ollama", nodes=NODES, image=IMAGE, pod_spec={"containers": [proxy]})) == refused(
        "pod_spec", "made of containers with a 'name' each", repr(proxy)
    )


@pytest.mark.parametrize(
    ("pod_spec", "path", "rule", "got"),
    [
        *(({key: got}, key, "a list of mappings", got) for key in ("containers", "initContainers", "tolerations", "volumes") for got in ("a", {"a": "a"}, 5)),
        ({"containers": [5]}, "containers.0", "a mapping of fields of Kubernetes' Container", 5),
        ({"tolerations": [5]}, "tolerations.0", "a mapping of fields of Kubernetes' Toleration", 5),
        ({"tolerations": [None]}, "tolerations", "a list without None", [None]),
        ({"nodeSelector": "gpu"}, "nodeSelector", "a mapping of strings", "gpu"),
        ({"affinity": "gpu"}, "affinity", "a mapping of fields of Kubernetes' Affinity", "gpu"),
        ({"containers": [{"name": "ollama", "env": {"A": "b"}}]}, "containers.0.env", "a list of mappings", {"A": "b"}),
        ({"containers": [{"name": "ollama", "ports": [80]}]}, "containers.0.ports.0", "a mapping of fields of Kubernetes' ContainerPort", 80),
        ({"containers": [{"name": "ollama", "lifecycle": "exec"}]}, "containers.0.lifecycle", "a mapping of fields of Kubernetes' Lifecycle", "exec"),
        ({"affinity": {"nodeAffinity": {REQUIRED: [5]}}}, f"affinity.nodeAffinity.{REQUIRED}", "a mapping of fields of Kubernetes' NodeSelector", [5]),
        ({"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": "a"}]}}}}, f"{TERMS}.0.matchExpressions", "a list of mappings", "a"),
        *(({"containers": [{"name": "ollama", "resources": {section: [1]}}]}, f"containers.0.resources.{section}", "a mapping of quantities", [1])
          for section in ("limits", "requests")),
    ],
    ids=str,
)  # fmt: skip
def test_a_pod_spec_of_a_wrong_shape_is_refused_with_what_is_wrong(chart, pod_spec, path, rule, got):
    assert message(lambda: GpuWorkload(chart, "ollama", nodes=NODES, image=IMAGE, pod_spec=pod_spec), T) == refused(
        f"pod_spec[{path}]", rule, repr(got)
    )
    assert synth(chart) == []
