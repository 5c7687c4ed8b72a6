"""The GPU operator as Helm renders it here, for each Talos, on a real control plane: everything runs, and as many GPU pods as the class advertises.

Real Helm renders a chart of the tests' own (`operator_chart.py`) with the values of the construct. The API server takes the ClusterPolicy strictly, by the
CRD of upstream.
"""

import warnings
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from lab_site import Site
from operator_chart import write_chart
from test_options_run import LABELLED, SHARED, TALOS, Case, check_capacity, classes_of, lab, machines_of, namespaces_of, synthesized

from conftest import needs
from constructs_lib import HelmTemplate, TimeSlicing

__all__ = ["lab"]

CLASSES: dict[str, dict[str, Any]] = {
    "plain": {},
    "labels": LABELLED | SHARED,
    "renamed": {"sharing": TimeSlicing(replicas=2, rename_by_default=True)},
}


@pytest.fixture(scope="module")
def chart(tmp_path_factory):
    crds = Path(needs("CRDS", "the CRDs of the GPU operator (tools/reference.py)"))
    return write_chart(tmp_path_factory.mktemp("gpu-operator"), crds)


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("talos", TALOS)
def test_an_operator_rendered_by_helm_serves_as_many_pods_as_the_class_advertises(lab, chart, talos, name):
    delivery = HelmTemplate(helm=needs("HELM", "the path of a Helm"))
    case, key = Case(talos, "operator", (CLASSES[name],)), f"rendered-{name}-{talos.replace('.', '-')}"
    with warnings.catch_warnings(action="ignore"):  # of a Talos that is not released
        classes = classes_of(case)
        objects = synthesized(case, classes, key, delivery=delivery, chart=str(chart))
        machines = machines_of(case, classes, key)
    definitions = [each for each in objects if each["kind"] == "CustomResourceDefinition"]
    with Site(lab, machines) as site:
        site.apply([*definitions, *namespaces_of(objects)])
        lab.eventually(partial(lab.list, "nvidia.com/v1", "ClusterPolicy"), lambda _: True)  # the storage of a new CRD starts
        site.apply(each for each in objects if each not in definitions)

        assert site.eventually(site.rollouts, site.desired()) == site.desired()
        assert site.desired()["DaemonSet/node-feature-discovery-worker"] == len(machines)
        check_capacity(site, classes[0], "work-0", {})
