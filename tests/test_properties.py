"""What holds for every input, not only for the ones that somebody thought of."""

import contextlib
import copy
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructs_lib import ArgumentError, ArgumentTypeError, GpuNodes, Taint, TimeSlicing, gpu_pod
from constructs_lib.arguments.names import label_key, label_value
from constructs_lib.arguments.quantities import amount_of, quantity
from constructs_lib.upstream.kubernetes.fields import field_table

# Kubernetes' rules for labels, as k8s.io/apimachinery pkg/util/validation has them.
NAME = r"([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]"
DNS_SUBDOMAIN = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
# And for quantities, as pkg/api/resource/quantity.go says it: <number> and <suffix>.
NUMBER = r"[0-9]+|[0-9]+\.[0-9]+|[0-9]+\.|\.[0-9]+"
SUFFIX = r"[KMGTPE]i|[numkMGTPE]|[eE][-+]?[0-9]+|"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def kubernetes_takes_key(key: str) -> bool:
    prefix, slash, name = key.rpartition("/")
    return bool(re.fullmatch(NAME, name)) and (not slash or (len(prefix) <= 253 and bool(re.fullmatch(DNS_SUBDOMAIN, prefix))))


def kubernetes_takes_value(value: str) -> bool:
    return not value or bool(re.fullmatch(NAME, value))


def accepts(check: Any, value: str) -> bool:
    try:
        return check("it", value) == value
    except ValueError:
        return False


names = st.from_regex(NAME, fullmatch=True)
keys = st.builds("{}{}".format, st.sampled_from(["", "example.com/", "gpu.example.com/"]), names)
label_maps = st.dictionaries(keys, st.just("") | names, max_size=3)
taints = st.builds(Taint, keys, st.none() | st.just("") | names, effect=st.sampled_from(["NoSchedule", "PreferNoSchedule", "NoExecute"]))
sharings = st.none() | st.builds(TimeSlicing, replicas=st.integers(2, 100), rename_by_default=st.booleans())
all_nodes = st.builds(
    GpuNodes,
    talos_version=st.sampled_from(["1.8", "1.12", "1.13", "1.14"]),
    labels=label_maps,
    taints=st.lists(taints, max_size=3),
    sharing=sharings,
    name=st.none() | st.from_regex(r"[a-z]([-a-z0-9]{0,8}[a-z0-9])?", fullmatch=True),
)

words = st.sampled_from(["a", "b", "c"])
SCALARS = {
    "bool": st.booleans(), "string": words, "int32": st.integers(0, 2**31 - 1), "int64": st.integers(0, 2**53), "quantity": st.sampled_from(["1", "2Gi"]),
    "int or string": words | st.integers(0, 100), "any": words,
}  # fmt: skip


def of_kind(kind: str, depth: int = 3) -> st.SearchStrategy[Any]:
    """Values of one kind of Kubernetes' schema."""
    if kind in SCALARS:
        return SCALARS[kind]
    if kind.startswith("["):
        return st.lists(of_kind(kind[1:-1], depth), max_size=2)
    if kind.startswith("{"):
        return st.dictionaries(words, of_kind(kind[1:-1], depth), max_size=2)
    table = field_table()
    required, choices = table.required.get(kind, ()), table.choices.get(kind, {})

    def of_field(key: str, each: str) -> st.SearchStrategy[Any]:
        values = st.sampled_from(choices[key]) if key in choices else of_kind(each, depth - 1)
        return st.lists(values, max_size=2) if key in choices and each == "[string]" else values

    def fields(*, needed: bool) -> dict[str, st.SearchStrategy[Any]]:
        return {key: of_field(key, each) for key, each in table.types[kind].items() if (key in required) is needed and (depth or needed)}

    return st.deferred(lambda: st.fixed_dictionaries(fields(needed=True), optional=fields(needed=False)))


def _without_excess(resources):
    """Resources of a container that requests no more than its limits, as Kubernetes wants it."""
    limits = resources.get("limits", {})
    if "requests" not in resources:
        return resources
    return resources | {"requests": {name: limits.get(name, amount) for name, amount in resources["requests"].items()}}


