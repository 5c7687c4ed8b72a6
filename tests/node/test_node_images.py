"""Images of a rehearsal: every image that we emit has a content, and archives have the same bytes for the same files."""

import hashlib
import io
import json
import shutil
import tarfile
from itertools import chain
from pathlib import Path

import pytest
import yaml
from cdk8s import App, Chart
from recipe_cases import ARGUMENTS, RECIPES

from constructs_lib import GpuNodes
from talos_gpu_rehearsal.contents import ALL_GPUS, content_of, nearest_plugin
from talos_gpu_rehearsal.images import IMAGE_NAME, Folder, ImageConfig, Link, layer_of, write_archive
from talos_gpu_rehearsal.manifest_images import Image, containerd_name, image_of, images_of, load
from talos_gpu_rehearsal.rootfs import base_layer
from talos_gpu_rehearsal.sources import SOURCES

DIST = Path(__file__).resolve().parents[2] / "dist"
DIGEST = "sha256:" + "a" * 64


def blobs(archive: Path) -> dict[str, bytes]:
    with tarfile.open(archive) as tar:
        return {each.name: tar.extractfile(each).read() for each in tar}


def manifests(archive: Path) -> dict[str, dict]:
    files = blobs(archive)
    listed = json.loads(files["index.json"])["manifests"]
    return {each["annotations"][IMAGE_NAME]: json.loads(files["blobs/sha256/" + each["digest"].partition(":")[2]]) for each in listed}


def config(archive: Path, name: str) -> dict:
    return json.loads(blobs(archive)["blobs/sha256/" + manifests(archive)[name]["config"]["digest"].partition(":")[2]])


def pod(image: str, kind: str = "Deployment", **fields) -> dict:
    container = {"name": "main", "image": image, **fields}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "it"}, "spec": {"template": {"spec": {"containers": [container]}}}}


@pytest.fixture
def programs(tmp_path):
    """Files in place of built programs, which need no Go."""

    def program(name: str) -> Path:
        folder = tmp_path / "programs" / name
        folder.mkdir(parents=True, exist_ok=True)
        for each in SOURCES[name].files:
            (folder / each).write_text(f"{name} {each}")
            (folder / each).chmod(0o755)
        return folder

    return program


def test_an_archive_has_the_same_bytes_whenever_and_from_wherever_it_is_written(tmp_path):
    archives = []
    for name in ("one", "two"):
        folder = tmp_path / name
        (folder / "usr/bin").mkdir(parents=True)
        (folder / "usr/bin/program").write_text("a program")
        (folder / "usr/bin/program").chmod(0o755 if name == "one" else 0o711)
        (folder / "link").symlink_to("usr")
        archives.append(write_archive([ImageConfig(names=("a:1",), layers=(layer_of(folder),))], tmp_path / f"{name}.tar"))
    assert archives[0].read_bytes() == archives[1].read_bytes()


def test_every_blob_has_the_digest_by_which_it_is_named(tmp_path):
    archive = write_archive([ImageConfig(names=("a:1",), layers=({"etc/a": "text"}, {"b": Link("etc/a")}))], tmp_path / "a.tar")
    files = {name: content for name, content in blobs(archive).items() if name.startswith("blobs/")}
    assert len(files) == 4
    assert all(hashlib.sha256(content).hexdigest() == name.rpartition("/")[2] for name, content in files.items())


def test_a_layer_of_two_images_is_written_once(tmp_path):
    shared = {"a": "text"}
    archive = write_archive([ImageConfig(names=(each,), layers=(shared, {each: "own"})) for each in ("x:1", "y:1")], tmp_path / "a.tar")
    one, other = manifests(archive).values()
    assert one["layers"][0] == other["layers"][0]
    assert one["layers"][1] != other["layers"][1]


