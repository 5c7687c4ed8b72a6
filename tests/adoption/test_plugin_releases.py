"""A release of the device plugin's chart: the construct takes its place only where the class of nodes makes each of its values."""

import pytest
import yaml

from constructs_lib.adoption.adopted_cluster import adopt
from constructs_lib.adoption.explanations import differences
from constructs_lib.observed.read.repository import read_text

TIME_SLICING = {"failRequestsGreaterThanOne": True, "resources": [{"name": "nvidia.com/gpu", "replicas": 4}]}
CONFIG = {"version": "v1", "sharing": {"timeSlicing": TIME_SLICING}}


def adopted(config=None, *, suspend=False, **values):
    """The adoption of a release with these values and this config file."""
    held = {} if config is None else {"config": {"map": {"default": yaml.safe_dump(config)}}}
    chart = {"chart": "nvidia-device-plugin", "version": "0.20.0", "sourceRef": {"kind": "HelmRepository", "name": "nvdp"}}
    release = {
        "apiVersion": "helm.toolkit.fluxcd.io/v2",
        "kind": "HelmRelease",
        "metadata": {"name": "nvidia-device-plugin", "namespace": "kube-system"},
        "spec": {"interval": "30m", "chart": {"spec": chart}, "values": {**values, **held}, **({"suspend": True} if suspend else {})},
    }
    return adopt(read_text(yaml.safe_dump(release)), "1.14.0")


def part(adoption):
    ((entry,),) = ([each for each in adoption.entries if each.form],)
    return entry.form.name


def test_a_release_that_the_class_of_nodes_makes_becomes_the_construct():
    toleration = {"key": "dedicated", "operator": "Equal", "value": "ai", "effect": "NoSchedule"}
    adoption = adopted(CONFIG, nodeSelector={"pool": "gpu"}, tolerations=[toleration], runtimeClassName="nvidia")

    assert part(adoption) == "StandaloneDevicePlugin"
    assert "failRequestsGreaterThanOne: true" in adoption.files["manifests/kube-system.k8s.yaml"]


AFFINITY = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": []}]}}}


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"affinity": AFFINITY}, "the class of nodes makes another affinity"),
        ({"runtimeClassName": "nvidia-legacy"}, "the class of nodes makes another runtimeClassName"),
        ({"tolerations": [{"operator": "Exists"}]}, "the class of nodes has no taint for each of its tolerations"),
        ({"suspend": True}, "a DaemonSet has no spec.suspend"),
        (
            {"config": {**CONFIG, "flags": {"plugin": {"passDeviceSpecs": True}}}},
            "the class of nodes has no flags.plugin.passDeviceSpecs of its config file 'default'",
        ),
        (
            {"config": {**CONFIG, "flags": {"failOnInitError": False}}},
            "the class of nodes has no flags.failOnInitError of its config file 'default'",
        ),
    ],
    ids=("affinity", "runtime class", "toleration", "suspend", "device specs", "init error"),
)
def test_a_value_that_the_class_of_nodes_does_not_make_keeps_the_release_by_hand(given, reason):
    adoption = adopted(**given)

    assert part(adoption) == "Object"
    assert reason in "".join(each.reason for each in differences(adoption))