expressions = st.fixed_dictionaries({"key": st.sampled_from(["ssd", "zone", "nvidia.com/gpu.present"]), "operator": st.just("Exists")})
terms = st.fixed_dictionaries({"matchExpressions": st.lists(expressions, min_size=1, max_size=2)})
affinities = st.fixed_dictionaries(
    {},
    optional={
        "nodeAffinity": st.fixed_dictionaries(
            {},
            optional={
                REQUIRED: st.fixed_dictionaries({"nodeSelectorTerms": st.lists(terms, min_size=1, max_size=2)}),
                "preferredDuringSchedulingIgnoredDuringExecution": of_kind("[PreferredSchedulingTerm]"),
            },
        ),
        "podAntiAffinity": of_kind("PodAntiAffinity"),
    },
)
tolerations = st.fixed_dictionaries({"key": words, "operator": st.just("Exists")}) | taints.map(lambda taint: taint.toleration)
resources = st.fixed_dictionaries(
    {}, optional={section: st.dictionaries(st.sampled_from(["cpu", "memory"]), SCALARS["quantity"]) for section in ("limits", "requests")}
).map(_without_excess)
containers = st.fixed_dictionaries(
    {"image": words.map("{}:1".format)},
    optional={
        "resources": resources,
        "env": st.lists(st.fixed_dictionaries({"name": words, "value": words}), max_size=2),
        # The API server refuses a privileged container without the right to gain privileges.
        "securityContext": of_kind("SecurityContext").filter(
            lambda it: not it.get("privileged") or it.get("allowPrivilegeEscalation", True)
        ),
    },
)


def named(found: list[dict[str, Any]], prefix: str) -> list[dict[str, Any]]:
    return [{"name": f"{prefix}{index}", **each} for index, each in enumerate(found)]


templates = st.fixed_dictionaries(
    {
        "spec": st.fixed_dictionaries(
            {"containers": st.lists(containers, min_size=1, max_size=3).map(lambda found: named(found, "c"))},
            optional={
                "initContainers": st.lists(containers, max_size=2).map(lambda found: named(found, "i")),
                "tolerations": st.lists(tolerations, max_size=2),
                "nodeSelector": st.dictionaries(st.sampled_from(["own/a", "own/b"]), words),
                "affinity": affinities,
                "volumes": st.lists(
                    st.fixed_dictionaries({"name": words}, optional={"emptyDir": of_kind("EmptyDirVolumeSource")}), max_size=2
                ),
                "hostIPC": st.booleans(),
            },
        )
    },
    optional={"metadata": of_kind("ObjectMeta")},
)
cases = {"template": templates, "nodes": all_nodes, "gpus": st.integers(1, 16)}


def made(template: dict[str, Any], nodes: GpuNodes, gpus: int) -> dict[str, Any]:
    return gpu_pod(template, nodes=nodes, gpus=gpus, container="c0")


def tolerated(taint: Taint, toleration: dict[str, Any]) -> bool:
    """As the scheduler decides it; a taint of unknown value has any."""
    right = toleration["key"] == taint.key and toleration.get("effect", str(taint.effect)) == str(taint.effect)
    return right and (toleration["operator"] == "Exists" or (taint.value is not None and toleration["value"] == taint.value))


def matched(expression: dict[str, Any], labels: dict[str, str]) -> bool:
    return expression["key"] in labels and (expression["operator"] == "Exists" or labels[expression["key"]] in expression["values"])


def admits(affinity: dict[str, Any], labels: dict[str, str]) -> bool:
    """Whether a node with these labels is one that a required node affinity admits."""
    required = affinity.get("nodeAffinity", {}).get(REQUIRED)
    return required is None or any(
        all(matched(expression, labels) for expression in term["matchExpressions"]) for term in required["nodeSelectorTerms"]
    )


@pytest.mark.filterwarnings("ignore:the image of")
@given(
    **cases, path=st.lists(st.integers(0, 5), min_size=1, max_size=6), value=st.sampled_from([None, [], {}, [None], "x", 5, True, 10**30])
)
def test_a_template_with_any_value_at_any_place_is_made_or_refused_in_our_form(template, nodes, gpus, path, value):
    place: Any = template["spec"]
    for step in path[:-1]:
        inner = list(place.values()) if isinstance(place, dict) else place
        if inner and isinstance(inner[step % len(inner)], (dict, list)) and inner[step % len(inner)]:
            place = inner[step % len(inner)]
    keys = list(place) if isinstance(place, dict) else range(len(place))
    place[keys[path[-1] % len(keys)]] = value

    with contextlib.suppress(ArgumentError, ArgumentTypeError):
        assert made(template, nodes, gpus)["spec"]["containers"]


