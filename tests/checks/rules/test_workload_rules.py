"""Which pods ask for GPUs, wherever their templates stand, and the rules on what they ask for and see."""

import pytest

from constructs_lib import GpuNodes, TimeSlicing
from constructs_lib.checks.engine import violations_of
from constructs_lib.checks.rules import RULES
from constructs_lib.checks.rules._shared import daemon_set
from constructs_lib.observed.model import Unknown
from constructs_lib.observed.pods.pod_counts import whole_amount
from constructs_lib.observed.pods.workloads import gpu_workloads, whole_number, workloads
from constructs_lib.observed.read.repository import read_text


def said(rule: str, yaml: str, **given) -> list[tuple[str, str]]:
    return [(str(each.severity), each.message) for each in violations_of(RULES[rule], read_text(yaml, **given))]


def severities(rule: str, yaml: str, **given) -> list[str]:
    return [severity for severity, _ in said(rule, yaml, **given)]


LIMIT = "resources: {limits: {nvidia.com/gpu: 1}}"
CONTAINERS = f"containers: [{{name: main, image: a/b:1, {LIMIT}}}]"


def pod(container: str = LIMIT, spec: str = "") -> str:
    return f"""\
apiVersion: v1
kind: Pod
metadata: {{name: ollama, namespace: ollama}}
spec:
  runtimeClassName: nvidia
{spec}  containers:
    - {{name: main, image: "a/b:1", {container}}}
"""


def controller(kind: str, spec: str = "", container: str = f"{{name: main, image: a/b:1, {LIMIT}}}", name: str = "ollama") -> str:
    return f"""\
---
apiVersion: apps/v1
kind: {kind}
metadata: {{name: {name}, namespace: ollama}}
spec:
{spec}  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec:
      runtimeClassName: nvidia
      containers: [{container}]
"""


def release(chart: str, values: str, spec: str = "") -> str:
    return f"""\
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: app, namespace: ai}}
spec:
{spec}  chart: {{spec: {{chart: {chart}, version: 1.2.3}}}}
  values:
{values}"""


# Where pod templates stand.


@pytest.mark.parametrize(
    ("yaml", "kind", "pods"),
    [
        (pod(), "Pod", "1"),
        (controller("Deployment"), "Deployment", "≥ 1"),
        (controller("Deployment", "  replicas: 3\n"), "Deployment", "3"),
        (controller("Deployment", "  replicas: 0\n"), "Deployment", "0"),
        (controller("Deployment", "  replicas: ${REPLICAS}\n"), "Deployment", "?"),
        (controller("StatefulSet", "  replicas: 2\n"), "StatefulSet", "2"),
        (controller("DaemonSet"), "DaemonSet", "1"),
        (controller("Job", "  parallelism: 4\n"), "Job", "4"),
        (controller("Job", "  parallelism: 4\n  completions: 2\n"), "Job", "2"),
    ],
)
def test_a_controller_makes_as_many_pods_as_it_says(yaml, kind, pods):
    (found,) = gpu_workloads(read_text(yaml))

    assert (found.kind, str(found.pods), found.gpus, found.complete) == (kind, pods, {"nvidia.com/gpu": 1}, True)


def test_a_cron_jobs_template_is_inside_its_jobs():
    yaml = f"""\
apiVersion: batch/v1
kind: CronJob
metadata: {{name: train}}
spec: {{schedule: "@daily", jobTemplate: {{spec: {{parallelism: 2, template: {{spec: {{{CONTAINERS}}}}}}}}}}}
"""
    (found,) = gpu_workloads(read_text(yaml))

    assert (found.kind, str(found.pods), found.path) == ("CronJob", "2", ("spec", "jobTemplate", "spec", "template", "spec"))


def test_a_leader_worker_set_has_leaders_and_workers():
    yaml = f"""\
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {{name: vllm}}
spec:
  replicas: 2
  leaderWorkerTemplate:
    size: 4
    leaderTemplate: {{spec: {{{CONTAINERS}}}}}
    workerTemplate: {{spec: {{{CONTAINERS}}}}}
"""
    leaders, workers = gpu_workloads(read_text(yaml))

    assert (str(leaders.pods), str(workers.pods)) == ("2", "6")
    (alone,) = gpu_workloads(read_text(yaml.replace(f"    leaderTemplate: {{spec: {{{CONTAINERS}}}}}\n", "")))
    assert str(alone.pods) == "8"


def test_a_job_set_runs_its_jobs_at_once():
    yaml = f"""\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {{name: train}}
spec: {{replicatedJobs: [{{name: a, replicas: 2, template: {{spec: {{parallelism: 3, template: {{spec: {{{CONTAINERS}}}}}}}}}}}]}}
"""
    (found,) = gpu_workloads(read_text(yaml))

    assert str(found.pods) == "6"


def test_a_pod_spec_inside_somebodys_own_kind_may_be_added_to():
    yaml = f"""\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {{name: qwen}}
spec: {{predictor: {{minReplicas: 0, {CONTAINERS}}}}}
"""
    (found,) = gpu_workloads(read_text(yaml))

    assert (found.path, found.kind, str(found.pods), found.complete) == (("spec", "predictor"), "", "?", False)


