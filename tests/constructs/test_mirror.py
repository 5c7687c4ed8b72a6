"""`mirror`: the images of an app at their copies."""

import cdk8s_plus_28 as kplus
import pytest
import yaml
from cdk8s import ApiObject, App, Chart, JsonPatch, Testing

from constructs_lib import (
    ArgoCd,
    Flux,
    GpuNodes,
    GpuWorkload,
    NvidiaGpuOperator,
    OciImage,
    StandaloneDevicePlugin,
    TalosGpuError,
    attach,
    mirror,
)
from constructs_lib.observed.images.image_fields import WantedImage
from constructs_lib.observed.images.wanted_images import wanted_images
from constructs_lib.observed.read.repository import read_text
from constructs_lib.recipes import Ollama

NODES = GpuNodes(talos_version="1.14.0")
HOME = {"nvcr.io": "r.home.arpa/nvcr", "docker.io": "r.home.arpa/hub", "registry.k8s.io": "r.home.arpa/k8s"}


def registries_of(text):
    return {each.image.registry for each in wanted_images(read_text(text)) if isinstance(each, WantedImage)}


def test_it_makes_no_object_and_an_app_without_images_is_as_before():
    app = App()
    mirror(app, HOME)
    ApiObject(Chart(app, "a"), "map", api_version="v1", kind="ConfigMap")

    assert len(list(yaml.safe_load_all(app.synth_yaml()))) == 1


@pytest.mark.parametrize("delivery", [Flux(), ArgoCd()], ids=["Flux", "ArgoCd"])
def test_every_image_of_a_stack_and_its_workloads_is_a_copy(delivery):
    app = App()
    attach(app)
    mirror(app, HOME)
    NvidiaGpuOperator(Chart(app, "stack", namespace="gpu-operator"), "gpu-operator", nodes=NODES, delivery=delivery)
    Ollama(Chart(app, "ai"), "ollama", nodes=NODES)
    text = app.synth_yaml()

    assert registries_of(text) == {"r.home.arpa"}
    assert len([each for each in wanted_images(read_text(text)) if isinstance(each, WantedImage)]) > 5


def test_a_mirrored_app_differs_in_its_images_alone():
    texts = []
    for registries in ({}, HOME):
        app = App()
        if registries:
            mirror(app, registries)
        StandaloneDevicePlugin(Chart(app, "plugin"), "plugin", nodes=NODES)
        texts.append(app.synth_yaml())

    assert texts[1].replace("r.home.arpa/nvcr", "nvcr.io") == texts[0]


def test_a_second_synth_changes_nothing():
    app = App()
    mirror(app, HOME)
    Ollama(Chart(app, "ai"), "ollama", nodes=NODES)

    assert app.synth_yaml() == app.synth_yaml()


def test_volumes_of_images_and_workloads_of_cdk8s_plus_move_too():
    app = App()
    mirror(app, {**HOME, "ghcr.io": "r.home.arpa/ghcr"})
    chart = Chart(app, "ai")
    GpuWorkload(chart, "a", nodes=NODES, image="ghcr.io/a/b:1", volumes={"/m": OciImage("ghcr.io/a/model:1")})
    kplus.Pod(chart, "pod", containers=[{"image": "busybox:1"}])
    text = app.synth_yaml()

    assert registries_of(text) == {"r.home.arpa"}
    assert "reference: r.home.arpa/ghcr/a/model:1" in text


def test_a_chart_moves_its_own_images_alone():
    app = App()
    ai, other = Chart(app, "ai"), Chart(app, "other")
    mirror(ai, HOME)
    for chart in (ai, other):
        GpuWorkload(chart, "a", nodes=NODES, image="busybox:1", namespace=chart.node.id)

    assert [each["spec"]["template"]["spec"]["containers"][0]["image"] for each in (Testing.synth(ai)[0], Testing.synth(other)[0])] == [
        "r.home.arpa/hub/library/busybox:1",
        "busybox:1",
    ]


def test_images_without_an_entry_stop_the_synth_all_in_one_error_and_none_is_moved():
    app = App()
    mirror(app, {"nvcr.io": "r.io"})
    chart = Chart(app, "ai")
    for name, image in (("a", "busybox:1"), ("b", "ghcr.io/a/b:1"), ("c", "nvcr.io/a:1")):
        GpuWorkload(chart, name, nodes=NODES, image=image)
    with pytest.raises(TalosGpuError) as caught:
        app.synth_yaml()

    assert caught.value.errors == (
        (
            "mirror: 'registries' must be a mapping with an entry for every image (got {'nvcr.io': 'r.io'}); "
            "add 'docker.io', 'ghcr.io' for busybox:1, ghcr.io/a/b:1"
        ),
    )
    assert "nvcr.io/a:1" in yaml.safe_dump(chart.node.find_child("c").resource.to_json())


