"""Names that are no argument: each answer is about arguments that exist, and what it says to write works."""

import ast
import inspect
import re

import pytest
from cdk8s import ApiObject, App, Chart, JsonPatch

import constructs_lib
from constructs_lib import GpuNodes, GpuWorkload, TcpProbe
from constructs_lib.arguments.elsewhere import answers
from constructs_lib.manifests.workload.objects import gpu_workload
from constructs_lib.manifests.workload.settings import GpuWorkloadSettings
from public_face import PUBLIC, public

OWNERS = {
    "GpuWorkload", "GpuClaim", "gpu_pod", "gpu_claim", "request_gpus", "StandaloneDevicePlugin", "DcgmExporter", "NvidiaRuntimeClass", "DraDriver",
    "NodeFeatureDiscovery", "NvidiaGpuOperator", "ValidationBridge", "GpuNodes", "GpuStack", "GpuQuota", "KueueQueue",
}  # fmt: skip
CASES = [pytest.param(owner, name, hint, id=f"{owner}-{name}") for owner in sorted(OWNERS) for name, hint in answers(owner).items()]
HINTS = sorted(set(answers("GpuWorkload").values()))
# What people try first.
TRIED = [
    "ports", "environment", "env_from", "resources", "limits", "tolerations", "node_selector", "affinity",
    "runtime_class", "runtime_class_name", "restart_policy", "shm_size", "gpu_count", "ingress", "host", "hostname",
    "pvc", "storage", "volume_mounts", "secrets", "user", "run_as_user", "privileged", "probes",
    "health_check", "strategy", "autoscaling", "hpa", "sidecars", "containers", "cmd", "entrypoint",
    "config_map", "nfs", "host_path", "empty_dir", "pull_policy", "working_dir", "lifecycle", "service_type",
    "load_balancer_ip", "node_port", "service_annotations", "security", "service_account", "priority_class", "fs_group", "capabilities",
    "host_ipc", "host_network", "dns_policy", "max_surge", "replica_count", "tag", "cron",
    "service_name", "min_ready_seconds", "progress_deadline_seconds", "revision_history_limit", "node_name", "concurrency_policy",
    "successful_jobs_history_limit", "failed_jobs_history_limit", "pod_failure_policy", "protocol", "tz", "extra_env",
]  # fmt: skip


def arguments_of(owner):
    return set(inspect.signature(getattr(constructs_lib, owner)).parameters)


@pytest.mark.parametrize(("owner", "name", "hint"), CASES)
def test_a_name_that_is_answered_is_no_argument_and_its_answer_names_arguments_that_exist(owner, name, hint):
    arguments = arguments_of(owner)
    spelled = {argument.replace("_", "") for argument in arguments}
    words = re.findall(r"(?:argument is|in|use|by|arguments are|the|and) '([a-z_]+)'", hint)

    if name in spelled:  # GpuNodes has the argument itself
        assert (owner, f"'{next(each for each in arguments if each.replace('_', '') == name)}' is an argument of GpuNodes") == (
            "GpuNodes",
            hint,
        )
    known = arguments | (arguments_of("GpuNodes") if "GpuNodes" in hint else set())
    known |= {name for name, member in inspect.getmembers(GpuWorkload) if isinstance(member, property)}
    assert set(words) <= known


@pytest.mark.parametrize("name", TRIED)
def test_what_people_try_first_is_answered_and_not_by_the_list_of_all_arguments(name):
    with pytest.raises(TypeError) as caught:
        GpuWorkload(None, "app", nodes=GpuNodes(talos_version="1.14"), image="app:1", **{name: 1})

    assert str(caught.value).startswith(f"'{name}' must be an argument of GpuWorkload (got {name}=1); ")
    assert "the arguments of GpuWorkload are" not in str(caught.value)
    assert "did you mean" not in str(caught.value) or name == "security"  # 'security_context' is right


PLACES = {"'name': …": "'name': 'app'", "[…]": "[]", "{…}": "{}", "…": "x"}


def written(hint):
    """The first arguments that an answer says to write, with a value in the place of each '…'."""
    code = hint.removeprefix("write ")
    for place, value in PLACES.items():
        code = code.replace(place, value)
    for end in range(len(code), 0, -1):
        try:
            call = ast.parse(f"dict({code[:end]})", mode="eval").body
        except SyntaxError:
            continue
        names = {each.id for each in ast.walk(call) if isinstance(each, ast.Name)} - {"dict"}
        if isinstance(call, ast.Call) and names <= set(PUBLIC):
            return eval(f"dict({code[:end]})", {name: public(name) for name in names})
    return {}


@pytest.mark.parametrize("hint", [hint for hint in HINTS if re.match("write [a-z_]+=", hint)])
def test_what_an_answer_says_to_write_is_accepted(hint):
    given = written(hint)
    if "init_containers" in given:
        given["init_containers"][0]["name"] = "side"
    if given.get("volumes") == {"/path": "x"}:  # "each value a volume such as …"
        del given["volumes"]
    if "for kind='Job'" in hint:
        given["kind"] = "Job"
    if "replicas" in given:  # a rolling update without a readiness probe is warned of
        given["readiness_probe"] = TcpProbe()
    if "update_strategy" in given:
        given |= {"replicas": 2, "readiness_probe": TcpProbe()}
    if "Job" not in given.get("kind", ""):
        given.setdefault("port", 80)

    made = gpu_workload(GpuWorkloadSettings(nodes=GpuNodes(talos_version="1.14"), **{"image": "app:1", "name": "app", **given}))

    assert made
    assert re.match(r"write ([a-z_]+)=", hint)[1] in given or "each value a volume" in hint


PATCH = "write ApiObject.of(workload).add_json_patch("


@pytest.mark.parametrize("hint", [hint for hint in HINTS if hint.startswith(PATCH)])
def test_a_patch_that_an_answer_says_to_write_sets_a_field_of_the_kind_that_the_answer_names(hint):
    code, kind = re.fullmatch(r"write (.*\)) for a (Deployment|Job|CronJob).*", hint).groups()
    schedule = {"schedule": "0 3 * * *"} if kind == "CronJob" else {}
    workload = GpuWorkload(Chart(App(), "c"), "app", nodes=GpuNodes(talos_version="1.14"), image="app:1", kind=kind, **schedule)
    before = ApiObject.of(workload).to_json()["spec"]
    eval(code.replace("[…]", "[]"), {"ApiObject": ApiObject, "JsonPatch": JsonPatch, "workload": workload})
    after = ApiObject.of(workload).to_json()["spec"]

    (field,) = [key for key, value in after.items() if before.get(key) != value]
    assert f"'/spec/{field}'" in hint
    assert before.keys() <= after.keys()