def test_a_pod_spec_is_found_in_a_list_with_its_metadata_beside_it():
    annotated = f"{{metadata: {{annotations: {{a: b}}}}, spec: {{{CONTAINERS}}}}}"
    yaml = f"apiVersion: example.com/v1\nkind: Fleet\nmetadata: {{name: r}}\nspec: {{groups: [x, {{template: {annotated}}}], empty: {{containers: [x]}}}}\n"
    (found,) = workloads(read_text(yaml))

    assert found.path == ("spec", "groups", 1, "template", "spec")
    assert found.metadata == {"annotations": {"a": "b"}}


def test_what_is_no_workload_is_not_searched():
    yaml = f"""\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: things}}
spec: {{default: {{{CONTAINERS}}}}}
"""

    assert workloads(read_text(yaml)) == ()


def test_init_containers_run_before_the_others():
    spec = f"  initContainers: [{{name: pull, image: a/b:1, resources: {{limits: {{nvidia.com/gpu: 2}}}}}}, {{name: more, image: a/b:1, {LIMIT}}}]\n"
    (found,) = workloads(read_text(pod(spec=spec)))

    assert found.gpus == {"nvidia.com/gpu": 2}


def test_containers_run_at_the_same_time():
    (found,) = workloads(read_text(pod() + f"    - {{name: more, image: a/b:1, {LIMIT}}}\n"))
    (unread,) = workloads(read_text(pod() + '    - {name: more, image: a/b:1, resources: {limits: {nvidia.com/gpu: "${GPUS}"}}}\n'))

    assert found.gpus == {"nvidia.com/gpu": 2}
    assert unread.gpus == {"nvidia.com/gpu": None}


def test_a_request_alone_is_asked_for_too_and_an_unread_amount_is_not_known():
    (requests,) = workloads(read_text(pod("resources: {requests: {nvidia.com/gpu: 2}}")))
    (unread,) = workloads(read_text(pod('resources: {limits: {nvidia.com/gpu: "${GPUS}"}}')))

    assert requests.gpus == {"nvidia.com/gpu": 2}
    assert unread.gpus == {"nvidia.com/gpu": None}


def test_only_nvidias_resources_are_gpus():
    resources = "resources: {limits: {amd.com/gpu: 1, nvidia.com/gpu.shared: 1, nvidia.com/mig-1g.10gb: 2, nvidia.com/hostdev: 1}}"
    (found,) = workloads(read_text(pod(resources)))

    assert found.gpus == {"nvidia.com/gpu.shared": 1, "nvidia.com/mig-1g.10gb": 2}


@pytest.mark.parametrize(
    ("amount", "number"), [(1, 1), ("2", 2), (0, 0), (-1, None), (True, None), ("1.5", None), (Unknown("1"), None), (1.5, None)]
)
def test_a_count_is_whole(amount, number):
    assert whole_number(amount) == number


@pytest.mark.parametrize(
    ("amount", "number"),
    [(2, 2), ("3", 3), ("1k", 1000), ("2.0", 2), ("1000m", 1), ("1e1", 10), ("1Ki", 1024)]
    + [(wrong, None) for wrong in ("1.5", "500m", "-1k", "1 k", "one", "99E", "1e99")],
)
def test_the_amount_of_a_limit_is_a_quantity(amount, number):
    assert whole_amount(amount) == number
    assert workloads(read_text(pod(f"resources: {{limits: {{nvidia.com/gpu: {amount!r}}}}}")))[0].gpus == {"nvidia.com/gpu": number}


@pytest.mark.parametrize(("policy", "passes"), [("", False), ("Always", False), ("Never", True), ("OnFailure", True)])
def test_a_pod_with_an_empty_restart_policy_starts_again(policy, passes):
    text = f"apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec: {{restartPolicy: '{policy}', containers: [{{name: a}}]}}\n"
    assert [each.passes for each in workloads(read_text(text))] == [passes]


APP = f"""\
    controllers:
      main:
        containers:
          app: {{image: {{repository: a/b, tag: "1"}}, env: {{TZ: Europe/Vienna, NVIDIA_VISIBLE_DEVICES: all}}, {LIMIT}}}
    defaultPodOptions: {{runtimeClassName: nvidia, nodeSelector: {{kubernetes.io/os: linux}}}}
"""


def test_what_a_chart_has_beside_the_controllers_of_its_library_asks_for_gpus_too():
    parts = f"{APP}    machine-learning: {{controllers: {{main: {{containers: {{main: {{{LIMIT}}}}}}}}}}}\n"
    first, second = gpu_workloads(read_text(release("immich", parts)))

    assert (first.complete, second.complete) == (True, False)
    assert second.path[-2:] == ("containers", "main")
    assert second.gpus == {"nvidia.com/gpu": 1}


def test_an_app_template_is_a_deployment_with_recreate():
    (found,) = gpu_workloads(read_text(release("app-template", APP)))

    assert (found.kind, str(found.pods), found.runtime_class, found.complete) == ("Deployment", "1", "nvidia", True)
    assert found.controller["strategy"]["type"] == "Recreate"
    assert found.containers[0].image == "a/b:1"
    assert found.containers[0].path == ("spec", "values", "controllers", "main", "containers", "app")
    assert found.spec["enableServiceLinks"] is False


