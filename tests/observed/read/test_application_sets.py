import pytest

from constructs_lib.observed.model import Unknown
from constructs_lib.observed.read import limits
from constructs_lib.observed.read.repository import read

OWN = "https://example.com/me/cluster.git"
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"


def application_set(generators, source, namespace="'{{path.basename}}'", more=""):
    return f"""\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {{name: all}}
spec:
  generators: {generators}
  template:
    metadata: {{name: "{{{{name}}}}"}}
    spec:
      source: {source}
      destination: {{namespace: {namespace}}}
{more}"""


PATHS = f"{{repoURL: {OWN}, path: '{{{{path}}}}'}}"
GO_PATHS = f"{{repoURL: {OWN}, path: '{{{{ .path.path }}}}'}}"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """What a folder becomes that has this ApplicationSet, and a pod in each of these folders."""
    monkeypatch.chdir(tmp_path)

    def make(text, *folders, files=()):
        for path, content in {"set.yaml": text, **{f"{each}/pod.yaml": POD for each in folders}, **dict(files)}.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(content)
        return read(["."])

    return make


def pods(inputs):
    return sorted((each.file, each.namespace) for each in inputs.of_kind("Pod"))


@pytest.mark.parametrize(
    ("source", "namespace"),
    [
        (PATHS, "'{{path.basename}}'"),
        (GO_PATHS, "'{{.path.basename}}'"),
        (PATHS, "'{{path[1]}}'"),
        (GO_PATHS, "'{{ index .path.segments 1 }}'"),
        (PATHS.replace("{{path}}", "{{`{{ path }}`}}"), """'{{ "{{" }}path.basename{{ "}}" }}'"""),
    ],
)
def test_folders_of_git_are_applications(folder, source, namespace):
    text = application_set("[{git: {directories: [{path: apps/*}, {path: apps/c, exclude: true}]}}]", source, namespace)
    assert pods(folder(text, "apps/a", "apps/b", "apps/c", "other")) == [("apps/a/pod.yaml", "a"), ("apps/b/pod.yaml", "b")]


def test_files_of_git_are_applications_with_what_they_hold(folder):
    text = application_set(
        "[{git: {files: [{path: 'apps/*/config.yaml'}], values: {ns: 'x-{{.namespace}}'}}}]", GO_PATHS, "'{{ .values.ns }}'"
    )
    files = {"apps/a/config.yaml": "namespace: one\n", "apps/b/config.yaml": "- namespace: two\n- namespace: three\n"}
    assert pods(folder(text, "apps/a", "apps/b", files=files)) == [
        ("apps/a/pod.yaml", "x-one"),
        ("apps/b/pod.yaml", "x-three"),
        ("apps/b/pod.yaml", "x-two"),
    ]


def test_lists_and_their_products_are_applications(folder):
    generators = """
  - matrix:
      generators:
      - list: {elements: [{cluster: c}]}
      - list: {elements: [{dir: a, ns: one}, {dir: b, enabled: 'false'}, {dir: c}]}
        selector: {matchExpressions: [{key: enabled, operator: NotIn, values: ['false']}]}"""
    source = f"{{repoURL: {OWN}, path: 'apps/{{{{.dir}}}}'}}"
    namespace = """'{{ if hasKey . "ns" }}{{ .ns }}{{ else }}{{ .cluster }}{{ end }}'"""
    assert pods(folder(application_set(generators, source, namespace), "apps/a", "apps/b", "apps/c")) == [
        ("apps/a/pod.yaml", "one"),
        ("apps/c/pod.yaml", "c"),
    ]


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("{matchExpressions: [{key: active, operator: In, values: [true]}]}", ["a"]),
        ("{matchLabels: {dir: b}}", ["b"]),
        ("{matchExpressions: [{key: active, operator: Exists}]}", ["a", "b"]),
    ],
)
def test_a_selector_chooses_among_what_is_generated(folder, selector, expected):
    generators = f"[{{list: {{elements: [{{dir: a, active: 'True'}}, {{dir: b}}]}}, selector: {selector}}}]".replace("true]", "'True']")
    text = application_set(generators, f"{{repoURL: {OWN}, path: '{{{{dir}}}}'}}", "n")
    assert [file for file, _ in pods(folder(text, "a", "b"))] == [f"{each}/pod.yaml" for each in expected]


@pytest.mark.parametrize("generator", ["{clusters: {}}", "{scmProvider: {}}", "{pullRequest: {}}", "{plugin: {}}"])
def test_what_other_generators_would_give_is_unknown(folder, generator):
    source = "{chart: gpu-operator, targetRevision: '{{metadata.labels.version}}', helm: {valuesObject: {driver: {enabled: false}}}}"
    (release,) = folder(application_set(f"[{generator}]", source, "'{{name}}'")).releases
    assert (release.chart, release.values) == ("gpu-operator", {"driver": {"enabled": False}})
    assert isinstance(release.version, Unknown)
    assert isinstance(release.namespace, Unknown)
    assert release.line_of((*release.values_path, "driver", "enabled")) == 9


