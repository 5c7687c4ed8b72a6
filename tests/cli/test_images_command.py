"""`talos-gpu images`."""

import json

import pytest
import yaml

from conftest import ROOT

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: ai}
spec:
  containers:
    - {name: app, image: busybox:1.37}
    - name: other
      image: "%s"
"""
MIRROR = "docker.io: registry.home.arpa/hub\nghcr.io: registry.home.arpa/ghcr\n"


@pytest.fixture
def pod(tmp_path):
    """A file with a pod, and a file with a mapping."""

    def write(image="ghcr.io/a/b:1", mirror=MIRROR):
        (tmp_path / "pod.yaml").write_text(POD % image)
        (tmp_path / "mirror.yaml").write_text(mirror)
        return tmp_path / "pod.yaml", tmp_path / "mirror.yaml"

    return write


def test_the_table_names_each_image_with_who_wants_it(pod, answer):
    path, _ = pod()

    assert answer("images", path) == (
        f"docker.io/library/busybox:1.37\n  Pod ai/a (container app)  {path}:6\n"
        f"ghcr.io/a/b:1\n  Pod ai/a (container other)  {path}:8\n\n"
        "2 images\nNot listed: the images of Kubernetes itself, which `talosctl image default` lists\n"
    )


def test_the_table_names_the_copy_behind_the_image(pod, answer):
    path, mirror = pod()

    assert "ghcr.io/a/b:1 -> registry.home.arpa/ghcr/a/b:1\n" in answer("images", path, "--mirror", mirror)


def test_the_list_has_one_image_a_line_and_with_a_mapping_its_copy(pod, answer):
    path, mirror = pod()

    assert answer("images", path, "--format", "list") == "docker.io/library/busybox:1.37\nghcr.io/a/b:1\n"
    assert answer("images", path, "--format", "list", "--mirror", mirror) == (
        "docker.io/library/busybox:1.37 registry.home.arpa/hub/library/busybox:1.37\nghcr.io/a/b:1 registry.home.arpa/ghcr/a/b:1\n"
    )


def test_the_json_has_tag_digest_place_and_copy(pod, answer):
    digest = f"sha256:{'0a' * 32}"
    path, mirror = pod(f"ghcr.io/a/b:1@{digest}")
    found = json.loads(answer("images", path, "--format", "json", "--mirror", mirror))

    assert found["unknown"] == []
    assert found["images"][1] == {
        "image": f"ghcr.io/a/b@{digest}",
        "mirror": f"registry.home.arpa/ghcr/a/b@{digest}",
        "registry": "ghcr.io",
        "path": "a/b",
        "tag": "1",
        "digest": digest,
        "wanted_by": [{"name": "Pod ai/a", "part": "container other", "written": f"ghcr.io/a/b:1@{digest}", "file": str(path), "line": 8}],
    }


def test_what_is_not_known_is_named_and_is_no_image(pod, run):
    path, _ = pod("${IMAGE}")
    status, out, err = run("images", path, "--format", "list")

    assert (status, out) == (0, "docker.io/library/busybox:1.37\n")
    assert err == f"talos-gpu images: not known: {path}:8: Pod ai/a: another tool fills in the image ${{IMAGE}}\n"


def test_a_file_that_was_not_read_is_named(tmp_path, run):
    (tmp_path / "a.yaml").write_text("apiVersion: v1\nkind: Pod\nspec: [\n")
    (tmp_path / "pod.yaml").write_text(POD % "a:1")
    _, out, err = run("images", tmp_path)

    assert "of 1 place the images are not known" in out
    assert err.startswith(f"talos-gpu images: not known: {tmp_path}/a.yaml:4 was not read: ")


def test_hostile_text_of_files_is_shown_and_not_obeyed(pod, run):
    path, _ = pod("a b\\e[31m")
    _, out, err = run("images", path)

    assert "\x1b" not in out + err
    assert "\\x1b" in err


def test_images_without_an_entry_are_refused_in_one_error(pod, refusal):
    path, mirror = pod(mirror="nvcr.io: registry.home.arpa\n")

    assert refusal("images", path, "--mirror", mirror) == (
        f"--mirror must be a mapping with an entry for every image (got '{mirror}'); "
        "add 'docker.io', 'ghcr.io' for docker.io/library/busybox:1.37, ghcr.io/a/b:1"
    )


@pytest.mark.parametrize(
    ("mirror", "expected"),
    [
        ("a.io: b.io\nb.io: a.io\n", "without a loop"),
        ("nvcr.io: https://a.io\n", "'mirror[nvcr.io]' must be a registry with or without a folder"),
        ("busybox: a.io/b\ndocker.io/library/busybox: a.io/c\n", "one spelling of each key"),
        ("a: [\n", "must be YAML with one mapping"),
    ],
)
def test_a_wrong_mapping_is_refused_with_its_file(mirror, expected, pod, refusal):
    path, file = pod(mirror=mirror)
    error = refusal("images", path, "--mirror", file)

    assert error.startswith(f"{file}: ")
    assert expected in error


def test_the_mirrors_of_talos_have_the_form_of_the_version(pod, run):
    path, mirror = pod()
    arguments = ("images", path, "--mirror", mirror, "--format", "talos", "--talos")

    assert [each["name"] for each in yaml.safe_load_all(run(*arguments, "1.14.0")[1])] == ["docker.io", "ghcr.io"]
    assert yaml.safe_load(run(*arguments, "1.11.6")[1]).keys() == {"machine"}


MACHINE = """\
machine: {type: worker, token: a.b, ca: {crt: YQ==}, network: {hostname: gpu1}}
cluster: {id: a, secret: b, token: c.d, ca: {crt: YQ==}, controlPlane: {endpoint: https://10.0.0.1:6443}}
"""
CATCH_ALL = {
    "1.14.0": "---\napiVersion: v1alpha1\nkind: RegistryMirrorConfig\nname: '*'\nendpoints: [{url: https://cache.home.arpa}]\nskipFallback: true\n",
    "1.11.6": "",
}


@pytest.mark.parametrize("talos", CATCH_ALL)
def test_the_mirror_of_every_registry_in_a_machine_configuration_is_not_bypassed(talos, pod, tmp_path, run):
    path, mirror = pod()
    older = "{registries: {mirrors: {'*': {endpoints: [https://cache.home.arpa], skipFallback: true}}}, "
    machine = MACHINE if CATCH_ALL[talos] else MACHINE.replace("machine: {", f"machine: {older}")
    (tmp_path / "worker.yaml").write_text(machine + CATCH_ALL[talos])
    status, out, err = run("images", path, tmp_path / "worker.yaml", "--mirror", mirror, "--format", "talos", "--talos", talos)

    assert (status, err) == (0, "")
    assert out.count("https://cache.home.arpa") == out.count("skipFallback: true") == 2


def test_a_machine_configuration_without_such_a_mirror_needs_none_and_an_unread_one_is_named(pod, tmp_path, run):
    path, mirror = pod()
    arguments = ("--mirror", mirror, "--format", "talos", "--talos", "1.14.0")
    (tmp_path / "worker.yaml").write_text(MACHINE)
    _, seen, silent = run("images", path, tmp_path / "worker.yaml", *arguments)
    _, unseen, err = run("images", path, *arguments)

    assert (seen, silent) == (unseen, "")
    assert err.startswith("talos-gpu images: not known: whether the nodes have a mirror '*': no whole machine configuration was read")
    (tmp_path / "worker.yaml").write_text(MACHINE + CATCH_ALL["1.14.0"].replace("https://cache.home.arpa", "'${CACHE}'"))
    assert "whether the nodes have a mirror '*'" in run("images", path, tmp_path / "worker.yaml", *arguments)[2]


def test_the_mirrors_of_talos_need_a_mapping_and_a_version(pod, refusal):
    path, mirror = pod()

    assert (
        refusal("images", path, "--format", "talos")
        == "--format must be given with --mirror (got 'talos'); the file says where the copies are"
    )
    assert refusal("images", path, "--format", "talos", "--mirror", mirror) == (
        "--talos must be given with --format talos: the form depends on the version, and no file states the version"
    )


DIGEST = f"sha256:{'0a' * 32}"


def test_every_printed_image_and_its_copy_has_its_digest(pod, tmp_path, answer):
    path, mirror = pod()
    (tmp_path / "digests.txt").write_text(f"# by crane digest\nbusybox:1.37@{DIGEST}\n\nghcr.io/a/b:1@{DIGEST}\n")
    arguments = ("images", path, "--mirror", mirror, "--digests", tmp_path / "digests.txt", "--format")

    assert answer(*arguments, "list") == (
        f"docker.io/library/busybox:1.37@{DIGEST} registry.home.arpa/hub/library/busybox:1.37@{DIGEST}\n"
        f"ghcr.io/a/b:1@{DIGEST} registry.home.arpa/ghcr/a/b:1@{DIGEST}\n"
    )
    assert f"ghcr.io/a/b:1@{DIGEST} -> registry.home.arpa/ghcr/a/b:1@{DIGEST}\n" in answer(*arguments, "text")
    rows = json.loads(answer(*arguments, "json"))["images"]
    assert [(each["image"], each["tag"], each["digest"]) for each in rows] == [
        (f"docker.io/library/busybox:1.37@{DIGEST}", "1.37", DIGEST),
        (f"ghcr.io/a/b:1@{DIGEST}", "1", DIGEST),
    ]


def test_an_image_that_the_digests_lack_is_named_and_nothing_is_printed(pod, tmp_path, refusal):
    path, _ = pod()
    (tmp_path / "digests.txt").write_text(f"busybox:1.37@{DIGEST}\n")

    assert refusal("images", path, "--digests", tmp_path / "digests.txt", "--format", "list") == (
        f"--digests must be a list with the digest of every image (got '{tmp_path}/digests.txt'); none has ghcr.io/a/b:1"
    )


@pytest.mark.parametrize("text", ["", "busybox:1.37\n", "images:\n- a\n", "\x00"])
def test_a_wrong_list_of_digests_is_refused_with_its_file(text, pod, tmp_path, refusal):
    path, _ = pod()
    (tmp_path / "digests.txt").write_text(text)

    assert refusal("images", path, "--digests", tmp_path / "digests.txt").startswith(f"{tmp_path}/digests.txt: 'digests' must be ")


def test_digests_are_refused_beside_mirrors_of_talos_which_name_no_image(pod, tmp_path, refusal):
    path, mirror = pod()

    assert refusal("images", path, "--mirror", mirror, "--format", "talos", "--digests", tmp_path / "d") == (
        f"--digests must be left out with --format talos (got '{tmp_path}/d'); a mirror is of a registry, and names no image"
    )


def test_a_path_must_be_given(refusal):
    assert refusal("images") == "a PATH must be given, a file or a folder; - is standard input"


def test_a_path_in_which_nothing_was_read_is_named_and_no_success(tmp_path, run):
    (tmp_path / "a.txt").write_text("busybox\n")
    status, _, err = run("images", tmp_path)

    assert (status, err) == (2, f"talos-gpu images: {tmp_path}: no Kubernetes object, chart or node configuration was read\n")


@pytest.mark.parametrize("cluster", sorted(path.name for path in (ROOT / "dist").iterdir()))
def test_every_image_of_a_cluster_of_ours_is_known(cluster, run):
    status, out, err = run("images", ROOT / "dist" / cluster, "--talos", "1.14.0", "--format", "list")

    assert (status, err) == (0, "")
    assert "factory.talos.dev/metal-installer/" in out
    assert all("/" in line and (":" in line or "@" in line) for line in out.splitlines())


def test_the_images_of_a_cluster_file_are_named_by_the_files_that_synth_writes(answer, tmp_path):
    (tmp_path / "home.yaml").write_text("talos: 1.14.6\nnodes: {gpu-1: {card: RTX 4090}}\nworkloads: {ollama: {recipe: Ollama}}\n")

    assert "Deployment workloads/ollama (container ollama)  manifests/workloads.k8s.yaml:" in answer("images", tmp_path / "home.yaml")