def test_a_controllers_own_pod_options_come_first_and_mappings_merge():
    own = APP.replace("        containers:\n", "        pod: {runtimeClassName: other, nodeSelector: {role: gpu}}\n        containers:\n")
    (found,) = gpu_workloads(read_text(release("app-template", own)))

    assert found.runtime_class == "other"
    assert found.spec["nodeSelector"] == {"kubernetes.io/os": "linux", "role": "gpu"}


@pytest.mark.parametrize(
    ("line", "kind", "pods"),
    [
        ("type: statefulset", "StatefulSet", "1"),
        ("type: daemonset", "DaemonSet", "1"),
        ("type: cronjob", "CronJob", "1"),
        ("replicas: 3", "Deployment", "3"),
        ("replicas: null", "Deployment", "≥ 1"),
    ],
)
def test_a_controller_of_another_type(line, kind, pods):
    (found,) = gpu_workloads(read_text(release("app-template", APP.replace("      main:\n", f"      main:\n        {line}\n"))))

    assert (found.kind, str(found.pods)) == (kind, pods)


def test_a_controller_or_a_container_that_is_off_makes_no_pod():
    assert gpu_workloads(read_text(release("app-template", APP.replace("      main:\n", "      main:\n        enabled: false\n")))) == ()
    assert gpu_workloads(read_text(release("app-template", APP.replace("app: {image", "app: {enabled: false, image")))) == ()


def test_what_flux_patches_after_helm_may_add_anything():
    (found,) = gpu_workloads(read_text(release("app-template", APP, "  postRenderers: [{kustomize: {patches: []}}]\n")))

    assert not found.complete


OLLAMA = "    ollama: {gpu: {enabled: true, number: 2}, models: {pull: [llama3.2]}}\n    runtimeClassName: nvidia\n"


def test_the_ollama_chart_turns_its_own_words_into_a_limit_a_toleration_and_a_hook():
    (found,) = gpu_workloads(read_text(release("ollama", OLLAMA)))

    assert found.gpus == {"nvidia.com/gpu": 2}
    assert found.spec["tolerations"] == [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]
    assert found.controller == {"strategy": {"type": "Recreate"}}
    assert said("TG050", release("ollama", OLLAMA), talos="1.12") == [
        (
            "remark",
            (
                "the postStart hook runs a command in a GPU container. On Talos 1.12 an exec into a GPU container may fail (init 250 result=11, "
                "siderolabs/extensions#940). Then Kubernetes restarts the container"
            ),
        )
    ]


@pytest.mark.parametrize("models", ["{}", "{pull: []}", "{run: []}", '{pull: "${MODELS}"}'])
def test_the_ollama_chart_has_no_hook_without_models_or_with_models_that_are_not_known(models):
    assert said("TG050", release("ollama", OLLAMA.replace("{pull: [llama3.2]}", models)), talos="1.12") == []


def test_the_ollama_chart_with_mig_with_amd_and_inside_open_webui():
    mig = "    ollama: {gpu: {enabled: true, mig: {enabled: true, devices: {1g.10gb: 1}}}}\n"
    inside = "    ollama: {ollama: {gpu: {enabled: true}}}\n"

    (partitioned,) = gpu_workloads(read_text(release("ollama", mig)))
    assert partitioned.gpus == {"nvidia.com/mig-1g.10gb": 1}
    assert gpu_workloads(read_text(release("ollama", "    ollama: {gpu: {enabled: true, type: amd}}\n"))) == ()
    assert gpu_workloads(read_text(release("ollama", "    ollama: {gpu: {enabled: false}}\n"))) == ()
    assert len(gpu_workloads(read_text(release("open-webui", inside)))) == 1
    assert gpu_workloads(read_text(release("open-webui", inside.replace("{ollama: {gpu", "{enabled: false, ollama: {gpu")))) == ()


def test_the_resources_of_a_chart_that_we_dont_know_are_read_and_nothing_else_of_it():
    (found,) = gpu_workloads(read_text(release("somebodys", f"    worker: {{deep: [{{{LIMIT}}}]}}\n")))

    assert (found.gpus, found.kind, str(found.pods), found.complete) == ({"nvidia.com/gpu": 1}, "", "?", False)
    assert found.containers[0].path == ("spec", "values", "worker", "deep", 0)


# TG045: amounts.


@pytest.mark.parametrize("amount", ["0.5", '"0.5"', "500m", "1.5"])
def test_a_fraction_of_a_gpu_is_refused(amount):
    ((severity, message),) = said("TG045", pod(f"resources: {{limits: {{nvidia.com/gpu: {amount}}}}}"))

    assert severity == "error"
    assert message.endswith(" is not a whole number of GPUs. The API server refuses the pod (must be an integer)")


