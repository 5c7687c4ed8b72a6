"""What differs in the GPU stack, and what a change does in the cluster."""

import dataclasses

import pytest
import yaml

from constructs_lib.changes.parts import Way, part_changes, unnamed
from constructs_lib.observed.read.repository import read, read_text

DAEMON_SET = """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: plugin, namespace: gpu}
spec:
  selector: {matchLabels: {app: plugin}}
  template:
    metadata: {labels: {app: plugin}}
    spec:
      containers: [{name: plugin, image: "nvcr.io/nvidia/k8s-device-plugin:v0.17.0"}]
"""
SERVER = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: server, namespace: ai}
spec:
  selector: {matchLabels: {app: server}}
  strategy: {type: Recreate}
  template:
    metadata: {labels: {app: server}}
    spec: {containers: [{name: server, image: "server:1", resources: {limits: {nvidia.com/gpu: 1}}}]}
"""
JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: run, namespace: ai}
spec:
  template:
    spec: {restartPolicy: Never, containers: [{name: run, image: "run:1", resources: {limits: {nvidia.com/gpu: 1}}}]}
"""
RUNTIME_CLASS = "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: nvidia}\nhandler: nvidia\n"
MACHINE = """\
machine:
  type: worker
  network: {hostname: gpu-1}
  install: {image: "factory.talos.dev/metal-installer/AAA:v1.13.1"}
  kernel: {modules: [{name: nvidia}, {name: nvidia_uvm}]}
  nodeLabels: {role: gpu}
cluster: {controlPlane: {endpoint: "https://10.0.0.1:6443"}}
"""


def changes(old, new):
    return list(part_changes(read_text(old), read_text(new)))


def only(old, new):
    (found,) = changes(old, new)
    return found


def effects(text, before, after):
    return only(text, text.replace(before, after)).effects


ROLLING = SERVER.replace("Recreate", "RollingUpdate")
STATEFUL = (
    SERVER.replace("Deployment", "StatefulSet")
    .replace("  strategy: {type: Recreate}", "  serviceName: a\n  replicas: 3\n  updateStrategy: %s")
    .replace("{", "{{")
    .replace("}", "}}")
    .replace("%s", "{}")
)
SUSPENDED = JOB.replace("spec:\n  template", "spec:\n  suspend: true\n  template")
ELASTIC = JOB.replace("spec:\n  template", "spec:\n  completionMode: Indexed\n  completions: 2\n  parallelism: 2\n  template")
CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: nvidia-models, namespace: ai}
spec:
  accessModes: [ReadWriteOnce]
  volumeAttributesClassName: a
  resources: {requests: {storage: 9Gi}}
