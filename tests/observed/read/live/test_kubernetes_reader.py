"""What kubectl prints, in all its forms."""

import json

import pytest
import yaml

from constructs_lib.doctor.dump_reader import read_dump


def pod(name="ollama", namespace="gpu", limits=None, **spec):
    containers = [{"name": "main", "image": "ollama/ollama:0.12.6", "resources": {"limits": limits or {"nvidia.com/gpu": "1"}}}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"containers": containers, "nodeName": "gpu-1", **spec},
        "status": {"phase": "Running"},
    }


def node(name="gpu-1", image="Talos (v1.13.2)"):
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": {"nodeInfo": {"osImage": image}}}


def event(name, about, message="it failed", field="involvedObject", **more):
    return {
        "apiVersion": "v1" if field == "involvedObject" else "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": name, "namespace": about.get("namespace", "default"), "uid": name},
        field: about,
        "message": message,
        **more,
    }


def listing(*items, kind="List"):
    return {"apiVersion": "v1", "items": list(items), "kind": kind, "metadata": {"resourceVersion": ""}}


def as_yaml(body):
    return yaml.dump(body, default_flow_style=False)


def as_indented_yaml(body):
    class Indented(yaml.SafeDumper):
        def increase_indent(self, flow=False, indentless=False):
            return super().increase_indent(flow, False)

    return yaml.dump(body, Dumper=Indented, default_flow_style=False)


FORMS = {
    "json": lambda body: json.dumps(body, indent=4) + "\n",
    "json in one line": lambda body: json.dumps(body) + "\n",
    "yaml": as_yaml,
    "indented yaml": as_indented_yaml,
}
in_each_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


def names(dump, kind="Pod"):
    return [each.full_name for each in dump.of_kind(kind)]


@in_each_form
def test_a_list_is_read(form):
    dump = read_dump([], stream=form(listing(pod(), pod("other", "apps"), node())))

    assert names(dump) == ["gpu/ollama", "apps/other"]
    assert names(dump, "Node") == ["gpu-1"]
    assert dump.get("Pod", "ollama", "gpu").at("spec", "nodeName") == "gpu-1"
    assert dump.unread == []


@in_each_form
def test_a_list_of_one_kind_whose_items_have_no_kind_is_read(form):
    items = [{key: value for key, value in each.items() if key not in ("kind", "apiVersion")} for each in (pod(), pod("other"))]
    body = listing(*items, kind="PodList")
    dump = read_dump([], stream=form(body if form is not FORMS["json"] else {"kind": "PodList", **body}))

    assert [each.kind for each in dump.of_kind("Pod")] == ["Pod", "Pod"]
    assert dump.counts == {"Pod": 2}


@in_each_form
def test_single_objects_after_each_other_are_read(form):
    dump = read_dump([], stream=form(pod()) + form(pod("second")) + "---\n" + form(node()))

    assert names(dump) == ["gpu/ollama", "gpu/second"]
    assert names(dump, "Node") == ["gpu-1"]


@in_each_form
def test_pods_without_gpus_are_counted_and_not_kept(form):
    dump = read_dump([], stream=form(listing(pod(), *(pod(f"web-{n}", limits={"memory": "1Gi"}) for n in range(5)))))

    assert (names(dump), dump.counts) == (["gpu/ollama"], {"Pod": 6})


@in_each_form
def test_a_pod_with_a_claim_or_a_runtime_class_is_kept(form):
    claiming = pod("claiming", limits={"memory": "1Gi"}, resourceClaims=[{"name": "card"}])
    classed = pod("classed", limits={"memory": "1Gi"}, runtimeClassName="other")

    assert names(read_dump([], stream=form(listing(claiming, classed)))) == ["gpu/claiming", "gpu/classed"]


@in_each_form
def test_the_node_name_stays_with_its_pod(form):
    pods = [{**pod(f"p-{n}"), "spec": {**pod()["spec"], "nodeName": f"gpu-{n}"}} for n in range(3)]
    dump = read_dump([], stream=form(listing(*pods)))

    assert [each.at("spec", "nodeName") for each in dump.of_kind("Pod")] == ["gpu-0", "gpu-1", "gpu-2"]


@in_each_form
def test_secrets_are_counted_and_not_kept(form):
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "nvidia"}, "data": {"token": "cGxhbnRlZA=="}}
    dump = read_dump([], stream=form(listing(secret)) + form(secret))

    assert (dump.objects, dump.counts["Secret"]) == ({}, 2)
    assert "cGxhbnRlZA" not in repr(dump)