@pytest.mark.parametrize("amount", ["0.5", '"0.5"', "500m"])
def test_a_fraction_of_a_gpu_in_the_requests_alone_is_refused_as_a_fraction_too(amount):
    found = said("TG045", pod(f"resources: {{requests: {{nvidia.com/gpu: {amount}}}}}"))

    assert [severity for severity, _ in found] == ["error", "error"]
    assert found[0][1].endswith(" is not a whole number of GPUs. The API server refuses the pod (must be an integer)")
    assert "without a limit" in found[1][1]


@pytest.mark.parametrize("amount", ["-1", '"-1"', "-0.5", '"-500m"'])
def test_a_negative_number_of_gpus_is_refused_as_negative(amount):
    assert said("TG045", pod(f"resources: {{limits: {{nvidia.com/gpu: {amount}}}}}")) == [
        (
            "error",
            f"nvidia.com/gpu: {amount.strip(chr(34))} is negative. The API server refuses the pod (must be greater than or equal to 0)",
        )
    ]


@pytest.mark.parametrize(
    ("amount", "shown"), [("all", "all"), ('""', "''"), ("true", "true"), ("1GB", "1GB"), ("1i", "1i"), (".inf", ".inf")]
)
def test_a_text_that_is_no_quantity_is_refused(amount, shown):
    assert said("TG045", pod(f"resources: {{limits: {{nvidia.com/gpu: {amount}}}}}")) == [
        ("error", f"nvidia.com/gpu: {shown} is not a quantity of Kubernetes. The API server refuses the pod")
    ]


def test_an_empty_amount_in_the_values_of_a_chart_may_be_left_out_by_its_templates():
    assert said("TG045", release("somebodys", "    resources: {limits: {nvidia.com/gpu: ''}}\n")) == []


@pytest.mark.parametrize("amount", ["1", '"1"', "1000m", "1.0", '"${GPUS}"', "null", '"+1"', '" 1 "', "1e0", '"2."', "1k"])
def test_a_whole_number_is_not(amount):
    assert said("TG045", pod(f"resources: {{limits: {{nvidia.com/gpu: {amount}}}}}")) == []


def test_no_gpu_at_all_is_worth_knowing():
    assert said("TG045", pod("resources: {limits: {nvidia.com/gpu: 0}}")) == [("remark", "nvidia.com/gpu: 0 gives the pod no GPU")]


def test_a_request_needs_an_equal_limit():
    alone = pod("resources: {requests: {nvidia.com/gpu: 1}}")
    other = pod("resources: {requests: {nvidia.com/gpu: 1}, limits: {nvidia.com/gpu: 2}}")

    assert said("TG045", alone) == [
        (
            "error",
            (
                "the pod requests nvidia.com/gpu: 1 without a limit. The API server refuses the pod (Limit must be set for non "
                "overcommitable resources)"
            ),
        )
    ]
    assert said("TG045", other) == [
        (
            "error",
            (
                "the pod requests nvidia.com/gpu: 1, but the limit is 2. The API server refuses the pod (must be equal to "
                "nvidia.com/gpu limit)"
            ),
        )
    ]
    assert said("TG045", pod('resources: {requests: {nvidia.com/gpu: "2"}, limits: {nvidia.com/gpu: 2}}')) == []


def test_a_charts_own_default_may_bring_the_limit():
    assert said("TG045", release("somebodys", "    resources: {requests: {nvidia.com/gpu: 1}}\n")) == []


def test_a_plus_is_in_no_resources_name():
    ((severity, message),) = said("TG045", pod("resources: {limits: {nvidia.com/mig-1g.10gb+me: 1}}"))

    assert severity == "error"
    assert message == "nvidia.com/mig-1g.10gb+me is not a valid resource name: a name has no '+'. The API server refuses the pod"


# TG043, TG044, TG060, TG065: what a container sees.


def seeing(value: str, more: str = "") -> str:
    return pod(f'{LIMIT}, env: [{{name: NVIDIA_VISIBLE_DEVICES, value: "{value}"}}]{more}')


UUID, OTHER = "GPU-11111111-2222-3333-4444-555555555555", "GPU-99999999-2222-3333-4444-555555555555"


@pytest.mark.parametrize(
    ("value", "severity"), [("all", "remark"), ("0", "remark"), ("0,1", "remark"), (UUID, "remark"), (f"{UUID},{OTHER}", "error")]
)
def test_a_variable_that_overrides_the_limit(value, severity):
    assert severities("TG043", seeing(value)) == [severity]


@pytest.mark.parametrize(
    ("file", "severity"),
    [("/etc/cri/conf.d/20-customization.part", "error"), ("/etc/cri/conf.d/30-customization.part", "warning"), ("", "warning")],
)
def test_a_variable_is_an_error_only_where_nvidias_runtime_starts_the_container(file, severity):
    content = '[plugins."io.containerd.cri.v1.runtime".containerd]\n        default_runtime_name = "nvidia"\n'
    machine = f"---\nmachine:\n  files:\n    - path: {file}\n      op: create\n      content: |\n        {content}" if file else ""
    several = seeing(f"{UUID},{OTHER}").replace("  runtimeClassName: nvidia\n", "")

    ((found, message),) = said("TG043", several + machine)

    assert found == severity
    assert message.startswith("NVIDIA_VISIBLE_DEVICES=" if severity == "error" else "if NVIDIA's runtime starts the container, ")