"""
BESIDE = "it starts a new pod beside the old one, which needs another free GPU"
ONE_BY_ONE = "its pods are replaced one after the other"
STAY = "its pods stay as they are until somebody deletes them"
REFUSED = "the API server refuses a change of {}: delete the {} first, and apply it again"


@pytest.mark.parametrize(
    ("text", "before", "after", "expected"),
    [
        (DAEMON_SET, "v0.17.0", "v0.20.0", ("its pods restart, one node after the other", "a node offers no GPU until its device plugin has registered again; pods that run keep theirs")),
        (DAEMON_SET, "spec:\n  selector", "spec:\n  minReadySeconds: 5\n  selector", ()),
        (DAEMON_SET, "app: plugin}}\n  template", "app: other}}\n  template", (REFUSED.format("spec.selector.matchLabels.app", "DaemonSet"),)),
        (DAEMON_SET.replace("  selector", "  updateStrategy: {rollingUpdate: {maxUnavailable: 50%}}\n  selector").replace("k8s-device-plugin", "x"), "v0.17.0", "v0.20.0", ("its pods restart, on as many nodes at a time as maxUnavailable says",)),
        (SERVER, "server:1", "server:2", ("its pods end before new ones start",)),
        (ROLLING, "server:1", "server:2", (BESIDE,)),
        (ROLLING.replace("nvidia.com/gpu: 1", "cpu: 1").replace("server:1", "nvidia/server:1"), "server:1", "server:2", (ONE_BY_ONE,)),
        (ROLLING.replace("Update}", "Update, rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}"), "server:1", "server:2", (ONE_BY_ONE,)),
        (ROLLING.replace("  strategy", "  replicas: 3\n  strategy"), "server:1", "server:2", ("it starts new pods beside the old ones, which need other free GPUs",)),
        (SERVER.replace("  strategy", "  replicas: 0\n  strategy"), "server:1", "server:2", ("it has no pods: replicas is 0",)),
        (SERVER.replace("  strategy", "  paused: true\n  strategy"), "server:1", "server:2", ("its pods stay as they are: the Deployment is paused",)),
        (STATEFUL.format("{type: RollingUpdate}"), "server:1", "server:2", (ONE_BY_ONE,)),
        (STATEFUL.format("{type: OnDelete}"), "server:1", "server:2", (STAY,)),
        (STATEFUL.format("{rollingUpdate: {partition: 3}}"), "server:1", "server:2", ("its pods stay as they are: the partition is 3",)),
        (STATEFUL.format("{rollingUpdate: {partition: 2}}"), "server:1", "server:2", ("its pods from number 2 on are replaced one after the other: the partition",)),
        (STATEFUL.format("{rollingUpdate: {partition: '${P}'}}"), "server:1", "server:2", ("its pods from the number of the partition on are replaced one after the other",)),
        (STATEFUL.format("{}"), "serviceName: a", "serviceName: b", (REFUSED.format("spec.serviceName", "StatefulSet"),)),
        (STATEFUL.format("{}"), "replicas: 3", "replicas: 3\n  minReadySeconds: 1", ()),
        (STATEFUL.format("{}"), "replicas: 3", "replicas: 3\n  podManagementPolicy: OrderedReady", ()),
        (SERVER, "spec: {containers", "spec: {dnsPolicy: ClusterFirst, securityContext: {}, containers", ()),
        (SERVER, "spec: {containers", "spec: {terminationGracePeriodSeconds: 60, containers", ("its pods end before new ones start",)),
        (SERVER, "spec: {containers", "spec: {enableServiceLinks: true, containers", ("its pods end before new ones start",)),
        (SERVER, '"server:1",', '"server:1", imagePullPolicy: IfNotPresent, terminationMessagePolicy: File,', ()),
        (SERVER, '"server:1",', '"server:1", imagePullPolicy: Always,', ("its pods end before new ones start",)),
        (SERVER.replace("server:1", "server"), '"server",', '"server", imagePullPolicy: Always,', ()),
        (JOB, "run:1", "run:2", (REFUSED.format("spec.template.spec.containers.run.image", "Job"),)),
        (JOB, "spec:\n  template", "spec:\n  podFailurePolicy: {rules: []}\n  template", (REFUSED.format("spec.podFailurePolicy", "Job"),)),
        (JOB, "spec:\n  template", "spec:\n  backoffLimit: 2\n  template", ()),
        (JOB.replace("batch/v1", "batch.volcano.sh/v1alpha1"), "run:1", "run:2", ()),
        (SUSPENDED, "gpu: 1", "gpu: 2", ()),
        (SUSPENDED, "spec: {restart", "spec: {nodeSelector: {a: b}, restart", ()),
        (SUSPENDED, "run:1", "run:2", (REFUSED.format("spec.template.spec.containers.run.image", "Job"),)),
        (ELASTIC, "completions: 2\n  parallelism: 2", "completions: 3\n  parallelism: 3", ()),
        (ELASTIC, "completions: 2\n  parallelism: 2", "completions: 3\n  parallelism: 2", (REFUSED.format("spec.completions", "Job"),)),
        (ELASTIC.replace("Indexed", "NonIndexed"), "completions: 2\n  parallelism: 2", "completions: 3\n  parallelism: 3", (REFUSED.format("spec.completions", "Job"),)),
        (CLAIM, "volumeAttributesClassName: a", "volumeAttributesClassName: b", ()),
        (CLAIM, "storage: 9Gi", "storage: 10Gi", ()),
        (CLAIM, "spec:\n", "spec:\n  storageClassName: fast\n", ()),
        (CLAIM, "ReadWriteOnce", "ReadWriteMany", ("the API server refuses a change of spec.accessModes[0]: a claim with another name can have it, and its data must be copied",)),
        (RUNTIME_CLASS, "handler: nvidia", "handler: nvidia-cdi", (REFUSED.format("handler", "RuntimeClass"),)),
        (MACHINE, "v1.13.1", "v1.13.9", ("the node needs the new image: an upgrade, which reboots it",)),
        (MACHINE, "role: gpu", "role: cpu", ("pods are placed by labels and taints: pods that run stay, new ones may find no node",)),
        (MACHINE, ", {name: nvidia_uvm}", ", {name: nvidia_uvm}, {name: nvidia_drm}", ()),
    ],
)  # fmt: skip
def test_a_change_says_what_it_does_in_the_cluster(text, before, after, expected):
    assert effects(text, before, after) == expected


TAINTED = MACHINE.replace("  nodeLabels", "  nodeTaints: {gpu: 'true:NoSchedule'}\n  nodeLabels")


@pytest.mark.parametrize(
    ("before", "after", "running"),
    [
        (TAINTED, TAINTED.replace("true:NoSchedule", "true:NoExecute"), "pods that run and do not tolerate gpu=true:NoExecute are evicted once the node has the taint"),
        (MACHINE, TAINTED.replace("true:NoSchedule", "true:NoExecute"), "pods that run and do not tolerate gpu=true:NoExecute are evicted once the node has the taint"),
        (MACHINE, TAINTED.replace("true:NoSchedule", "${EFFECT}"), "pods that run and do not tolerate gpu=${EFFECT}:${EFFECT} may be evicted once the node has the taint"),
        (TAINTED.replace("true:NoSchedule", "true:NoExecute"), TAINTED, "pods that run stay"),
        (TAINTED.replace("true:NoSchedule", "true:NoExecute"), TAINTED.replace("true:NoSchedule", "true:NoExecute").replace("role: gpu", "role: cpu"), "pods that run stay"),
        (MACHINE, TAINTED, "pods that run stay"),
    ],
)  # fmt: skip
def test_a_new_taint_with_no_execute_evicts_the_pods_that_run(before, after, running):
    assert only(before, after).effects == (f"pods are placed by labels and taints: {running}, new ones may find no node",)


def test_pods_of_a_deployment_that_had_none_start():
    had_none = SERVER.replace("  strategy", "  replicas: 0\n  strategy")

    assert only(had_none, SERVER.replace("server:1", "server:2")).effects == ("its pods start: it had none",)


def test_pods_of_a_daemon_set_that_waits_for_deletions_stay():
    waiting = DAEMON_SET.replace("spec:\n  selector", "spec:\n  updateStrategy: {type: OnDelete}\n  selector")

    assert effects(waiting, "v0.17.0", "v0.20.0") == ("its pods stay as they are until somebody deletes them",)


def test_values_of_a_secret_are_told_as_other_values():
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: nvidia, namespace: ai}\nstringData: {nvidia: one}\n"

    assert [f"{each}" for each in only(secret, secret.replace("one", "two")).fields] == [
        "stringData.nvidia: (a secret value) -> another value"
    ]
    assert [f"{each}" for each in only(secret, secret.replace("{nvidia: one}", "{}")).fields] == [
        "stringData.nvidia: (a secret value) -> nothing"
    ]


def test_a_second_copy_of_an_object_is_added_and_the_first_one_stays():
    first, second = (read_text(DAEMON_SET, file=file) for file in ("a.yaml", "b.yaml"))
    both = dataclasses.replace(first, objects=(*first.objects, *second.objects))

    assert [(each.way, each.file) for each in part_changes(first, both)] == [(Way.ADDED, "b.yaml")]
    assert [(each.way, each.file) for each in part_changes(both, first)] == [(Way.REMOVED, "b.yaml")]


def test_what_comes_and_goes_is_told_with_its_file():
    found = changes(DAEMON_SET, SERVER)

    assert [(each.way, each.label, each.file) for each in found] == [
        (Way.REMOVED, "DaemonSet gpu/plugin", "-"),
        (Way.ADDED, "Deployment ai/server", "-"),
    ]


def test_objects_without_gpus_are_no_parts():
    plain = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\ndata: {x: '1'}\n"

    assert changes(plain, plain.replace("'1'", "'2'")) == []


def test_a_moved_file_and_what_the_cluster_adds_change_nothing():
    body = yaml.safe_load(DAEMON_SET)
    body["status"] = {"numberReady": 1}
    body["metadata"]["annotations"] = {"kubectl.kubernetes.io/last-applied-configuration": "nvidia"}

    assert [each.fields for each in changes(DAEMON_SET, yaml.safe_dump(body)) if each.fields[0].where != "metadata.annotations"] == []


def test_a_namespace_that_is_filled_in_later_is_compared_by_its_template():
    template = SERVER.replace("namespace: ai", "namespace: '${NAMESPACE}'")

    assert changes(template, template) == []
    assert only(template, template.replace("server:1", "server:2")).way is Way.CHANGED


def test_an_object_whose_name_is_filled_in_later_is_counted():
    template = SERVER.replace("name: server, namespace", "name: '${NAME}', namespace")

    assert changes(template, template.replace("server:1", "server:2")) == []
    assert unnamed(read_text(template)) == 1


SOURCE = """\
apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata: {name: plugin, namespace: gpu}
spec: {url: oci://ghcr.io/example/nvidia-device-plugin, ref: {tag: 0.19.3}}
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: server, namespace: ai}
spec: {containers: [{name: server, image: "server:1", resources: {limits: {nvidia.com/gpu: 1}}}], nodeSelector: {a: b}, tolerations: [{key: a}]}
"""
PROGRAM = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: server, namespace: ai}
spec:
  chart: {spec: {chart: app-template, version: 4.3.0, sourceRef: {kind: HelmRepository, name: bjw-s}}}
  values:
    controllers:
      app:
        strategy: Recreate
        containers: {app: {image: {repository: server, tag: "1"}, resources: {limits: {nvidia.com/gpu: 1}}}}
"""