def test_a_layer_has_the_folders_above_its_files_and_all_belongs_to_root(tmp_path):
    archive = write_archive([ImageConfig(names=("a:1",), layers=({"x/y/z": "text", "tmp": Folder(0o1777)},))], tmp_path / "a.tar")
    digest = manifests(archive)["a:1"]["layers"][0]["digest"].partition(":")[2]
    (tmp_path / "layer").write_bytes(blobs(archive)[f"blobs/sha256/{digest}"])
    with tarfile.open(tmp_path / "layer") as tar:
        members = {each.name: each for each in tar}
    assert list(members) == ["tmp", "x", "x/y", "x/y/z"]
    assert members["tmp"].mode == 0o1777
    assert {(each.uid, each.gid, each.mtime) for each in members.values()} == {(0, 0, 0)}


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("busybox:1.37.0", "docker.io/library/busybox:1.37.0"),
        ("ollama/ollama", "docker.io/ollama/ollama:latest"),
        ("index.docker.io/library/busybox:1", "docker.io/library/busybox:1"),
        ("nvcr.io/nvidia/cuda:13.0.0-base", "nvcr.io/nvidia/cuda:13.0.0-base"),
        ("registry.home.arpa:5000/a/b:1", "registry.home.arpa:5000/a/b:1"),
        (f"busybox:1.37.0@{DIGEST}", f"docker.io/library/busybox@{DIGEST}"),
        (f"nvcr.io/nvidia/cuda@{DIGEST}", f"nvcr.io/nvidia/cuda@{DIGEST}"),
    ],
)
def test_an_image_has_the_name_by_which_the_kubelet_asks_containerd(written, name):
    assert containerd_name(written) == name


def test_an_image_by_digest_is_in_the_archive_under_its_digest(tmp_path, programs):
    archive = load([image_of(f"busybox:1.37.0@{DIGEST}")], tmp_path / "a.tar", programs)
    assert list(manifests(archive)) == [f"docker.io/library/busybox@{DIGEST}"]


def test_every_image_of_the_examples_has_a_content(tmp_path, programs):
    objects = [each for file in sorted(DIST.rglob("*.k8s.yaml")) for each in yaml.safe_load_all(file.read_text()) if each]
    images = images_of(objects)
    assert {f"{each.reference}" for each in images} >= {
        "busybox:1.37.0",
        "ollama/ollama:0.32.15",
        "nvcr.io/nvidia/k8s-device-plugin:v0.20.0",
    }
    archive = load(images, tmp_path / "images.tar", programs)
    assert set(manifests(archive)) == {each.name for each in images}
    assert all(config(archive, each.name)["config"]["Entrypoint"] for each in images)


def test_every_image_of_the_recipes_has_a_content_and_every_server_a_port():
    lacking = {}
    for name, recipe in RECIPES.items():
        app = App()
        recipe(Chart(app, "ai"), "recipe", nodes=GpuNodes(talos_version="1.13"), **ARGUMENTS[name])
        objects = list(chain.from_iterable(chart.to_json() for chart in app.charts))
        for image in images_of(objects):
            lacking |= {(name, role.words): image.reference for role in image.roles if not role.ends and not role.ports}
    assert lacking == {}


@pytest.mark.parametrize(
    ("tag", "program"),
    [
        ("v0.20.0", "device-plugin-0.19"),
        ("v0.19.1", "device-plugin-0.19"),
        ("v0.18.0", "device-plugin-0.18"),
        ("v0.17.4-ubi9", "device-plugin-0.17"),
        ("v0.16.2", "device-plugin-0.17"),
        ("", "device-plugin-0.19"),
    ],
)
def test_the_device_plugin_is_of_the_newest_built_release_up_to_the_tag(tag, program):
    assert nearest_plugin(tag) == program


def test_a_release_that_is_not_built_is_named_beside_the_one_that_runs():
    release = SOURCES["device-plugin-0.19"].release
    assert content_of("nvcr.io/nvidia/k8s-device-plugin:v0.20.0").says == (
        f"NVIDIA's device plugin {release}; the image is v0.20.0, and the rehearsal builds no such release"
    )
    assert content_of(f"nvcr.io/nvidia/k8s-device-plugin:v{release}").says == f"NVIDIA's device plugin {release}"