@pytest.mark.parametrize("value", ["void", "none", ""])
def test_a_variable_that_hides_the_gpu_of_its_own_limit(value):
    assert said("TG043", seeing(value)) == [
        (
            "warning",
            f"NVIDIA_VISIBLE_DEVICES={value} hides the GPU that the device plugin allocates, unless the plugin injects by CDI",
        )
    ]
    assert said("TG043", seeing(value).replace("  runtimeClassName: nvidia\n", "")) == []
    assert said("TG043", pod(f'env: [{{name: NVIDIA_VISIBLE_DEVICES, value: "{value}"}}]')) == []


@pytest.mark.parametrize(("strategy", "warnings"), [("envvar", 1), ("cdi-cri", 0), ("envvar,cdi-annotations", 0)])
def test_a_variable_hides_nothing_where_the_plugin_injects_by_cdi(strategy, warnings):
    env = f'[{{name: DEVICE_LIST_STRATEGY, value: "{strategy}"}}]'
    container = f"        - name: main\n          image: nvcr.io/nvidia/k8s-device-plugin:v0.20.0\n          env: {env}\n"
    plugin = daemon_set("nvidia-device-plugin", container)

    assert len(said("TG043", f"{seeing('void')}{plugin}", talos="1.14")) == warnings


def test_a_value_that_is_filled_in_later_is_not_judged():
    assert said("TG043", seeing("${DEVICES}")) == []


def test_as_many_uuids_as_gpus_are_a_pin():
    two = pod(f'resources: {{limits: {{nvidia.com/gpu: 2}}}}, env: [{{name: NVIDIA_VISIBLE_DEVICES, value: "{UUID},{OTHER}"}}]')

    assert severities("TG043", two) == ["remark"]


def test_a_limit_that_is_filled_in_later_is_not_compared_with_the_uuids():
    for value in (UUID, f"{UUID},{OTHER}"):
        unknown = pod(f'resources: {{limits: {{nvidia.com/gpu: "${{GPUS}}"}}}}, env: [{{name: NVIDIA_VISIBLE_DEVICES, value: "{value}"}}]')

        assert severities("TG043", unknown) == ["remark"]


HOST = "  nodeSelector: {kubernetes.io/hostname: gpu-1}\n"


def test_all_is_an_error_on_a_node_that_is_known_to_hold_several_cards():
    everything = seeing("all").replace("  containers:\n", HOST + "  containers:\n")
    two_whole = "---\n" + pod("resources: {limits: {nvidia.com/gpu: 2}}", HOST)
    pinned = "".join(f"---\n{seeing(each)}".replace("  containers:\n", HOST + "  containers:\n") for each in (UUID, OTHER))
    elsewhere = two_whole.replace("gpu-1", "gpu-2")
    counted = seeing("all").replace("  containers:\n", '  nodeSelector: {nvidia.com/gpu.count: "2"}\n  containers:\n')

    assert severities("TG043", everything) == ["remark"]
    assert severities("TG043", everything + two_whole) == ["error"]
    assert severities("TG043", everything + pinned)[0] == "error"
    assert severities("TG043", everything + elsewhere) == ["remark"]
    assert severities("TG043", counted) == ["error"]
    assert severities("TG043", seeing("all"), nodes=[GpuNodes(talos_version="1.13", gpus_per_node=4)]) == ["error"]
    assert severities("TG043", seeing("all"), nodes=[GpuNodes(talos_version="1.13", gpus_per_node=1)]) == []


def test_several_shares_are_not_several_cards():
    everything = seeing("all").replace("  containers:\n", HOST + "  containers:\n")
    two = "---\n" + pod("resources: {limits: {nvidia.com/gpu: 2}}", HOST)
    nodes = GpuNodes(talos_version="1.13", sharing=TimeSlicing(replicas=4))

    assert severities("TG043", everything + two, nodes=[nodes]) == ["remark"]


def test_the_variable_in_an_app_template():
    assert severities("TG043", release("app-template", APP)) == ["remark"]


def test_a_pod_that_is_shown_gpus_without_a_limit_is_not_counted():
    unlimited = pod("env: [{name: NVIDIA_VISIBLE_DEVICES, value: all}]")

    assert said("TG044", unlimited) == [
        (
            "remark",
            (
                "NVIDIA_VISIBLE_DEVICES=all is set without a GPU limit. If NVIDIA's runtime starts the container, the container sees GPUs that the "
                "scheduler does not count"
            ),
        )
    ]
    assert said("TG044", seeing("all")) == []


def test_what_manages_a_node_sees_all_of_it():
    container = "{name: main, image: a/b:1, env: [{name: NVIDIA_VISIBLE_DEVICES, value: all}], securityContext: {privileged: true}}"

    assert said("TG044", controller("DaemonSet", container=container)) == []
    assert said("TG043", controller("DaemonSet", container=container)) == []


DEVICE = "volumeMounts: [{name: gpu, mountPath: /dev/nvidia0}]"


def device(path: str) -> str:
    return f"  volumes: [{{name: gpu, hostPath: {{path: {path}}}}}]\n"


def mounting(path: str, container: str = DEVICE) -> str:
    return pod(container, device(path)).replace("  runtimeClassName: nvidia\n", "")


