"""What differs in the GPU stack, and what a change does in the cluster."""

import pytest
import yaml

from constructs_lib.changes.parts import Way, part_changes, unnamed
from constructs_lib.observed.read.repository import read_text

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


REFUSED = "the API server refuses a change of {}: delete the {} first, and apply it again"


@pytest.mark.parametrize(
    ("text", "before", "after", "expected"),
    [
        (DAEMON_SET, "v0.17.0", "v0.20.0", ("its pods restart, one node after the other", "a node offers no GPU until its device plugin has registered again; pods that run keep theirs")),
        (DAEMON_SET, "spec:\n  selector", "spec:\n  minReadySeconds: 5\n  selector", ()),
        (DAEMON_SET, "app: plugin}}\n  template", "app: other}}\n  template", (REFUSED.format("spec.selector.matchLabels.app", "DaemonSet"),)),
        (SERVER, "server:1", "server:2", ("its pods end before new ones start",)),
        (SERVER.replace("Recreate", "RollingUpdate"), "server:1", "server:2", ("its pods are replaced one after the other",)),
        (JOB, "run:1", "run:2", (REFUSED.format("spec.template.spec.containers.run.image", "Job"),)),
        (RUNTIME_CLASS, "handler: nvidia", "handler: nvidia-cdi", (REFUSED.format("handler", "RuntimeClass"),)),
        (MACHINE, "v1.13.1", "v1.13.9", ("the node needs the new image: an upgrade, which reboots it",)),
        (MACHINE, "role: gpu", "role: cpu", ("pods are placed by labels and taints: pods that run stay, new ones may find no node",)),
        (MACHINE, ", {name: nvidia_uvm}", ", {name: nvidia_uvm}, {name: nvidia_drm}", ()),
    ],
)  # fmt: skip
def test_a_change_says_what_it_does_in_the_cluster(text, before, after, expected):
    assert effects(text, before, after) == expected


def test_pods_of_a_daemon_set_that_waits_for_deletions_stay():
    waiting = DAEMON_SET.replace("spec:\n  selector", "spec:\n  updateStrategy: {type: OnDelete}\n  selector")

    assert effects(waiting, "v0.17.0", "v0.20.0") == ("its pods stay as they are until somebody deletes them",)


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
