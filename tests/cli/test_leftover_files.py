"""`talos-gpu upgrade --leftovers`: the objects to delete, found in files and folders."""

import json

import pytest
import yaml
from command_line import WORKS

from conftest import ROOT


@pytest.fixture
def repository(tmp_path):
    """Two folders of a GitOps repository, and what is no manifest beside them."""
    for name, cluster in (("a", "operator-flux"), ("b", "standalone-shared")):
        folder = tmp_path / name / "manifests"
        folder.mkdir(parents=True)
        for file in (ROOT / "dist" / cluster / "manifests").glob("*.yaml"):
            (folder / file.with_suffix(".yml" if name == "b" else ".yaml").name).write_text(file.read_text())
    (tmp_path / "a" / "README.md").write_text("{{ not yaml")
    (tmp_path / "a" / "list.yaml").write_text("- 5\n---\n---\ntext\n")
    return tmp_path


LEFT = [
    (
        "kubectl delete daemonset nvidia-validation-bridge --namespace nvidia-gpu-operator",
        "the bridge writes marker files for the operator's pods up to Talos 1.12; from Talos 1.13 on the operator's validator does",
    ),
    ("kubectl delete runtimeclass nvidia", "the operator creates this RuntimeClass and owns it"),
    (
        "kubectl delete daemonset nvidia-device-plugin --namespace nvidia-device-plugin",
        "the operator runs its own device plugin, and the kubelet listens to only one",
    ),
    (
        "kubectl delete daemonset nvidia-device-plugin-gpu-feature-discovery --namespace nvidia-device-plugin",
        "the operator runs its own GPU feature discovery, and two of them set the same labels",
    ),
]


def test_leftovers_are_commands_with_their_reasons(answer, repository):
    arguments = ["upgrade", *WORKS["upgrade"], "--new-route", "operator", "--leftovers"]

    assert answer(*arguments, repository) == "".join(f"{command}  # {reason}\n" for command, reason in LEFT)
    assert answer(*arguments, repository / "b", repository / "a") == "".join(
        f"{command}  # {reason}\n" for command, reason in [*LEFT[1:], LEFT[0]]
    )
    assert answer(*arguments, repository / "a" / "manifests" / "gpu-operator.k8s.yaml").count("\n") == 1
    assert answer("upgrade", *WORKS["upgrade"], "--leftovers", repository) == f"{LEFT[0][0]}  # {LEFT[0][1]}\n"


def test_leftovers_are_json_too(answer, repository):
    out = answer("upgrade", *WORKS["upgrade"], "--leftovers", repository, "--format", "json")

    assert out.startswith('[\n  {\n    "kind": ')
    assert json.loads(out) == [
        {"kind": "DaemonSet", "namespace": "nvidia-gpu-operator", "name": "nvidia-validation-bridge", "reason": LEFT[0][1]},
    ]  # fmt: skip


def test_nothing_left_is_said_so(answer, repository):
    arguments = ["upgrade", "--talos", "1.13.8", "--to", "1.13.9", "--leftovers", repository]

    assert answer(*arguments) == "# no leftovers\n"
    assert answer(*arguments, "--format", "json") == "[]\n"


