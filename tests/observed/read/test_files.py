"""No file, and no tree of files, stops a reading."""

import os
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conftest import drawn
from constructs_lib.observed.read import files as module
from constructs_lib.observed.read import limits
from constructs_lib.observed.read.files import Files
from constructs_lib.observed.read.repository import read

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"


@pytest.fixture(autouse=True)
def _in(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def skipped(inputs):
    return [(each.file, each.reason) for each in inputs.skipped]


def test_a_file_that_is_not_there_is_skipped():
    assert skipped(read(["nothing.yaml"])) == [("nothing.yaml", "No such file or directory")]


def test_a_file_that_may_not_be_read_is_skipped(monkeypatch):
    Path("a.yaml").write_text(POD)
    monkeypatch.setattr(
        Path, "open", lambda *_: (_ for _ in ()).throw(PermissionError(13, "Permission denied"))
    )  # root may read everything
    assert skipped(read(["a.yaml"])) == [("a.yaml", "Permission denied")]


@pytest.mark.parametrize(
    ("content", "reason"), [(b"\x00\x01", "binary"), (b"apiVersion: v1\n\xff\xfe", "no text in UTF-8"), (b"a: 1\n" + bytes(9000), "binary")]
)
def test_what_is_no_text_is_skipped(content, reason):
    Path("a.yaml").write_bytes(content)
    assert skipped(read(["."])) == [("a.yaml", reason)]


def test_a_file_of_a_hundred_megabytes_is_skipped_without_being_opened(monkeypatch):
    with Path("a.yaml").open("wb") as file:
        file.truncate(100_000_000)
    monkeypatch.setattr(Path, "open", lambda path, *_, **__: pytest.fail(f"{path} was opened"))
    assert skipped(read(["."])) == [("a.yaml", "larger than 20 MB")]


def test_the_beginning_of_a_file_may_end_inside_a_character():
    Path("a.yaml").write_text("nvidia ö", encoding="utf-8")

    assert Files().beginning(Path("a.yaml").resolve(), len("nvidia ") + 1) == "nvidia \N{REPLACEMENT CHARACTER}"


def test_a_pipe_is_skipped():
    os.mkfifo("a.yaml")
    assert skipped(read(["a.yaml"])) == [("a.yaml", "no file that has a text")]


def test_the_mark_of_utf_8_is_no_part_of_the_text():
    Path("a.yaml").write_bytes(b"\xef\xbb\xbf" + POD.encode())
    assert [each.name for each in read(["a.yaml"]).objects] == ["p"]


def test_circles_of_links_end():
    Path("a").mkdir()
    Path("a/up").symlink_to("..")
    Path("a/self.yaml").symlink_to("self.yaml")
    Path("a/gone.yaml").symlink_to("nothing.yaml")
    Path("a/kustomization.yaml").write_text("resources: [pod.yaml, up/a, self.yaml]\n")
    Path("a/pod.yaml").write_text(POD)
    inputs = read(["."])
    assert [each.name for each in inputs.objects] == ["p"]
    assert ("a/up/a/kustomization.yaml", "the kustomization includes itself") in skipped(inputs)
    assert ("a/self.yaml", "Too many levels of symbolic links") in skipped(inputs)


def test_a_link_to_a_file_is_that_file():
    Path(".git").mkdir()
    Path("a.yaml").write_text(POD)
    Path("b").mkdir()
    Path("b/b.yaml").symlink_to("../a.yaml")
    assert [each.file for each in read(["b"]).objects] == ["b/b.yaml"]


def test_names_that_no_file_can_have_lead_nowhere():
    long = "x" * 300
    Path("kustomization.yaml").write_text(f'resources: ["a\\0b", {long}, ""]\ncomponents: ["\\0", {long}]\npatches: [{{path: "\\0"}}]\n')
    assert read(["."]).objects == ()


@pytest.mark.parametrize("name", ["node_modules", ".git", ".venv", "vendor", "__pycache__"])
def test_folders_that_hold_nothing_of_ones_own_are_passed_by(name):
    Path(name).mkdir()
    Path(name, "a.yaml").write_text(POD)
    inputs = read(["."])
    assert (inputs.objects, inputs.skipped) == ((), ())


def test_files_are_named_as_they_were_given(tmp_path):
    for path in ("one/a.yaml", "one/two/b.yaml"):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(POD)
    assert [each.file for each in read(["."]).objects] == ["one/a.yaml", "one/two/b.yaml"]
    assert [each.file for each in read(["one"]).objects] == ["one/a.yaml", "one/two/b.yaml"]
    assert [each.file for each in read(["one/../one/a.yaml"]).objects] == ["one/../one/a.yaml"]
    assert [each.file for each in read([tmp_path / "one"]).objects] == [f"{tmp_path}/one/a.yaml", f"{tmp_path}/one/two/b.yaml"]


def test_a_file_is_read_once(monkeypatch):
    Path("a.yaml").write_text(POD)
    texts = []
    monkeypatch.setattr(module, "_text", lambda path: texts.append(path) or POD)
    files = Files()
    assert files.documents(Path("a.yaml")) is files.documents(Path("a.yaml").absolute())
    assert len(texts) == 1


def test_several_paths_are_one_cluster():
    Path("a.yaml").write_text(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: r}\nspec: {chartRef: {kind: OCIRepository, name: o}}\n"
    )
    Path("b.yaml").write_text(
        "apiVersion: v1\nkind: OCIRepository\nmetadata: {name: o}\nspec: {url: 'oci://x/gpu-operator', ref: {tag: v1}}\n"
    )
    assert [each.label for each in read(["a.yaml", "b.yaml"]).releases] == ["gpu-operator v1 (r)"]