def test_a_device_file_of_the_host_needs_more_than_a_mount():
    assert severities("TG060", mounting("/dev/nvidia0")) == ["warning"]
    assert severities("TG060", mounting("/dev/nvidia-uvm")) == ["warning"]
    assert said("TG060", mounting("/dev/dri")) == []
    assert said("TG060", mounting("/dev/nvidia0", f"{DEVICE}, {LIMIT}")) == []
    assert said("TG060", mounting("/dev/nvidia0", f"{DEVICE}, securityContext: {{privileged: true}}")) == []


def test_nvidias_runtime_lets_a_container_use_the_devices_that_it_names():
    default = """\
---
machine:
  files:
    - path: /etc/cri/conf.d/20-customization.part
      op: create
      content: |
        [plugins."io.containerd.cri.v1.runtime".containerd]
          default_runtime_name = "nvidia"
"""

    assert said("TG060", pod(DEVICE, device("/dev/nvidia0"))) == []
    assert said("TG060", mounting("/dev/nvidia0") + default) == []


def test_a_privileged_container_sees_every_gpu():
    assert severities("TG065", pod(f"{LIMIT}, securityContext: {{privileged: true}}")) == ["remark"]
    assert said("TG065", pod("securityContext: {privileged: true}")) == []


# TG050, TG051, TG061: libraries.


@pytest.mark.parametrize(
    "container",
    [
        "lifecycle: {postStart: {exec: {command: [a]}}}",
        "lifecycle: {preStop: {exec: {command: [a]}}}",
        "livenessProbe: {exec: {command: [a]}}",
        "startupProbe: {exec: {command: [a]}}",
    ],
)
def test_commands_in_a_gpu_container_fail_on_talos_1_12_alone(container):
    assert severities("TG050", pod(f"{LIMIT}, {container}"), talos="1.12") == ["remark"]
    assert said("TG050", pod(f"{LIMIT}, {container}"), talos="1.11") == []
    assert said("TG050", pod(f"{LIMIT}, {container}"), talos="1.13") == []
    assert said("TG050", pod(container), talos="1.12") == []


@pytest.mark.parametrize("image", ["plexinc/pms-docker:latest", "ghcr.io/home-operations/plex:1.43", "lscr.io/linuxserver/plex@sha256:abc"])
def test_an_image_with_a_libc_of_its_own_on_talos_1_12(image):
    plex = pod().replace("a/b:1", image)

    assert severities("TG051", plex, talos="1.12") == ["warning"]
    assert severities("TG051", plex.replace(LIMIT, "env: [{name: NVIDIA_VISIBLE_DEVICES, value: all}]"), talos="1.12") == ["warning"]
    assert said("TG051", plex.replace(LIMIT, "env: [{name: NVIDIA_VISIBLE_DEVICES, value: void}]"), talos="1.12") == []
    assert said("TG051", plex, talos="1.13") == []
    assert said("TG051", plex.replace(LIMIT, f"{LIMIT}, env: [{{name: LD_LIBRARY_PATH, value: /x}}]"), talos="1.12") == []
    assert said("TG051", pod().replace("a/b:1", "a/plexdrive:1"), talos="1.12") == []
    own = "---\ncustomization: {systemExtensions: {officialExtensions: [jfroy/siderolabs/nvidia-driver-production]}}\n"
    assert said("TG051", plex + own, talos="1.12") == []
    assert severities("TG051", plex + own.replace("jfroy/siderolabs", "siderolabs"), talos="1.12") == ["warning"]


def test_what_names_glibc_is_left_over_from_talos_1_13_on():
    volume = "  volumes: [{name: driver, hostPath: {path: /usr/local/glibc/usr/lib}}]\n"
    root = f"{LIMIT}, env: [{{name: NVIDIA_DRIVER_ROOT, value: /usr/local/glibc}}]"
    path = f'{LIMIT}, env: [{{name: LD_LIBRARY_PATH, value: "/usr/lib:/usr/local/glibc/usr/lib"}}]'

    assert severities("TG061", pod(spec=volume), talos="1.13") == ["error"]
    assert severities("TG061", pod(root), talos="1.14") == ["error"]
    assert severities("TG061", pod(path), talos="1.13") == ["remark"]
    for yaml in (pod(spec=volume), pod(root), pod(path)):
        assert said("TG061", yaml, talos="1.12") == []
        assert said("TG061", yaml, talos="1.13.0-beta.1") == []
        assert said("TG061", yaml) == []
    assert said("TG061", pod(spec=volume.replace("glibc/usr", "glibc-2/usr")), talos="1.13") == []


# TG048: rollouts.


