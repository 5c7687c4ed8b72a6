"""`constructs_lib.testing`: what each helper gives, and what it refuses."""

import copy
import json
from pathlib import Path

import pytest
from cdk8s import ApiObject, App, Chart, JsonPatch

import main
from conftest import message
from constructs_lib import ArgumentError, ArgumentTypeError, GpuNodes, GpuWorkload, attach
from constructs_lib.testing import assert_checks_pass, get_manifest, synthesize, without_pins

NODES = GpuNodes(talos_version="1.14", gpus_per_node=1, count=1)
LIST = "'manifests' must be a list of manifests, such as synthesize(app) gives"


def pod(gpus: object = 1, *, name: str = "a") -> dict:
    container = {"name": "a", "image": "a:1", "resources": {"limits": {"nvidia.com/gpu": gpus}}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": [container]}}


# synthesize


def test_an_app_gives_the_manifests_of_all_its_charts_and_a_chart_its_own():
    app = App()
    first, second = Chart(app, "first"), Chart(app, "second")
    for chart, name in ((first, "a"), (second, "b")):
        GpuWorkload(chart, name, nodes=NODES, image="app:1")

    assert [each["metadata"]["name"] for each in synthesize(app)] == ["a", "b"]
    assert synthesize(first) == synthesize(app)[:1]
    assert synthesize(App()) == []


def test_strings_that_yaml_takes_for_other_values_stay_strings():
    app = App()
    values = [
        "yes",
        "no",
        "on",
        "null",
        "~",
        "",
        "1",
        "1e3",
        "0x1f",
        "1:30",
        "22:22:22",
        "2026-01-01",
        "=",
        "<<",
        ".5",
        "1_000",
        "a: b",
        "a\nb\n",
    ]
    data = {f"k{index}": value for index, value in enumerate(values)} | {
        "y": "n",
        "number": 3,
        "float": 0.5,
        "flag": True,
        "none": [],
        "empty": {},
    }
    ApiObject(Chart(app, "c"), "a", api_version="v1", kind="ConfigMap").add_json_patch(JsonPatch.add("/data", data))

    assert synthesize(app)[0]["data"] == data


@pytest.mark.parametrize("number", [*range(1, 0x20), *range(0x7F, 0xA1), 0x2028, 0x2029, 0xFEFF, 0xFFFD, 0xFFFE, 0xFFFF, 0x1F600], ids=hex)
def test_characters_that_yaml_does_not_have_and_line_breaks_of_old_yaml_stay(number):
    app = App()
    character = chr(number)
    data = {
        "middle": f"a{character}b",
        "alone": character,
        "quoted": f": {character}'\"",
        "lines": f"a\n{character}\nb\n",
        character: "key",
    }
    chart = Chart(app, "c")
    ApiObject(chart, "a", api_version="v1", kind="ConfigMap").add_json_patch(JsonPatch.add("/data", data))

    assert synthesize(app) == synthesize(chart)
    assert synthesize(app)[0]["data"] == data


@pytest.mark.parametrize("cluster", main.CLUSTERS, ids=lambda cluster: cluster.__name__)
def test_an_app_gives_what_its_charts_give(cluster, tmp_path):
    app = App(outdir=str(tmp_path / "manifests"))
    cluster(app)

    assert synthesize(app) == [each for chart in app.charts for each in synthesize(chart)]


def test_no_file_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    app = App()
    GpuWorkload(Chart(app, "c"), "a", nodes=NODES, image="app:1")
    synthesize(app)

    assert list(tmp_path.iterdir()) == []


def test_the_rules_of_attach_run_once_for_the_app(monkeypatch):
    runs = []
    monkeypatch.setattr("constructs_lib.constructs.attach.run_rules", lambda *_, **__: runs.append(1) or [])
    app = App()
    attach(app)
    for name in ("a", "b", "c"):
        GpuWorkload(Chart(app, name), name, nodes=NODES, image="app:1")
    synthesize(app)

    assert len(runs) == 1


def test_an_error_of_attach_stops_it():
    app = App()
    attach(app, ignore=["TG041"])
    workload = GpuWorkload(Chart(app, "c"), "a", nodes=NODES, image="app:1")
    ApiObject.of(workload).add_json_patch(JsonPatch.replace("/spec/template/spec/containers/0/resources/limits/nvidia.com~1gpu", 0.5))

    with pytest.raises(Exception, match=r"TG045 \[c/a\]"):
        synthesize(app)


@pytest.mark.parametrize("scope", ["dist", None, {}, NODES])
def test_only_an_app_or_a_chart_is_synthesized(scope):
    assert message(lambda: synthesize(scope), TypeError) == f"'scope' must be an App or a Chart (got {scope!r})"


# get_manifest


def test_the_manifest_of_a_kind_and_a_name():
    given = [pod(name="a"), pod(name="b"), {"kind": "Service", "metadata": {"name": "a"}}]

    assert get_manifest(given, "Pod", "b") == given[1]
    assert get_manifest(given, "Service") == given[2]
    assert get_manifest(iter(given), "Pod", name="a") == given[0]


def in_namespace(namespace, name="a"):
    return {**pod(), "metadata": {"name": name, "namespace": namespace}}


def test_the_manifest_of_a_namespace():
    given = [in_namespace("ai"), in_namespace("ml"), pod()]

    assert get_manifest(given, "Pod", "a", namespace="ml") == given[1]
    assert get_manifest(given, "Pod", namespace="ai") == given[0]


def test_a_manifest_of_another_namespace_is_in_the_list():
    with pytest.raises(AssertionError) as caught:
        get_manifest([in_namespace("ai"), pod()], "Pod", "a", namespace="ml")
    assert str(caught.value) == "0 manifests are Pod ml/a, not 1; there are:\nPod a\nPod ai/a"

    with pytest.raises(AssertionError, match=r"^2 manifests are Pod ai/\*, not 1; "):
        get_manifest([in_namespace("ai"), in_namespace("ai", "b")], "Pod", namespace="ai")


@pytest.mark.parametrize(
    ("kind", "name", "first"),
    [
        ("Pod", None, "2 manifests are Pod, not 1"),
        ("Pod", "c", "0 manifests are Pod c, not 1"),
        ("pod", "a", "0 manifests are pod a, not 1"),
    ],
)
def test_no_such_manifest_or_several_fail_with_the_objects_that_there_are(kind, name, first):
    given = [pod(name="b"), pod(name="a"), {"kind": "List"}]

    with pytest.raises(AssertionError) as caught:
        get_manifest(given, kind, name)

    assert str(caught.value) == f"{first}; there are:\nList None\nPod a\nPod b"


def test_a_kind_or_a_name_that_is_no_text_is_refused():
    assert message(lambda: get_manifest([], ""), ValueError) == "'kind' must be a string that is not empty (got '')"
    assert message(lambda: get_manifest([], "Pod", 1), TypeError) == "'name' must be a string that is not empty (got 1)"
    assert message(lambda: get_manifest([], "Pod", namespace=""), ValueError) == "'namespace' must be a string that is not empty (got '')"


# assert_checks_pass


def test_manifests_without_an_error_pass_and_a_warning_fails_on_request():
    warned = pod()
    warned["spec"]["runtimeClassName"] = "nvidia"
    assert_checks_pass([warned], nodes=NODES)

    with pytest.raises(AssertionError, match=r"TG041 warning \[Pod a\]"):
        assert_checks_pass([warned], nodes=NODES, fail_on="warning")


def test_an_error_fails_with_the_finding_and_its_fix():
    with pytest.raises(AssertionError) as caught:
        assert_checks_pass([pod(0.5)], talos_version="1.14")

    first, *lines = str(caught.value).splitlines()
    assert first == f"{len(lines)} finding{'s' if len(lines) > 1 else ''}:"
    (half,) = [line for line in lines if line.startswith("TG045")]
    assert half.startswith("TG045 error [Pod a] ")
    assert "; fix: " in half


def test_a_rule_can_be_left_out():
    assert_checks_pass([pod(0.5)], talos_version="1.14", ignore=["TG045"])


@pytest.mark.parametrize("given", [[], (), iter([])])
def test_nothing_to_check_is_refused(given):
    assert message(lambda: assert_checks_pass(given, nodes=NODES), ValueError) == f"{LIST} (got []); an empty list passes every check"


def test_a_check_for_no_release_of_talos_is_refused():
    told = "'nodes' must be given where 'talos_version' is not (got ()); many rules apply to some releases of Talos only"
    assert message(lambda: assert_checks_pass([pod()]), ValueError) == told


def test_wrong_settings_are_refused():
    assert message(lambda: assert_checks_pass([pod()], nodes=NODES, fail_on="errors"), ValueError) == (
        "'fail_on' must be one of 'error', 'warning', 'remark' (got 'errors'); did you mean 'error'?"
    )
    assert message(lambda: assert_checks_pass([pod()], nodes="1.14"), TypeError) == "'nodes' must be GpuNodes, or several (got '1.14')"
    assert message(lambda: assert_checks_pass([pod()], node=NODES), TypeError).endswith("; did you mean 'nodes'?")


# Every helper that takes manifests


@pytest.mark.parametrize(
    "call", [lambda given: get_manifest(given, "Pod"), lambda given: assert_checks_pass(given, nodes=NODES), without_pins]
)
@pytest.mark.parametrize(
    ("given", "got", "hint"),
    [
        ("dist", "'dist'", ""),
        (Path("dist"), "PosixPath('dist')", ""),
        ({"kind": "Pod"}, "{'kind': 'Pod'}", "; put a manifest into a list"),
        (["dist"], "'dist'", ""),
        (None, "None", ""),
    ],
)
def test_what_is_no_list_of_manifests_is_refused(call, given, got, hint):
    with pytest.raises(ArgumentTypeError) as caught:
        call(given)

    assert str(caught.value) == f"{LIST} (got {got}){hint}"
    assert not isinstance(caught.value, ArgumentError)


# without_pins


@pytest.mark.parametrize(
    ("image", "left"),
    [
        ("ollama", "ollama"),
        ("ollama/ollama:0.32.15", "ollama/ollama:<pin>"),
        ("registry:5000/ollama", "registry:5000/ollama"),
        ("registry:5000/ollama:1.2-cuda", "registry:5000/ollama:<pin>"),
        ("ghcr.io/a/b@sha256:12ab", "ghcr.io/a/b:<pin>"),
        ("ghcr.io/a/b:v1@sha256:12ab", "ghcr.io/a/b:<pin>"),
        ("", ""),
        (None, None),
    ],
)
@pytest.mark.parametrize("key", ["containers", "initContainers", "ephemeralContainers"])
def test_the_tag_and_digest_of_an_image_are_pins(image, left, key):
    template = {"spec": {"template": {"spec": {key: [{"name": "a", "image": image}]}}}}
    (stripped,) = without_pins([{"kind": "Deployment", **template}])

    assert stripped["spec"]["template"]["spec"][key] == [{"name": "a", "image": left}]


def test_the_hash_of_a_job_is_a_pin():
    """The hash changes with the image."""

    def jobs(tag):
        app = App()
        GpuWorkload(Chart(app, "c"), "train", nodes=NODES, image=f"app:{tag}", kind="Job", hashed_name=True)
        return without_pins(synthesize(app))

    assert jobs(1) == jobs(2)
    assert jobs(1)[0]["metadata"]["name"] == "train-<pin>"


@pytest.mark.parametrize(
    ("kind", "name", "label"),
    [
        ("Job", "train-deadbeef", "other"),
        ("Job", "train-deadbeef", None),
        ("Job", "train-deadbee", "train"),
        ("Job", "train", "train"),
        ("Pod", "train-deadbeef", "train"),
    ],
)
def test_a_name_without_the_hash_of_a_job_stays(kind, name, label):
    given = [{"kind": kind, "metadata": {"name": name, "labels": {"app.kubernetes.io/name": label} if label else {}}}]

    assert without_pins(given) == given


def test_versions_of_charts_are_pins():
    release = {
        "kind": "HelmRelease",
        "spec": {"chart": {"spec": {"chart": "gpu-operator", "version": "v26.7.0"}}, "values": {"version": "1"}},
    }
    source = {"kind": "OCIRepository", "spec": {"ref": {"tag": "1", "semver": "1.x", "digest": "sha256:1"}, "url": "oci://a:5000/b"}}
    argo = {"kind": "Application", "spec": {"source": {"targetRevision": "1"}, "sources": [{"targetRevision": "2", "chart": "a"}]}}

    assert without_pins([release, source, argo]) == [
        {"kind": "HelmRelease", "spec": {"chart": {"spec": {"chart": "gpu-operator", "version": "<pin>"}}, "values": {"version": "1"}}},
        {"kind": "OCIRepository", "spec": {"ref": {"tag": "<pin>", "semver": "<pin>", "digest": "<pin>"}, "url": "oci://a:5000/b"}},
        {"kind": "Application", "spec": {"source": {"targetRevision": "<pin>"}, "sources": [{"targetRevision": "<pin>", "chart": "a"}]}},
    ]


def test_every_other_value_stays_and_the_given_manifests_are_not_changed():
    given = [{"kind": "ConfigMap", "data": {"image": "a:1", "version": "2"}, "count": 1, "list": [True, None, 0.5]}, pod()]
    before = copy.deepcopy(given)

    assert without_pins(given)[0] == given[0]
    assert without_pins(given)[1]["spec"]["containers"][0]["image"] == "a:<pin>"
    assert given == before


def test_no_pin_is_left_in_what_our_own_constructs_make(tmp_path):
    """The images and chart versions of every cluster of main.py, which a new release of this library may move."""
    for cluster in main.CLUSTERS:
        app = App(outdir=str(tmp_path / cluster.__name__ / "manifests"))
        cluster(app)
        text = json.dumps(without_pins(synthesize(app)))
        for pin in (
            "k8s-device-plugin:v",
            "dcgm-exporter:4",
            "busybox:1",
            '"targetRevision": "v',
            '"version": "v26',
            '"version": "v25',
            "ollama:0",
        ):
            assert pin not in text