leaves = (
    st.none()
    | st.booleans()
    | st.integers(-3, 9)
    | st.sampled_from(["", "a", "b", ".", "..", "../b", "x.yaml", "${X}", "{{ x }}", "[", "*", "nvdp", "/", "a=b"])
)
KEYS = [
    "resources", "components", "bases", "namespace", "patches", "patch", "path", "target", "kind", "name", "labels", "pairs", "images", "replicas",
    "configMapGenerator", "files", "literals", "envs", "behavior", "options", "helmCharts", "valuesFile", "valuesInline", "additionalValuesFiles",
    "transformers", "replacements", "targets", "fieldPaths", "select", "patchesStrategicMerge", "patchesJson6902", "commonLabels", "secretGenerator",
    "spec", "metadata", "chart", "chartRef", "values", "valuesFrom", "valuesKey", "targetPath", "source", "sources", "helm", "valueFiles", "parameters",
    "valuesObject", "generators", "git", "directories", "list", "elements", "matrix", "template", "destination", "kustomize", "directory", "recurse",
    "sourceRef", "targetNamespace", "postBuild", "substitute", "commonMetadata", "syncPolicy", "managedNamespaceMetadata", "selector", "items", "data",
    "matchExpressions", "exclude", "include", "version", "ref", "url", "tag", "op", "value", "$patch", "dependencies", "alias", "condition", "repoURL",
]  # fmt: skip
trees = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5), max_leaves=25
)
KINDS = [
    ("kustomize.toolkit.fluxcd.io/v1", "Kustomization"), ("helm.toolkit.fluxcd.io/v2", "HelmRelease"), ("argoproj.io/v1alpha1", "Application"),
    ("argoproj.io/v1alpha1", "ApplicationSet"), ("source.toolkit.fluxcd.io/v1", "OCIRepository"), ("v1", "ConfigMap"), ("v1", "List"),
    ("apps/v1", "Deployment"), ("builtin", "NamespaceTransformer"), ("builtin", "PatchTransformer"), ("upgrade.cattle.io/v1", "Plan"), ("v1", "Pod"),
]  # fmt: skip
objects = st.builds(
    lambda head, body: {**(body if isinstance(body, dict) else {"spec": body}), "apiVersion": head[0], "kind": head[1]},
    st.sampled_from(KINDS),
    trees,
)
NAMES = [
    "kustomization.yaml",
    "a/kustomization.yaml",
    "b/kustomization.yaml",
    "a/x.yaml",
    "b/x.yaml",
    "x.yaml",
    "a/values.yaml",
    "Chart.yaml",
    "a/Chart.yaml",
]
texts = st.one_of(st.builds(yaml.safe_dump, trees), st.builds(yaml.safe_dump_all, st.lists(objects, min_size=1, max_size=3)))


@given(st.dictionaries(st.sampled_from(NAMES), texts, max_size=6))
@settings(
    max_examples=drawn(300),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.data_too_large],
)
def test_no_tree_of_files_is_a_crash(tmp_path_factory, files):
    folder = tmp_path_factory.mktemp("tree")
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    whole = read([folder])
    for each in (*whole.objects, *whole.releases, *whole.node_configs):
        assert each.label is not None
        assert each.line_of(("spec", "values", 0)) is not None
    for path in files:
        read([folder / path], chart="nvdp")


def test_a_reading_goes_on_as_long_as_its_budget_lasts(monkeypatch):
    monkeypatch.setattr(limits, "MOST", 3)
    files = Files()

    assert [files.may_spend(1, ("a.yaml", 2)) for _ in range(5)] == [True, True, True, False, False]
    assert [(each.file, each.line) for each in files.skipped] == [("a.yaml", 2)]


def test_an_object_with_items_that_is_no_list_is_one_object(tmp_path):
    (tmp_path / "a.yaml").write_text("apiVersion: example.com/v1\nkind: Basket\nmetadata: {name: b}\nitems: [{kind: Apple}]\n")

    assert [each.kind for each in read(["a.yaml"]).objects] == ["Basket"]
