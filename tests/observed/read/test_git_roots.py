"""No path in a file, and no link, leads out of the repository."""

import os
from pathlib import Path

import pytest

from constructs_lib.observed.read import files as module
from constructs_lib.observed.read.limits import GitRoots
from constructs_lib.observed.read.repository import read

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: secret}\n"
TALCONFIG = """\
clusterName: c
endpoint: https://a:6443
nodes: [{hostname: a, controlPlane: true, ipAddress: 1.2.3.4, patches: ['@PATH']}]
"""
OMNI = """\
kind: Cluster
name: c
kubernetes: {version: v1.34.0}
talos: {version: v1.12.0}
patches: [{file: PATH}]
---
kind: ControlPlane
machines: [a]
"""


def argo(source):
    return f"apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: a}}\nspec: {{source: {source}}}\n"


def flux(spec):
    return f"apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: a}}\nspec: {{{spec}}}\n"


@pytest.fixture(params=["git", "folder"])
def repository(request, tmp_path, monkeypatch):
    """A repository, or a folder without git, beside a folder with a secret. Nothing in the other folder is opened."""
    (tmp_path / "outside").mkdir()
    for name in ("pod.yaml", "kustomization.yaml", "Chart.yaml", "values.yaml", "patch.yaml"):
        (tmp_path / "outside" / name).write_text("resources: [pod.yaml]\n" if name.startswith("kust") else POD)
    (tmp_path / "r/base").mkdir(parents=True)
    if request.param == "git":
        (tmp_path / "r/.git").mkdir()
    monkeypatch.chdir(tmp_path / "r")
    opened = module._text
    monkeypatch.setattr(module, "_text", lambda path: opened(path) if "/outside/" not in os.path.realpath(path) else pytest.fail(str(path)))
    return tmp_path / "r"


def reasons(inputs):
    return [f"{each.file}: {each.reason}" for each in inputs.skipped]


def read_with(files):
    for path, text in files.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text)
    inputs = read(["."])
    assert "secret" not in [str(each.name) for each in inputs.objects]
    return inputs


@pytest.mark.parametrize(
    "path", ["../outside", "./../outside", "base/../../outside", "../../../../../../../../../../usr", "../../../../../../../proc"]
)
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yaml", argo("{path: PATH}")),
        ("a.yaml", argo("{path: PATH, directory: {recurse: true}}")),
        ("a.yaml", flux("path: PATH")),
        ("a.yaml", flux("path: ./base, components: [../PATH]")),
        ("kustomization.yaml", "resources: [PATH]\n"),
        ("kustomization.yaml", "bases: [PATH]\n"),
        ("kustomization.yaml", "components: [PATH]\n"),
        ("kustomization.yaml", "transformers: [PATH]\n"),
        ("kustomization.yaml", "generators: [PATH]\n"),
    ],
)
@pytest.mark.usefixtures("repository")
def test_a_folder_outside_is_named_and_not_followed(name, text, path):
    inputs = read_with({name: text.replace("PATH", path)})
    assert any(each.startswith(f"{name}: '") and each.endswith("is outside of the repository") for each in reasons(inputs))


@pytest.mark.parametrize("path", ["../outside/patch.yaml", "link/patch.yaml", "linked.yaml"])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("kustomization.yaml", "resources: [PATH]\n"),
        ("kustomization.yaml", "patches: [{path: PATH}]\n"),
        ("kustomization.yaml", "patchesStrategicMerge: [PATH]\n"),
        ("kustomization.yaml", "replacements: [{path: PATH}]\n"),
        ("kustomization.yaml", "configurations: [PATH]\n"),
        ("kustomization.yaml", "configMapGenerator: [{name: a, files: [PATH]}]\n"),
        ("kustomization.yaml", "configMapGenerator: [{name: a, files: [x=PATH]}]\n"),
        ("kustomization.yaml", "secretGenerator: [{name: a, envs: [PATH]}]\n"),
        ("kustomization.yaml", "configMapGenerator: [{name: a, env: PATH}]\n"),
        ("kustomization.yaml", "helmCharts: [{name: gpu-operator, valuesFile: PATH}]\n"),
        ("kustomization.yaml", "helmCharts: [{name: gpu-operator, additionalValuesFiles: [PATH]}]\n"),
        ("talconfig.yaml", TALCONFIG),
        ("template.yaml", OMNI),
    ],
)
def test_a_file_outside_is_named_and_not_read(repository, name, text, path):
    (repository / "link").symlink_to("../outside")
    (repository / "linked.yaml").symlink_to("../outside/patch.yaml")
    inputs = read_with({name: text.replace("PATH", path)})
    assert any(each.endswith("outside of the repository") for each in reasons(inputs))