def test_the_plugin_of_a_mirror_is_the_plugin_with_the_variables_of_its_image(tmp_path, programs):
    image = image_of("harbor.home.arpa/nvcr/k8s-device-plugin:v0.19.1")
    settings = config(load([image], tmp_path / "a.tar", programs), image.name)["config"]
    assert settings["Entrypoint"] == ["nvidia-device-plugin"]
    assert {f"{name}={value}" for name, value in ALL_GPUS.items()} <= set(settings["Env"])


@pytest.mark.parametrize(
    ("image", "value"),
    [
        ("nvcr.io/nvidia/cuda:13.0.0-base-ubuntu24.04", "all"),
        ("ollama/ollama:0.32.15", "all"),
        ("nvcr.io/nvidia/gpu-operator:v26.7.0", "void"),
        ("busybox:1.37.0", None),
        ("docker.io/plexinc/pms-docker:1.43.4.10903-e5521bd8c", None),
    ],
)
def test_an_image_shows_the_cards_that_upstreams_image_shows(image, value):
    assert content_of(image).env.get("NVIDIA_VISIBLE_DEVICES") == value


@pytest.mark.parametrize(
    ("tag", "label", "counter"),
    [
        ("4.5.3-4.8.2-distroless", "Hostname", "DCGM_FI_DEV_FB_USED,"),
        ("4.6.1-4.8.4-distroless", "hostname", "DCGM_FI_DEV_FB_USED,"),
        ("4.7.0-4.9.0-distroless", "hostname", "DCGM_FI_DEV_FB_USED_BYTES,"),
    ],
)
def test_the_exporter_has_the_counters_and_the_label_of_its_release(tag, label, counter):
    files = content_of(f"nvcr.io/nvidia/k8s/dcgm-exporter:{tag}").files
    assert files["etc/dcgm-exporter/node-label"] == label
    assert counter in files["etc/dcgm-exporter/default-counters.csv"]


def image_with(**fields) -> Image:
    return images_of([pod("a.example/server:1", **fields)])[0]


def test_a_container_serves_its_ports_and_those_of_its_probes():
    probes = {"livenessProbe": {"httpGet": {"port": "web", "path": "/"}}, "readinessProbe": {"tcpSocket": {"port": 9000}}}
    ports = [{"name": "web", "containerPort": 80}, {"name": "dns", "containerPort": 53, "protocol": "UDP"}]
    (role,) = image_with(ports=ports, **probes).roles
    assert (role.ports, role.ends) == ((80, 9000), False)


def test_the_container_of_a_job_ends_and_opens_no_port():
    (image,) = images_of([pod("a.example/server:1", kind="Job", args=["test"], ports=[{"containerPort": 80}])])
    assert [(role.words, role.ports, role.ends) for role in image.roles] == [(("test",), (), True)]


def test_commands_of_probes_and_hooks_end():
    roles = image_with(livenessProbe={"exec": {"command": ["check"]}}, lifecycle={"preStop": {"exec": {"command": ["sleep", "5"]}}}).roles
    assert [(role.words, role.ends) for role in roles] == [((), False), (("check",), True), (("sleep", "5"), True)]


def test_an_init_container_ends_and_a_sidecar_serves():
    body = pod("a.example/main:1")
    body["spec"]["template"]["spec"]["initContainers"] = [
        {"name": "first", "image": "a.example/first:1"},
        {"name": "beside", "image": "a.example/beside:1", "restartPolicy": "Always"},
    ]
    assert {each.reference: each.roles[0].ends for each in images_of([body])} == {
        "a.example/main:1": False,
        "a.example/first:1": True,
        "a.example/beside:1": False,
    }