def test_what_kubectl_prints_holds_leftovers_too(answer, tmp_path):
    bridge = next(yaml.safe_load_all((ROOT / "dist/standalone-shared/manifests/gpu.k8s.yaml").read_text().partition("---\n")[2]))
    path = tmp_path / "cluster.yaml"
    path.write_text(yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": [bridge]}))

    assert answer("upgrade", *WORKS["upgrade"], "--new-route", "operator", "--leftovers", path) == f"{LEFT[1][0]}  # {LEFT[1][1]}\n"


def test_manifests_may_be_json(answer, tmp_path):
    folder = tmp_path / "manifests"
    folder.mkdir()
    bridge = next(yaml.safe_load_all((ROOT / "dist/standalone-shared/manifests/gpu.k8s.yaml").read_text().partition("---\n")[2]))
    (folder / "a.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [bridge]}, indent="\t"))

    for path in (folder, folder / "a.json"):
        assert answer("upgrade", *WORKS["upgrade"], "--new-route", "operator", "--leftovers", path) == f"{LEFT[1][0]}  # {LEFT[1][1]}\n"


HEAD = b"apiVersion: v1\nkind: Pod\n"
# What looks like a manifest, and what can't be one: it has no object of Kubernetes.
BROKEN = [
    (
        "chart.yaml",
        HEAD + b"a: [{{ .Values.a }}\n",
        4,
        "a template that is not YAML before it is rendered: did not find expected ',' or ']'",
    ),
    ("a.yml", HEAD + b"spec: [\n", 4, "not YAML: did not find expected node content"),
    ("secret.yaml", HEAD + b"sops: {mac: a}\n", 1, "encrypted with SOPS"),
]
NO_MANIFEST = [
    ("tsconfig.json", b"// ours\n{}\n", 1, "neither a manifest nor a document of Talos"),
    ("values.yaml", b"ui: {enabled: false}\n", 1, "neither a manifest nor a document of Talos"),
    ("kind.yml", b"kind: [\n", 2, "not YAML: did not find expected node content"),
]


@pytest.mark.parametrize(("name", "written", "line", "why"), [*BROKEN, *NO_MANIFEST])
def test_a_file_that_is_no_manifest_is_refused_by_its_name(name, written, line, why, refusal, tmp_path):
    path = tmp_path / name
    path.write_bytes(written)
    said = refusal("upgrade", *WORKS["upgrade"], "--leftovers", path)

    assert said == f"--leftovers must be files of manifests (got {str(path)!r}); line {line}: {why}"


@pytest.mark.parametrize(("name", "written", "line", "why"), [*BROKEN, ("image.yaml", b"\xff\xfe\x00", None, "binary")])
def test_what_can_not_be_read_in_a_folder_is_named_and_the_rest_is_read(name, written, line, why, run, repository):
    path = repository / "a" / name
    path.write_bytes(written)
    status, out, err = run("upgrade", *WORKS["upgrade"], "--leftovers", repository)

    assert (status, out) == (0, f"{LEFT[0][0]}  # {LEFT[0][1]}\n")
    assert err == f"talos-gpu upgrade: warning: {path}{f':{line}' if line else ''} was not read: {why}\n"


@pytest.mark.parametrize(("name", "written", "line", "why"), NO_MANIFEST)
def test_what_can_be_no_manifest_is_passed_over_in_a_folder(name, written, line, why, run, repository):
    (repository / "a" / name).write_bytes(written)

    assert run("upgrade", *WORKS["upgrade"], "--leftovers", repository) == (0, f"{LEFT[0][0]}  # {LEFT[0][1]}\n", "")


def test_a_template_in_a_folder_is_named(run, repository):
    path = repository / "a" / "bridge.yaml.j2"
    path.write_bytes(HEAD)

    assert run("upgrade", *WORKS["upgrade"], "--leftovers", repository) == (
        0,
        f"{LEFT[0][0]}  # {LEFT[0][1]}\n",
        f"talos-gpu upgrade: warning: {path} was not read: a template: only rendered manifests are checked\n",
    )


def test_nothing_has_to_go_is_not_said_of_what_was_not_read(run, tmp_path):
    (tmp_path / "a.yaml").write_bytes(BROKEN[0][1])
    (tmp_path / "b.yaml").write_bytes(HEAD)
    status, out, err = run("upgrade", *WORKS["upgrade"], "--leftovers", tmp_path)

    assert (status, out) == (0, "# no leftovers in the files that were read; see the warnings for the others\n")
    assert err.startswith(f"talos-gpu upgrade: warning: {tmp_path / 'a.yaml'}:4 was not read: ")


def test_one_document_that_is_no_manifest_is_named_and_the_rest_of_its_file_is_read(run, tmp_path):
    path = tmp_path / "gpu.yaml"
    path.write_text("a: 1\n---\n" + (ROOT / "dist/operator-flux/manifests/gpu-operator.k8s.yaml").read_text())

    assert run("upgrade", *WORKS["upgrade"], "--leftovers", path) == (
        0,
        f"{LEFT[0][0]}  # {LEFT[0][1]}\n",
        f"talos-gpu upgrade: warning: {path}:1 was not read: neither a manifest nor a document of Talos\n",
    )


KUSTOMIZED = """\
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
helmCharts:
- {name: nvdp, repo: https://nvidia.github.io/k8s-device-plugin, version: 0.17.1, releaseName: plugin, namespace: gpu}
- {name: cilium, repo: https://helm.cilium.io, version: 1.18.0, releaseName: cilium, namespace: kube-system}
"""


@pytest.mark.parametrize("given", [".", "gpu", "gpu/kustomization.yaml"])
def test_a_chart_that_kustomize_renders_is_left_out_of_its_file(given, answer, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gpu").mkdir()
    (tmp_path / "gpu" / "kustomization.yaml").write_text(KUSTOMIZED)

    assert answer("upgrade", *WORKS["upgrade"], "--new-route", "operator", "--leftovers", given) == (
        "# remove the chart nvidia-device-plugin in gpu  # the release installs a device plugin, and the operator runs its own "
        "(gpu/kustomization.yaml:4)\n"
    )


def test_a_setting_of_a_chart_that_kustomize_renders_is_taken_out_of_its_values(answer, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    values = "valuesInline: {hostPaths: {driverInstallDir: /usr/local/glibc}}"
    (tmp_path / "kustomization.yaml").write_text(f"helmCharts:\n- name: gpu-operator\n  version: v26.7.0\n  namespace: gpu\n  {values}\n")

    assert answer("upgrade", *WORKS["upgrade"], "--leftovers", "kustomization.yaml") == (
        "# remove the setting helmCharts.0.valuesInline.hostPaths.driverInstallDir of the chart gpu-operator in gpu  # the setting names "
        "/usr/local/glibc, where Talos 1.13 has no driver (kustomization.yaml:5)\n"
    )


def test_the_configuration_of_nodes_is_read_beside_manifests(answer, tmp_path):
    (tmp_path / "gpu.yaml").write_text("machine:\n  files:\n    - {path: /var/a, op: create, content: /usr/local/glibc/usr/lib}\n")

    assert answer("upgrade", *WORKS["upgrade"], "--leftovers", tmp_path) == (
        f"# remove the setting machine.files.0.content of the node configuration gpu.yaml  # the setting names "
        f"/usr/local/glibc, where Talos 1.13 has no driver ({tmp_path / 'gpu.yaml'}:3)\n"
    )
    assert answer("upgrade", "--talos", "1.13.8", "--to", "1.13.9", "--leftovers", tmp_path) == "# no leftovers\n"


def test_an_application_with_the_old_library_path_is_a_comment_with_the_line(answer, tmp_path):
    path = tmp_path / "plex.yaml"
    path.write_text("""\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: plex, namespace: media}
spec:
  template:
    spec:
      containers:
      - name: plex
        image: plex:1
        env: [{name: LD_LIBRARY_PATH, value: /usr/local/glibc/usr/lib}]
""")
    (line,) = answer("upgrade", *WORKS["upgrade"], "--leftovers", path).splitlines()

    assert line.startswith("# remove /usr/local/glibc from the pod spec of the StatefulSet plex in media  # ")
    assert line.endswith(f"({path}:10)")