@pytest.mark.parametrize("values", ["../../outside/values.yaml", "$here/../outside/values.yaml", "/../outside/values.yaml"])
@pytest.mark.usefixtures("repository")
def test_a_values_file_outside_is_not_read(values):
    chart = "name: c\ndependencies: [{name: gpu-operator, version: v25.10.1}]\n"
    inputs = read_with({"chart/Chart.yaml": chart, "a.yaml": argo(f"{{path: chart, helm: {{valueFiles: ['{values}']}}}}")})
    assert [each.complete for each in inputs.releases] == [False]
    assert any(each.endswith("outside of the repository") for each in reasons(inputs))


def test_links_out_of_the_repository_are_not_followed(repository):
    (repository / "a.yaml").symlink_to("../outside/pod.yaml")
    (repository / "kustomization.yaml").symlink_to("../outside/kustomization.yaml")
    (repository / "base/b.yaml").symlink_to("/etc/passwd")
    assert set(reasons(read_with({}))) == {
        f"{name}: outside of the repository" for name in ("a.yaml", "kustomization.yaml", "base/b.yaml")
    } - {"a.yaml: not included in any kustomization"}


def test_a_link_inside_of_the_repository_is_followed(repository):
    (repository / "base/pod.yaml").write_text(POD.replace("secret", "own"))
    (repository / "link").symlink_to("base")
    assert [each.name for each in read_with({"kustomization.yaml": "resources: [link/pod.yaml]\n"}).objects] == ["own"]


def test_a_folder_in_a_repository_may_lead_to_its_sisters(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "a").mkdir()
    (tmp_path / "pod.yaml").write_text(POD)
    (tmp_path / "a/kustomization.yaml").write_text("resources: [../pod.yaml]\n")
    assert [each.name for each in read([tmp_path / "a"]).objects] == ["secret"]


def test_a_given_link_may_leave_a_folder_without_git_but_no_repository(tmp_path):
    (tmp_path / "pod.yaml").write_text(POD)
    (tmp_path / "a").mkdir()
    (tmp_path / "a/link.yaml").symlink_to("../pod.yaml")
    assert [each.name for each in read([tmp_path / "a/link.yaml"]).objects] == ["secret"]
    (tmp_path / "a/.git").mkdir()
    assert reasons(read([tmp_path / "a/link.yaml"])) == [f"{tmp_path}/a/link.yaml: outside of the repository"]


@pytest.mark.parametrize("path", ["/proc/self/environ", "/proc", "/sys/kernel", "/proc/self/root/etc/passwd"])
def test_the_kernels_files_are_outside_of_everything(path):
    boundary = GitRoots([Path("/")])
    assert boundary.excludes(Path(path)) == ("root" not in path)
    assert not boundary.excludes(Path("/etc/passwd"))


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null", "/proc/self/environ"])
def test_a_device_is_never_read(path):
    assert len(read([path]).skipped) == 1


def test_a_link_to_a_device_or_a_pipe_is_never_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "a.yaml").symlink_to("/dev/zero")
    (tmp_path / "b.yaml").symlink_to("pipe")
    assert [each.reason for each in read([tmp_path]).skipped] == ["outside of the repository", "no file that has a text"]