def test_the_programs_of_scripts_are_in_the_image_and_nvidia_smi_never_is(tmp_path, programs):
    script = 'nvidia-smi -L || exit 1\nuntil mytool list; do sleep 1; done\n"$(/opt/it/run x)"\nexec server --port 80'
    image = image_with(command=["/bin/sh", "-c", script])
    layer = manifests(load([image], tmp_path / "a.tar", programs))[image.name]["layers"][-1]["digest"].partition(":")[2]
    (tmp_path / "layer").write_bytes(blobs(tmp_path / "a.tar")[f"blobs/sha256/{layer}"])
    with tarfile.open(tmp_path / "layer") as tar:
        links = {each.name for each in tar if each.issym()}
    assert links == {"usr/bin/mytool", "opt/it/run", "usr/bin/server"}


@pytest.mark.parametrize("probe", [{"grpc": {"port": 1}}, {"httpGet": {"port": 1, "scheme": "HTTPS"}}])
def test_a_probe_that_the_stand_in_does_not_answer_is_named(probe):
    assert image_with(readinessProbe=probe).faults == (
        "Deployment it, container main has a readinessProbe by gRPC or HTTPS: the stand-in speaks HTTP alone, so the probe fails",
    )


def test_an_image_by_digest_that_is_always_pulled_is_named():
    reference = f"a.example/a@sha256:{'a' * 64}"
    [always], [present] = (images_of([pod(reference, imagePullPolicy=each)]) for each in ("Always", "IfNotPresent"))
    assert "of an image by digest, which only its own registry has: it does not start" in always.faults[0]
    assert not present.faults


def test_a_program_of_its_own_answers_its_probes():
    assert (
        images_of([pod("registry.k8s.io/dra-driver-nvidia/dra-driver-nvidia-gpu:v0.4.1", livenessProbe={"grpc": {"port": 1}})])[0].faults
        == ()
    )


@pytest.mark.parametrize(
    ("context", "user"),
    [
        ({"runAsNonRoot": True}, "65532:65532"),
        ({"runAsNonRoot": True, "runAsUser": 1000}, None),
        ({"runAsNonRoot": False}, None),
        ({}, None),
    ],
)
def test_an_image_has_a_user_where_a_pod_forbids_root_and_names_no_user(tmp_path, programs, context, user):
    for body in (pod("a.example/server:1", securityContext=context), pod("a.example/server:1")):
        body["spec"]["template"]["spec"].setdefault("securityContext", context)
        (image,) = images_of([body])
        assert config(load([image], tmp_path / "a.tar", programs), image.name)["config"].get("User") == user


def test_an_image_of_a_volume_is_there_too():
    body = pod("a.example/server:1")
    body["spec"]["template"]["spec"]["volumes"] = [{"name": "model", "image": {"reference": "a.example/model:1"}}]
    assert [each.reference for each in images_of([body])] == ["a.example/model:1", "a.example/server:1"]


@pytest.mark.skipif(not shutil.which("ldd"), reason="this machine has no ldd, by which the libraries of the shell are found")
def test_the_base_has_a_shell_with_its_libraries():
    base = base_layer()
    assert {"usr/bin/sh", "usr/bin/cmp", "usr/bin/grep"} <= set(base)
    assert any(path.endswith("libc.so.6") for path in base)
    assert isinstance(base["bin"], Link)


def test_the_operator_s_toolkit_image_has_its_installer_and_the_package_that_it_copies(tmp_path, programs):
    archive = load([image_of("nvcr.io/nvidia/k8s/container-toolkit:v1.20.0")], tmp_path / "a.tar", programs)
    [name] = manifests(archive)
    layers = [blobs(archive)["blobs/sha256/" + each["digest"].partition(":")[2]] for each in manifests(archive)[name]["layers"]]
    files = set()
    for layer in layers:
        with tarfile.open(fileobj=io.BytesIO(layer)) as tar:
            files |= set(tar.getnames())
    assert {"work/nvidia-ctk-installer", "usr/bin/nvidia-toolkit", "artifacts/deb/usr/bin/nvidia-cdi-hook"} <= files
    assert config(archive, name)["config"]["Entrypoint"] == ["/work/nvidia-ctk-installer"]