@given(**cases)
def test_a_pod_tolerates_every_taint_of_its_nodes_and_nvidias(template, nodes, gpus):
    found = made(template, nodes, gpus)["spec"]["tolerations"]

    for taint in (*nodes.taints, Taint("nvidia.com/gpu"), Taint("nvidia.com/gpu", "present")):
        assert any(tolerated(taint, toleration) for toleration in found)


@given(**cases)
def test_a_pod_selects_every_label_of_its_nodes(template, nodes, gpus):
    spec = made(template, nodes, gpus)["spec"]

    assert nodes.node_selector.items() <= spec.get("nodeSelector", {}).items()
    assert nodes.labels.items() <= spec.get("nodeSelector", {}).items()
    assert bool(nodes.labels or nodes.name) == (nodes.node_affinity is None)


@given(
    **cases,
    labels=st.dictionaries(
        st.sampled_from(["ssd", "zone", "nvidia.com/gpu.present", "extensions.talos.dev/nvidia-container-toolkit-lts"]),
        st.sampled_from(["true", "false"]),
    ),
)
def test_a_node_is_admitted_when_the_template_and_the_nodes_both_admit_it(template, nodes, gpus, labels):
    theirs, ours = template["spec"].get("affinity", {}), nodes.node_affinity or {}
    both = made(template, nodes, gpus)["spec"].get("affinity", {})

    assert admits(both, labels) == (admits(theirs, labels) and admits(ours, labels))


@given(**cases)
def test_the_container_has_the_limit_and_the_equal_request_and_no_other_has_one(template, nodes, gpus):
    first, *others = made(template, nodes, gpus)["spec"]["containers"]

    assert first["resources"]["limits"][nodes.resource_name] == first["resources"]["requests"][nodes.resource_name] == gpus
    assert all(nodes.resource_name not in other.get("resources", {}).get("limits", {}) for other in others)


@given(**cases)
def test_what_is_a_gpu_pod_already_is_not_changed(template, nodes, gpus):
    pod = made(template, nodes, gpus)

    assert made(pod, nodes, gpus) == pod


@given(**cases)
def test_a_template_is_not_changed_in_place_and_nothing_of_it_is_lost(template, nodes, gpus):
    before = copy.deepcopy(template)
    pod = made(template, nodes, gpus)

    assert template == before
    ours = {"runtimeClassName", "tolerations", "nodeSelector", "affinity", "containers", "initContainers"}
    assert {key: value for key, value in pod["spec"].items() if key not in ours} == {
        key: value for key, value in before["spec"].items() if key not in ours
    }
    for key in ("containers", "initContainers"):
        for old, new in zip(before["spec"].get(key, []), pod["spec"].get(key, []), strict=True):
            assert [variable for variable in new.get("env", []) if variable["name"] != "NVIDIA_VISIBLE_DEVICES"] == old.get("env", [])
            assert old.get("resources", {}).get("requests", {}).items() <= new.get("resources", {}).get("requests", {}).items()


@given(st.text(alphabet="aA0-_./", max_size=70) | keys)
def test_a_label_key_is_accepted_where_kubernetes_accepts_it(key):
    assert accepts(label_key, key) == kubernetes_takes_key(key)


@given(st.text(alphabet="aA0-_./", max_size=70) | names)
def test_a_label_value_is_accepted_where_kubernetes_accepts_it(value):
    assert accepts(label_value, value) == kubernetes_takes_value(value)


@given(st.from_regex(rf"({NUMBER})({SUFFIX})", fullmatch=True) | st.text(alphabet="0123.eEkKMGin+- ", max_size=8))
def test_what_is_taken_for_a_quantity_is_one_to_kubernetes(written):
    if accepts(quantity, written):
        assert re.fullmatch(rf"({NUMBER})({SUFFIX})", written)
        assert 0 < amount_of(written) < 2**63