@pytest.mark.parametrize(
    "strategy",
    [
        "  strategy: {rollingUpdate: {maxSurge: 10, maxUnavailable: 0}}\n",
        "  strategy: {rollingUpdate: {maxSurge: 10%, maxUnavailable: 0%}}\n",
        "  strategy: {rollingUpdate: {maxSurge: 1%, maxUnavailable: 99%}}\n",
        "",
        "  strategy: {type: RollingUpdate}\n",
        "  strategy: {rollingUpdate: {maxSurge: 25%, maxUnavailable: 25%}}\n",
        "  replicas: 1\n",
        "  replicas: 2\n",
        "  replicas: 3\n",
        "  replicas: 4\n  strategy: {rollingUpdate: {maxUnavailable: 0}}\n",
        "  replicas: 4\n  strategy: {rollingUpdate: {maxUnavailable: 24%}}\n",
    ],
)
def test_a_rolling_update_that_starts_a_pod_first_waits_for_itself(strategy):
    assert severities("TG048", controller("Deployment", strategy)) == ["warning"]


@pytest.mark.parametrize(
    "strategy",
    [
        "  strategy: {type: Recreate}\n",
        "  strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}\n",
        "  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 1}}\n",
        "  strategy: {rollingUpdate: {maxUnavailable: 100%}}\n",
        "  strategy: {rollingUpdate: {maxSurge: 00%, maxUnavailable: 0}}\n",
        "  strategy: {rollingUpdate: {maxUnavailable: 10}}\n",
        '  strategy: {type: "${STRATEGY}"}\n',
        '  strategy: "${STRATEGY}"\n',
        "  replicas: 0\n",
        "  replicas: 0\n  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}\n",
        "  replicas: 4\n",
        "  replicas: 100\n",
        "  replicas: 2\n  strategy: {type: Recreate}\n",
        "  replicas: 2\n  strategy: {rollingUpdate: {maxUnavailable: 50%}}\n",
        '  replicas: "${REPLICAS}"\n',
    ],
)
def test_what_gives_its_gpu_up_first_does_not(strategy):
    assert said("TG048", controller("Deployment", strategy)) == []


def test_several_pods_are_named_by_their_number():
    ((_, message),) = said("TG048", controller("Deployment", "  replicas: 3\n"))

    assert message == (
        "the Deployment has 3 pods and updates by RollingUpdate, the default strategy. The new pod needs nvidia.com/gpu before an old pod frees its "
        "GPU. Without a free GPU the new pod stays Pending (Insufficient nvidia.com/gpu), and the rollout never ends"
    )


def test_several_pods_on_described_nodes_are_counted_by_another_rule():
    two = GpuNodes(talos_version="1.13", count=2, gpus_per_node=1)

    assert said("TG048", controller("Deployment", "  replicas: 2\n"), nodes=[two]) == []
    assert severities("TG096", controller("Deployment", "  replicas: 2\n"), nodes=[two]) == ["warning"]


def test_several_pods_whose_number_an_autoscaler_sets_are_not_judged():
    scaler = """\
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: ollama, namespace: ollama}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: ollama}, minReplicas: 2, maxReplicas: 9}
"""

    assert said("TG048", controller("Deployment", "  replicas: 2\n") + scaler) == []


def test_only_deployments_add_a_pod_first():
    assert said("TG048", controller("StatefulSet")) == []
    assert said("TG048", controller("DaemonSet")) == []


PLUGIN = release(
    "nvidia-device-plugin",
    """\
    config:
      map:
        config: |
          {version: v1, sharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 2}]}}}
""",
)


def test_a_share_that_is_free_is_enough():
    assert said("TG048", controller("Deployment") + PLUGIN) == []
    assert severities("TG048", controller("Deployment") + controller("StatefulSet", name="other") + PLUGIN) == ["warning"]


def test_a_gpu_that_is_free_is_enough():
    one = GpuNodes(talos_version="1.13", count=1, gpus_per_node=1)
    two = GpuNodes(talos_version="1.13", count=2, gpus_per_node=1)

    assert severities("TG048", controller("Deployment"), nodes=[one]) == ["warning"]
    assert said("TG048", controller("Deployment"), nodes=[two]) == []


def test_an_amount_that_is_not_known_takes_no_free_gpu():
    two = GpuNodes(talos_version="1.13", count=2, gpus_per_node=1)
    other = controller(
        "StatefulSet", container='{name: main, image: a/b:1, resources: {limits: {nvidia.com/gpu: "${GPUS}"}}}', name="other"
    )

    assert said("TG048", controller("Deployment") + other, nodes=[two]) == []
    assert severities("TG048", controller("Deployment") + other.replace('"${GPUS}"', "1"), nodes=[two]) == ["warning"]


def test_an_app_template_rolls_only_where_it_says_so():
    rolling = APP.replace("      main:\n", "      main:\n        strategy: RollingUpdate\n")
    careful = rolling.replace("strategy: RollingUpdate\n", "strategy: RollingUpdate\n        rollingUpdate: {unavailable: 1}\n")

    assert said("TG048", release("app-template", APP)) == []
    assert severities("TG048", release("app-template", rolling)) == ["warning"]
    assert said("TG048", release("app-template", careful)) == []


def test_charts_that_roll_by_default():
    values = f"    {LIMIT}\n    runtimeClassName: nvidia\n    deployment: {{runtimeClassName: nvidia}}\n"

    assert severities("TG048", release("jellyfin", values)) == ["warning"]
    assert severities("TG048", release("local-ai", values)) == ["warning"]
    assert said("TG048", release("jellyfin", values + "    deploymentStrategy: {type: Recreate}\n")) == []
    assert said("TG048", release("local-ai", values, "  postRenderers: [{kustomize: {}}]\n")) == []
    assert said("TG048", release("local-ai", values.replace("nvidia}", "nvidia, strategy: {type: Recreate}}"))) == []