def test_a_path_that_is_unknown_is_not_followed(folder):
    inputs = folder(application_set("[{clusters: {}}]", PATHS), "apps")
    assert [each.kind for each in inputs.objects] == ["Application", "ApplicationSet", "Pod"]
    assert inputs.objects[-1].namespace is None


def test_a_patch_that_gives_the_folder_as_source_and_labels_to_the_namespace(folder):
    patch = "  templatePatch: |\n    {{ if x }}\n    spec: {source: {path: '{{.path.path}}'}, syncPolicy: {managedNamespaceMetadata: {{ toJson .managedNamespaceMetadata }}}}\n"
    config = "namespace: one\nmanagedNamespaceMetadata: {labels: {a: b}}\n"
    text = application_set("[{git: {files: [{path: 'apps/*/config.yaml'}]}}]", "x", "'{{.namespace}}'", patch).replace(
        "      source: x\n", ""
    )
    inputs = folder(text, "apps/a/deep", files={"apps/a/config.yaml": config})
    assert pods(inputs) == [("apps/a/deep/pod.yaml", "one")]
    assert [(each.name, each.labels) for each in inputs.of_kind("Namespace")] == [("one", {"a": "b"})]


@pytest.mark.parametrize("path", ["../*", "**/**", "/", "'${X}'", "7", "'['", "[]"])
def test_a_pattern_that_can_not_be_followed_is_none(folder, path):
    assert pods(folder(application_set(f"[{{git: {{directories: [{{path: {path}}}]}}}}]", PATHS), "a")) in ([("a/pod.yaml", None)], [])


def test_a_chart_in_a_set_over_folders_of_another_repository_is_read(folder):
    source = "{repoURL: https://helm.ngc.nvidia.com/nvidia, chart: gpu-operator, targetRevision: v25.10.1}"
    [release] = folder(
        application_set("[{git: {repoURL: https://example.com/other.git, directories: [{path: clusters/*}]}}]", source)
    ).releases

    assert (release.chart, release.version) == ("gpu-operator", "v25.10.1")
    assert isinstance(release.namespace, Unknown)


def test_a_matrix_is_cut_where_it_generates_too_much_even_if_its_selector_matches_nothing(folder):
    elements = ", ".join(f"{{n: '{number}'}}" for number in range(30))
    lists = ", ".join([f"{{list: {{elements: [{elements}]}}}}"] * 6)
    text = application_set(f"[{{matrix: {{generators: [{lists}]}}, selector: {{matchLabels: {{n: x}}}}}}]", PATHS)
    inputs = folder(text, "a")
    assert [each.reason for each in inputs.skipped if "generates" in each.reason] == [
        "the ApplicationSet all generates more than 5000 Applications"
    ]


def test_a_large_template_is_filled_in_fewer_times(folder):
    elements = ", ".join(f"{{n: '{number}'}}" for number in range(300))
    source = f"{{repoURL: x, chart: c, helm: {{valuesObject: {{a: [{'b, ' * 10_000}]}}}}}}"
    inputs = folder(application_set(f"[{{list: {{elements: [{elements}]}}}}]", source), "a")
    assert len(inputs.releases) < 200
    assert any("generates more than 199 Applications" in each.reason for each in inputs.skipped)


def test_the_files_that_a_git_generator_searches_are_limited(folder, monkeypatch):
    monkeypatch.setattr(limits, "MOST", 10 * limits.SEARCHED)
    inputs = folder(application_set("[{git: {directories: [{path: '**/x'}]}}]", PATHS), *(f"a{number}" for number in range(20)))
    assert any("generates more than" in each.reason for each in inputs.skipped)


def test_a_git_generator_does_not_follow_links_in_place_of_a_wildcard(folder, tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a/up").symlink_to("..")
    (tmp_path / "a/out").symlink_to("/usr")
    text = application_set("[{git: {directories: [{path: 'a/*/*'}, {path: '*/*/*/*'}]}}]", PATHS)
    assert pods(folder(text, "a/b/c")) == [("a/b/c/pod.yaml", "c")]


def test_a_long_parameter_stays_unknown(folder):
    inputs = folder(application_set(f"[{{list: {{elements: [{{name: {'x' * 1001}}}]}}}}]", PATHS), "a")
    assert [str(each.name) for each in inputs.of_kind("Application")] == ["{{name}}"]


@pytest.mark.parametrize("key", ["include", "exclude"])
def test_patterns_of_files_that_are_too_long_are_named(folder, key):
    application = f"apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: a}}\nspec: {{source: {{path: a, directory: {{{key}: '{'*a' * 600}'}}}}}}\n"
    inputs = folder(application, "a")
    assert pods(inputs) == []
    assert any("longer than 1000 characters" in each.reason for each in inputs.skipped)