@pytest.mark.parametrize(("digest", "is_refused"), [("4f2c", True), ("sha256:4f2c", False)])
def test_a_digest_without_its_algorithm_can_not_be_pulled(digest, is_refused):
    found = effects(SOURCE, "tag: 0.19.3", f"tag: 0.20.0, digest: '{digest}'")

    assert found == (
        (
            "Flux can't pull the digest, which goes before the tag: it must begin with sha256: or another algorithm; the release stays as it is",
        )
        if is_refused
        else ()
    )


@pytest.mark.parametrize(
    ("before", "after", "where"),
    [
        ("nvidia.com/gpu: 1", "nvidia.com/gpu: 2", "containers.server.resources.limits.nvidia.com/gpu"),
        ("{a: b}", "{a: c}", "nodeSelector.a"),
    ],
)
def test_a_pod_that_runs_keeps_its_fields(before, after, where):
    assert effects(POD, before, after) == (f"the API server refuses a change of spec.{where}: delete the Pod first, and apply it again",)


@pytest.mark.parametrize(("before", "after"), [("server:1", "server:2"), ("[{key: a}]", "[{key: a}, {key: c}]")])
def test_the_image_of_a_pod_and_its_tolerations_may_change(before, after):
    assert effects(POD, before, after) == ()


def test_the_selector_of_a_pod_with_gates_may_be_narrowed():
    assert effects(POD.replace("spec: {", "spec: {schedulingGates: [{name: a}], "), "{a: b}", "{a: b, c: d}") == ()


