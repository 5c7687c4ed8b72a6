"""A changed description applied on top of the old one: the API server refuses no field, the old pods end, and the new pods run."""

import warnings
from typing import Any

import pytest
from lab_site import Site, identity
from test_options_run import LABELLED, MIXED, SHARED, Case, check_capacity, classes_of, lab, machines_of, namespaces_of, synthesized

from api_server import ApiError
from constructs_lib import Dra, Mps, TimeSlicing

__all__ = ["lab"]

PLAIN: dict[str, Any] = {}
CHANGES: dict[str, tuple[Case, ...]] = {
    "talos-plugin": tuple(Case(talos, "plugin", (LABELLED | SHARED,)) for talos in ("1.11", "1.12", "1.13", "1.14")),
    "talos-operator": tuple(Case(talos, "operator", (LABELLED,)) for talos in ("1.11", "1.12", "1.13", "1.14", "1.15")),
    "sharing": tuple(
        Case("1.14", "plugin", ({"sharing": sharing},))
        for sharing in (None, TimeSlicing(replicas=3), TimeSlicing(replicas=2, rename_by_default=True), Mps(replicas=4), None)
    ),
    "sharing-operator": tuple(Case("1.13", "operator", (each,)) for each in (PLAIN, SHARED, PLAIN)),
    "partitions": (Case("1.14", "plugin", (PLAIN,)), Case("1.14", "plugin", (MIXED,), {"profile": "1g.10gb"})),
    "image": tuple(Case("1.14", "plugin", (PLAIN,), {"image": f"app:{number}"}) for number in (1, 2)),
    "image-stateful-set": tuple(Case("1.14", "plugin", (PLAIN,), {"image": f"app:{number}", "kind": "StatefulSet"}) for number in (1, 2)),
    "more-gpus": tuple(Case("1.14", "plugin", (PLAIN,), {"gpus": number}) for number in (1, 2)),
    "from-plugin-to-claims": (Case("1.14", "plugin", (PLAIN,)), Case("1.14", "dra", ({"dra": Dra()},))),
    "claims": tuple(Case("1.14", "dra", ({"dra": dra},)) for dra in (Dra(), Dra(share="consumable", shares=3), Dra(share="claim"), Dra())),
    "claimed-gpus": tuple(Case("1.14", "dra", ({"dra": Dra()},), {"gpus": number}) for number in (1, 2)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_each_change_is_accepted_and_every_pod_of_the_new_description_runs(lab, name):
    key = f"change-{name}"
    with warnings.catch_warnings(action="ignore"):  # of MPS, and of a Talos that is not released
        steps = [(case, classes_of(case)) for case in CHANGES[name]]
        outputs = [synthesized(case, classes, key) for case, classes in steps]
        machines = [machines_of(case, classes, key) for case, classes in steps]
    with Site(lab, machines[0]) as site:
        site.apply(namespaces_of([each for objects in outputs for each in objects]))
        for (case, classes), objects, there in zip(steps, outputs, machines, strict=True):
            site.replace_machines(there)
            site.apply(objects)
            site.prune(objects)
            assert site.eventually(site.rollouts, site.desired()) == site.desired()
            if "dra" in case.route:
                site.restart()  # a running pod keeps the claim that it has, as docs/dra.md says
                assert site.eventually(site.rollouts, site.desired()) == site.desired()

            assert site.eventually(lambda: set(site.pods().values()), {"Running"}) == {"Running"}
            check_capacity(site, classes[0], "work-0", case.workload)
            site.clear()


def test_a_changed_job_is_refused_until_the_old_one_is_deleted(lab):
    jobs = [Case("1.14", "plugin", (PLAIN,), {"image": f"app:{number}", "kind": "Job"}) for number in (1, 2)]
    outputs = [synthesized(case, classes_of(case), "change-job") for case in jobs]
    with Site(lab, machines_of(jobs[0], classes_of(jobs[0]), "change-job")) as site:
        site.apply(namespaces_of(outputs[0]))
        site.apply(outputs[0])
        assert site.eventually(site.rollouts, site.desired()) == site.desired()
        (job,) = (each for each in outputs[1] if each["kind"] == "Job")

        with pytest.raises(ApiError, match=r"spec\.template: Invalid value.*field is immutable"):
            site.apply([job])

        site.lab.delete(job)
        site.apply([job])
        assert site.eventually(site.rollouts, site.desired()) == site.desired()
        assert identity(job) == ("Job", "work-change-job", "work-0")


def test_another_kind_of_sharing_of_one_claim_is_refused_until_its_pods_and_the_claim_are_deleted(lab):
    steps = [Case("1.14", "dra", ({"dra": Dra(share=share)},)) for share in ("claim", "time-slicing")]
    old, new = (synthesized(case, classes_of(case), "change-claim") for case in steps)
    with Site(lab, machines_of(steps[0], classes_of(steps[0]), "change-claim")) as site:
        site.apply(namespaces_of(old))
        site.apply(old)
        assert site.eventually(site.rollouts, site.desired()) == site.desired()
        claim, deployment = (next(each for each in new if each["kind"] == kind) for kind in ("ResourceClaim", "Deployment"))

        with pytest.raises(ApiError, match=r"spec: Invalid value.*field is immutable"):
            site.apply([claim])

        site.lab.delete(deployment)
        site.lab.delete(claim)
        assert site.lab.eventually(lambda: site.lab.list("resource.k8s.io/v1", "ResourceClaim"), lambda left: not left) == []
        site.apply(new)
        assert site.eventually(site.rollouts, site.desired()) == site.desired()