@in_each_form
def test_events_about_kept_objects_and_nodes_and_gpus_are_kept(form):
    web = {"kind": "Pod", "namespace": "apps", "name": "web"}
    events = [
        event("of-pod", {"kind": "Pod", "namespace": "gpu", "name": "ollama"}),
        event("of-node", {"kind": "Node", "name": "gpu-9"}),
        event("of-web", dict(web)),
        event("gpu-words", web, "0/3 nodes are available: 3 Insufficient nvidia.com/gpu."),
        event("newer", {"kind": "Pod", "namespace": "gpu", "name": "ollama"}, field="regarding"),
    ]
    dump = read_dump([], stream=form(listing(*events, pod())))

    assert [each.name for each in dump.of_kind("Event")] == ["of-pod", "of-node", "gpu-words", "newer"]


@in_each_form
def test_an_object_that_was_read_twice_is_kept_once_in_its_newer_form(form):
    old, new = pod(), pod()
    old["metadata"]["resourceVersion"], new["metadata"]["resourceVersion"] = "99", "100"
    new["status"] = {"phase": "Failed"}
    dump = read_dump([], stream=form(listing(new)) + form(listing(old)))

    assert [each.at("status", "phase") for each in dump.of_kind("Pod")] == ["Failed"]


@in_each_form
def test_a_list_of_all_namespaces_is_a_whole_list(form):
    assert read_dump([], stream=form(listing(pod(), pod("b", "apps"), node()))).listed == {"Pod", "Node"}


@in_each_form
def test_a_list_of_one_namespace_is_no_whole_list(form):
    assert read_dump([], stream=form(listing(pod(), pod("b"), node()))).listed == {"Node"}


@in_each_form
def test_the_nodes_of_running_system_pods_are_known_though_the_pods_are_not_kept(form):
    pending = {**pod("b", "kube-system", nodeName="gpu-2"), "status": {"phase": "Pending"}}
    dump = read_dump([], stream=form(listing(pod("kube-proxy", "kube-system"), pending, pod("c", "apps", nodeName="gpu-3"))))

    assert dump.system_nodes == {"gpu-1"}


@in_each_form
def test_a_single_object_is_no_whole_list(form):
    assert read_dump([], stream=form(node())).listed == set()


@in_each_form
def test_an_empty_list_of_a_named_kind_is_a_whole_list(form):
    assert read_dump([], stream=form(listing(kind="DaemonSetList"))).listed == {"DaemonSet"}


def test_the_whole_objects_of_a_json_list_that_was_cut_are_read():
    text = FORMS["json"](listing(pod(), pod("second", "apps"), pod("third")))
    dump = read_dump([], stream=text[: text.index("third")])

    assert names(dump) == ["gpu/ollama", "apps/second"]
    assert dump.listed == set()
    assert [each.reason for each in dump.unread] == ["JSON that is cut or broken after 2 whole objects of a list, which were read"]


def test_the_whole_objects_of_a_yaml_list_that_was_cut_are_read():
    text = as_yaml(listing(pod(), pod("second", "apps"), pod("third")))
    dump = read_dump([], stream=text[: text.index("third") + 7])

    assert names(dump) == ["gpu/ollama", "apps/second"]
    assert dump.listed == set()
    assert [each.reason for each in dump.unread] == ["the list is cut: its end is missing, and 2 whole objects were read"]


def test_an_output_after_one_that_was_cut_is_read():
    text = FORMS["json"](listing(pod(), pod("second", "apps")))
    dump = read_dump(
        [], stream=text[: text.index("second")] + "\n" + "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.126.20  Release\n"
    )

    assert [each.driver_version.value for each in dump.machines] == ["580.126.20"]


def test_a_cluster_whose_nodes_run_another_system_is_told():
    ubuntu = node("a", "Ubuntu 24.04.1 LTS")

    assert read_dump([], stream=as_yaml(listing(ubuntu))).is_other_system.name == "a"
    assert read_dump([], stream=as_yaml(listing(ubuntu, node("b")))).is_other_system is None


def test_managed_fields_do_no_harm():
    managed = pod()
    managed["metadata"]["managedFields"] = [{"fieldsV1": {"f:metadata": {'k:{"type":"Ready"}': {".": {}}}}, "manager": "kubelet"}]

    assert names(read_dump([], stream=as_yaml(listing(managed)))) == ["gpu/ollama"]


def test_the_pods_of_a_support_bundle_are_no_whole_list(tmp_path):
    folder = tmp_path / "kubernetesResources"
    folder.mkdir()
    (folder / "systemPods.yaml").write_text(as_yaml(listing(pod("a", "kube-system"), pod("b", "gpu"), kind="PodList")))

    assert read_dump([tmp_path]).listed == set()