def with_images(chart, *images):
    for number, image in enumerate(images):
        pod = ApiObject(chart, f"pod-{number}", api_version="v1", kind="Pod")
        pod.add_json_patch(JsonPatch.add("/spec", {"containers": [{"name": "app", "image": image}]}))


def test_two_images_with_one_copy_stop_the_synth():
    app = App()
    mirror(app, {"docker.io": "r.io", "quay.io": "r.io"})
    with_images(Chart(app, "a"), "org/app:1", "quay.io/org/app:1")
    with pytest.raises(TalosGpuError, match=r"docker\.io/org/app:1 and quay\.io/org/app:1 would both be r\.io/org/app:1"):
        app.synth_yaml()


def test_an_object_added_after_a_synth_has_the_copy_that_is_written_already():
    app = App()
    mirror(app, HOME)
    with_images(Chart(app, "a"), "org/app:1")
    app.synth_yaml()
    with_images(Chart(app, "b"), "org/app:1")

    assert app.synth_yaml().count("image: r.home.arpa/hub/org/app:1") == 2


def with_release(chart="grafana"):
    app = App()
    release = ApiObject(Chart(app, "web", namespace="web"), chart, api_version="helm.toolkit.fluxcd.io/v2", kind="HelmRelease")
    release.add_json_patch(
        JsonPatch.add("/spec", {"chart": {"spec": {"chart": chart, "version": "1.0.0"}}, "values": {"image": {"tag": "1"}}})
    )
    return app


def test_a_release_of_an_unknown_chart_stops_the_synth():
    app = with_release()
    mirror(app, HOME)
    with pytest.raises(TalosGpuError) as caught:
        app.synth_yaml()

    (error,) = caught.value.errors
    assert error.startswith("mirror [web/grafana]: 'ignore_charts' must be given with 'grafana' (got nothing); the values of grafana 1.0.0")


def test_a_chart_whose_images_the_user_moved_is_left_out():
    app = with_release()
    before = app.synth_yaml()
    mirror(app, HOME, ignore_charts=["grafana"])

    assert app.synth_yaml() == before


def test_a_list_of_objects_stops_the_synth():
    app = App()
    mirror(app, HOME)
    ApiObject(Chart(app, "a"), "list", api_version="v1", kind="List").add_json_patch(JsonPatch.add("/items", []))
    with pytest.raises(TalosGpuError, match=r"mirror \[a/list\]: the images of a List stay; add its objects one by one"):
        app.synth_yaml()


DIGEST = f"sha256:{'0a' * 32}"


@pytest.mark.parametrize("delivery", [Flux(), ArgoCd()], ids=["Flux", "ArgoCd"])
def test_every_image_of_a_stack_and_its_workloads_has_its_digest(delivery):
    def stack(app):
        NvidiaGpuOperator(Chart(app, "stack", namespace="gpu-operator"), "gpu-operator", nodes=NODES, delivery=delivery)
        Ollama(Chart(app, "ai"), "ollama", nodes=NODES, models=["llama3.2:3b"])
        return [each for each in wanted_images(read_text(app.synth_yaml())) if isinstance(each, WantedImage)]

    names = {f"{each.image}" for each in stack(App())}
    app = App()
    mirror(app, HOME, digests=[f"{name}@{DIGEST}" for name in sorted(names)])
    found = stack(app)

    assert len(names) >= 4
    assert {each.image.registry for each in found} == {"r.home.arpa"}
    assert [each.written for each in found if not each.written.endswith(f"@{DIGEST}")] == []
    assert app.synth_yaml() == app.synth_yaml()


def test_an_image_without_a_digest_stops_the_synth_all_in_one_error():
    app = App()
    mirror(app, HOME, digests=[f"busybox:1@{DIGEST}"])
    with_images(Chart(app, "a"), "busybox:1", "org/app:1", f"nvcr.io/a:1@{DIGEST}", "nvcr.io/b:2")
    with pytest.raises(TalosGpuError) as caught:
        app.synth_yaml()

    assert caught.value.errors == (
        "mirror: 'digests' must be a list with the digest of every image (got '1 images'); none has org/app:1, nvcr.io/b:2",
    )


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: mirror("app", HOME), "'scope' must be an App or a Chart (got 'app')"),
        (lambda: mirror(App(), {"a.io": "b.io", "b.io": "a.io"}), "'registries' must be a mapping without a loop"),
        (lambda: mirror(App(), {"nvcr.io": "https://r.io"}), "'registries[nvcr.io]' must be a registry with or without a folder"),
        (lambda: mirror(App()), "'registries' must be given"),
        (lambda: mirror(App(), HOME, digests=["busybox:1"]), "'digests' must be references with a tag and a digest"),
        (lambda: mirror(App(), HOME, digests="busybox:1"), "'digests' must be"),
        (lambda: mirror(App(), HOME, ignore_charts="grafana"), "'ignore_charts' must be"),
    ],
)
def test_a_wrong_argument_is_refused(call, expected):
    with pytest.raises((TypeError, ValueError)) as caught:
        call()

    assert str(caught.value).startswith(expected)
