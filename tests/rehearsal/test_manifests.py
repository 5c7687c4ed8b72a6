"""What a rehearsal applies, in which order, and what it leaves out."""

from talos_gpu_rehearsal.manifests import LeftOut, missing_namespaces, split, steps


def thing(kind, name, api="v1", **more):
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, **more.pop("metadata", {})}, **more}


CRD = thing("CustomResourceDefinition", "foos.x.io", "apiextensions.k8s.io/v1", spec={"group": "x.io", "names": {"kind": "Foo"}})


def test_definitions_come_first_then_namespaces_then_what_pods_refer_to_and_then_the_rest():
    foo, deployment, secret, space = (
        thing("Foo", "a", "x.io/v1"),
        thing("Deployment", "d", "apps/v1"),
        thing("Secret", "s"),
        thing("Namespace", "n"),
    )

    assert steps([deployment, foo, secret, space, CRD]) == [[CRD], [space], [secret], [deployment, foo]]


def test_what_nothing_here_reconciles_is_left_out_by_name():
    release = thing("HelmRelease", "op", "helm.toolkit.fluxcd.io/v2", metadata={"namespace": "flux-system"})
    hook = thing("ValidatingWebhookConfiguration", "w", "admissionregistration.k8s.io/v1")

    taken, left = split([release, hook, thing("ServiceMonitor", "m", "monitoring.coreos.com/v1"), thing("Foo", "a", "x.io/v1"), CRD])

    assert [each["kind"] for each in taken] == ["Foo", "CustomResourceDefinition"]
    assert left == [
        LeftOut("HelmRelease flux-system/op", "what it delivers is not rehearsed: Flux and Argo CD do not run here"),
        LeftOut("ValidatingWebhookConfiguration w", "no webhook is reachable here, and the API server would refuse what it asks one about"),
        LeftOut("ServiceMonitor m", "no file has the CustomResourceDefinition of ServiceMonitor (monitoring.coreos.com)"),
    ]


def test_a_namespace_that_no_file_makes_is_missing_and_those_of_every_cluster_are_not():
    objects = [thing("Namespace", "a"), *(thing("Secret", "s", metadata={"namespace": each}) for each in ("a", "b", "kube-system"))]

    assert missing_namespaces(objects) == ["b"]