@pytest.mark.parametrize(("size", "is_refused"), [("5Gi", True), ("1024Mi", True), ("20Gi", False), ("10240Mi", False)])
def test_a_claim_can_not_shrink(size, is_refused):
    found = effects(CLAIM, "storage: 9Gi", f"storage: {size}")

    assert bool(found) is is_refused
    assert all("refuses a change of spec.resources.requests.storage" in each for each in found)


def test_a_deployment_that_is_paused_no_more_gets_what_waited():
    paused = SERVER.replace("spec:\n", "spec:\n  paused: true\n", 1)

    assert effects(paused, "  paused: true\n", "") == ("the Deployment is paused no more: its pods get every change that waited",)


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ("Recreate", "its pods end before new ones start"),
        ("RollingUpdate", "it starts a new pod beside the old one, which needs another free GPU"),
    ],
)
def test_other_values_of_a_release_replace_the_pods_of_its_program(strategy, expected):
    assert effects(PROGRAM.replace("Recreate", strategy), 'tag: "1"', 'tag: "2"') == (expected,)


def test_versions_and_images_are_told_first():
    found = only(SERVER, SERVER.replace("spec:\n", "spec:\n  minReadySeconds: 3\n", 1).replace("server:1", "server:2"))

    assert [each.path[-1] for each in found.fields] == ["image", "minReadySeconds"]


def test_another_image_in_the_values_of_the_plugin_restarts_it():
    release = (
        PROGRAM.partition("  chart:")[0]
        + "  chart: {spec: {chart: nvidia-device-plugin, version: 0.19.3}}\n  values: {image: {tag: v0.19.2}}\n"
    )

    assert effects(release, "v0.19.2", "v0.19.3") == (
        "its pods restart: a node offers no GPU until its device plugin has registered again; pods that run keep theirs",
    )


def test_values_in_a_file_of_their_own_are_told(tmp_path, monkeypatch):
    """A kustomization with a chart, whose values stand beside it."""
    chart = "helmCharts: [{name: gpu-operator, repo: https://helm.ngc.nvidia.com/nvidia, releaseName: gpu, version: v26.3.3, valuesFile: values.yaml}]\n"
    sides = []
    for name, values in (("old", "cdi: {enabled: false, nriPluginEnabled: true}\n"), ("new", "cdi: {nriPluginEnabled: true}\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "kustomization.yaml").write_text(chart)
        (tmp_path / name / "values.yaml").write_text(values)
        monkeypatch.chdir(tmp_path / name)
        sides.append(read(["."]))
    (part,) = part_changes(*sides)

    assert (str(part.way), [str(each) for each in part.fields]) == ("changed", ["values.cdi.enabled: false -> nothing"])
    assert list(part_changes(sides[0], sides[0])) == []


def test_values_in_an_object_are_told_once():
    release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: gpu, namespace: gpu}\nspec: {chart: {spec: {chart: gpu-operator}}, values: {cdi: {enabled: true}}}\n"

    assert [each.label for each in changes(release, release.replace("true", "false"))] == ["HelmRelease gpu/gpu"]