# TG058: DaemonSets.


AGENT = "{name: main, image: nvcr.io/nvidia/k8s-device-plugin:v0.20.0}"


def test_daemon_sets_whose_selectors_overlap():
    other = controller("DaemonSet", container=AGENT, name="other").replace("{app: other}", "{app: ollama, component: b}")
    overlapping = controller("DaemonSet", container=AGENT) + other

    assert severities("TG058", overlapping) == ["remark"]
    assert said("TG058", overlapping.replace("name: other, namespace: ollama", "name: other, namespace: elsewhere")) == []
    assert said("TG058", controller("DaemonSet", container=AGENT) * 2) == []
    assert (
        said(
            "TG058",
            overlapping.replace("nvcr.io/nvidia/k8s-device-plugin:v0.20.0", "busybox").replace(
                "runtimeClassName: nvidia", "runtimeClassName: kata"
            ),
        )
        == []
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("name: other, namespace: ollama", 'name: other, namespace: "${NAMESPACE}"'),
        ("name: other, namespace: ollama", 'name: "${NAME}", namespace: ollama'),
        ("{app: ollama, component: b}", '{app: "${APP}", component: b}'),
    ],
)
def test_daemon_sets_that_may_differ_do_not_overlap(old, new):
    other = controller("DaemonSet", container=AGENT, name="other").replace("{app: other}", "{app: ollama, component: b}")
    overlapping = controller("DaemonSet", container=AGENT) + other

    assert old in overlapping
    assert said("TG058", overlapping.replace(old, new)) == []


def test_nothing_is_known_of_the_pods_that_an_unknown_selector_or_namespace_selects():
    first = controller("DaemonSet", container=AGENT)
    other = controller("DaemonSet", container=AGENT, name="other").replace("{app: other}", "{app: ollama, component: b}")
    in_unknown = (first + other).replace("namespace: ollama", 'namespace: "${NAMESPACE}"')
    by_unknown = first.replace("{app: ollama}", "{app: ollama, tier: a}") + other.replace("component: b", 'component: "${COMPONENT}"')

    assert said("TG058", in_unknown) == said("TG058", by_unknown) == []
    assert severities("TG058", by_unknown.replace(', component: "${COMPONENT}"', "")) == ["remark"]


# TG064: variables of Services.


VLLM = controller("Deployment").replace("a/b:1", "vllm/vllm-openai:v0.11.0")
SERVICE = "---\napiVersion: v1\nkind: Service\nmetadata: {name: vllm, namespace: ollama}\n"


def test_vllm_behind_a_service_of_its_name():
    assert severities("TG064", VLLM + SERVICE) == ["error"]
    assert said("TG064", VLLM) == []
    assert said("TG064", VLLM + SERVICE.replace("name: vllm", "name: vllm-server")) == []
    assert said("TG064", VLLM + SERVICE.replace("namespace: ollama", "namespace: other")) == []
    assert (
        said("TG064", VLLM.replace("runtimeClassName: nvidia", "runtimeClassName: nvidia\n      enableServiceLinks: false") + SERVICE) == []
    )
    assert said("TG064", VLLM.replace(LIMIT, f'{LIMIT}, env: [{{name: VLLM_PORT, value: "8000"}}]') + SERVICE) == []
    assert said("TG064", controller("Deployment") + SERVICE) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("runtimeClassName: nvidia", 'runtimeClassName: nvidia\n      enableServiceLinks: "${LINKS}"'),
        ("vllm/vllm-openai:v0.11.0", "${IMAGE}"),
        ("name: main,", 'name: main, env: [{name: "${NAME}", value: "8000"}],'),
        ("name: main,", "name: main, env: [{name: VLLM_PORT, value: '8000'}],"),
    ],
)
def test_a_vllm_that_may_be_right_is_not_found(old, new):
    assert old in VLLM
    assert said("TG064", VLLM.replace(old, new, 1) + SERVICE) == []
    assert said("TG064", VLLM + SERVICE.replace("namespace: ollama", 'namespace: "${NAMESPACE}"')) == []


@pytest.mark.parametrize(
    ("strategy", "words"),
    [
        ("", "updates by RollingUpdate, the default strategy. The new pod"),
        ("  strategy: {type: RollingUpdate}\n", "updates by RollingUpdate. The new pod"),
    ],
)
def test_a_rolling_update_that_nobody_chose_is_called_the_default_strategy(strategy, words):
    ((_, message),) = said("TG048", controller("Deployment", strategy))

    assert words in message


@pytest.mark.parametrize("field", ["maxSurge: '${SURGE}', maxUnavailable: 0", "maxSurge: 1, maxUnavailable: '${UNAVAILABLE}'"])
def test_nothing_is_concluded_from_a_surge_that_is_not_known(field):
    assert severities("TG048", controller("Deployment", f"  strategy: {{rollingUpdate: {{{field}}}}}\n")) == []
