"""What small files generate together has one budget: the file that goes above it is named, and the cost is that of the budget."""

import pytest

from constructs_lib.observed.read import limits
from constructs_lib.observed.read.repository import read
from counting import calls

PODS = "".join(f"---\napiVersion: v1\nkind: Pod\nmetadata: {{name: p{number}}}\nspec: {{a: {{b: c}}}}\n" for number in range(50))
PATCH = "  - {patch: '[{op: add, path: /spec/x, value: y}]', target: {kind: Pod}}\n"
HEAD = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: NAME, namespace: a}\n"


@pytest.fixture
def limit(monkeypatch):
    """Sets the budget, in units of this many steps."""
    return lambda most, steps=1: monkeypatch.setattr(limits, "MOST", most * steps)


@pytest.fixture
def tree(tmp_path):
    """Writes a repository, and reads it: the inputs, the reasons for skipping, and the calls."""

    def call(**files):
        (tmp_path / ".git").mkdir(exist_ok=True)
        for name, content in files.items():
            path = tmp_path / f"{name.replace('__', '/')}.yaml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        result = []
        counted = calls(lambda: result.append(read([tmp_path], talos="1.13")))
        return result[0], [f"{each.file.rpartition('/')[2]}: {each.reason}" for each in result[0].skipped], counted

    return call


REASON = "what all files generate together is more than one check reads, and the rest is left out"


SETTINGS = {
    "patches": lambda number: "patches:\n" + PATCH * number,
    "patchesJson6902": lambda number: "patchesJson6902:\n" + PATCH * number,
    "one patch of many documents": lambda number: "patches:\n  - patch: |\n" + "      ---\n      {kind: Pod, metadata: {name: p1}, spec: {x: y}}\n" * number,
    "one patch of many operations": lambda number: "patches:\n  - target: {kind: Pod}\n    patch: |\n" + "      - {op: add, path: /spec/x, value: y}\n" * number,
    "patchesStrategicMerge": lambda number: "patchesStrategicMerge:\n" + "  - |\n    {apiVersion: v1, kind: Pod, metadata: {name: p1}, spec: {x: y}}\n" * number,
    "images": lambda number: "images:\n" + "  - {name: a, newTag: b}\n" * number,
    "labels": lambda number: "labels:\n" + "  - {pairs: {a: b}}\n" * number,
    "replicas": lambda number: "replicas:\n" + "  - {name: p1, count: 2}\n" * number,
    "replacements": lambda number: "replacements:\n" + "  - {source: {kind: Pod, name: p1}, targets: [{select: {kind: Pod}, fieldPaths: [spec.x], options: {create: true}}]}\n" * number,
    "generators": lambda number: "configMapGenerator:\n" + "".join(f"  - {{name: m{each}, literals: [a=b]}}\n" for each in range(number)),
}  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("kind", SETTINGS)
def test_changes_times_objects_have_a_limit(tree, limit, kind):
    limit(2_000_000)
    _, few_skipped, few = tree(kustomization=f"resources: [pods.yaml]\n{SETTINGS[kind](1)}", pods=PODS)
    _, skipped, many = tree(kustomization=f"resources: [pods.yaml]\n{SETTINGS[kind](600)}", pods=PODS)

    assert few_skipped == []
    assert f"kustomization.yaml: {REASON}" in skipped
    assert many < few + 700_000, (few, many)


def test_bases_that_name_each_other_twice_have_a_limit(tree, limit):
    limit(20_000, limits.READ_AGAIN)
    levels = {f"k{number}__kustomization": f"resources: [../k{number + 1}, ../k{number + 1}]\n" for number in range(40)}
    _, skipped, counted = tree(**levels, k40__kustomization="resources: [pod.yaml]\n", k40__pod=PODS[:80])

    assert REASON in skipped[0]
    assert counted < 200_000


def test_deployers_of_one_folder_have_a_limit(tree, limit):
    limit(500_000, limits.READ_AGAIN)
    deployers = "---\n".join(
        HEAD.replace("NAME", f"k{number}") + "spec: {path: apps, sourceRef: {kind: GitRepository, name: a}}\n" for number in range(300)
    )
    inputs, skipped, counted = tree(deployers=deployers, apps__pods=PODS)

    assert len(inputs.of_kind("Pod")) == 50
    assert any(REASON in each for each in skipped)
    assert counted < 2_000_000


def test_charts_that_depend_on_each_other_twice_have_a_limit(tree, limit):
    limit(100, limits.GENERATED)
    twice = "dependencies:\n  - {{name: c{0}, alias: a, repository: 'file://../c{0}'}}\n  - {{name: c{0}, alias: b, repository: 'file://../c{0}'}}\n"
    charts = {f"c{number}__Chart": f"name: c{number}\n{twice.format(number + 1)}" for number in range(14)}
    _, skipped, counted = tree(**charts, c14__Chart="name: c14\n")

    assert counted < 100_000, counted
    assert any(REASON in each for each in skipped)


def chained(levels):
    """Kustomizations, each in the folder of the one before, which puts its variable ten times into the variable of the next one."""
    for number in range(levels):
        text = HEAD.replace("NAME", f"k{number}") + f"spec:\n  path: k{number + 1}\n  sourceRef: {{kind: GitRepository, name: a}}\n"
        yield f"k{number}__a", text + f"  postBuild: {{substitute: {{A: '{'x' * 10 if number == 0 else '${A}' * 10}'}}}}\n"
    yield f"k{levels}__a", "apiVersion: v1\nkind: Pod\nmetadata: {name: '${A}'}\n"


def test_variables_in_variables_have_a_limit(tree, limit):
    limit(5_000, limits.WRITTEN)
    inputs, skipped, counted = tree(**dict(chained(12)))

    assert any(REASON in each for each in skipped)
    assert all(len(f"{each.name}") < 10_000 for each in inputs.of_kind("Pod"))
    assert counted < 300_000


@pytest.mark.parametrize(
    ("part", "resources"),
    [
        ("resources", "  resources:\n" + "    - {apiVersion: v1, kind: Pod, metadata: {name: 'p<< inputs.a >>'}}\n" * 100),
        (
            "resourcesTemplate",
            "  resourcesTemplate: |\n" + "    ---\n    {apiVersion: v1, kind: Pod, metadata: {name: p<< inputs.a >>}}\n" * 100,
        ),
        ("long inputs", "  resourcesTemplate: |\n    {apiVersion: v1, kind: Pod, metadata: {name: '" + "<< inputs.long >>" * 100 + "'}}\n"),
    ],
)
def test_inputs_times_resources_have_a_limit(tree, limit, part, resources):
    limit(30_000, limits.WRITTEN)
    text = "apiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSet\nmetadata: {name: a, namespace: a}\nspec:\n  inputs:\n"
    text += "".join(f"    - {{a: {number}, long: {'x' * 500}}}\n" for number in range(200))
    inputs, skipped, counted = tree(sets=text + resources)

    assert f"sets.yaml: {REASON}" in skipped
    assert sum(len(f"{each.name}") for each in inputs.of_kind("Pod")) < 100_000
    assert counted < 500_000


@pytest.mark.parametrize(
    "setting",
    [
        "secretGenerator:\n" + "".join(f"  - {{name: s{number}, files: [a.txt]}}\n" for number in range(50)),
        "configMapGenerator:\n" + "".join(f"  - {{name: s{number}, envs: [a.txt]}}\n" for number in range(50)),
        "helmCharts:\n" + "".join(f"  - {{name: gpu-operator, releaseName: r{number}, valuesFile: a.txt}}\n" for number in range(50)),
        f"namePrefix: {'x' * 5000}\n",
    ],
    ids=["files", "envs", "values", "prefix"],
)
def test_one_file_or_text_in_many_objects_has_a_limit(tree, limit, tmp_path, setting):
    limit(30_000, limits.WRITTEN)
    (tmp_path / "a.txt").write_text("a: b\n" * 1000)
    _, skipped, _ = tree(kustomization=f"resources: [pods.yaml]\n{setting}", pods=PODS)

    assert f"kustomization.yaml: {REASON}" in skipped


@pytest.mark.parametrize(
    "files",
    [
        {f"a{number}": "a: &a [b, b, b, b, b, b, b, b, b]\nb: &b [*a, *a, *a]\nc: [*b, *b, *b]\nkind: Pod\napiVersion: v1\n" for number in range(60)},
        {"a": "---\n".join(["a: &a [b, b, b, b, b, b, b, b, b]\nb: &b [*a, *a, *a]\nc: [*b, *b, *b]\nkind: Pod\napiVersion: v1\n"] * 60)},
    ],
    ids=["files", "documents"],
)  # fmt: skip
def test_aliases_of_all_documents_together_have_a_limit(tree, limit, files):
    limit(1_000, limits.ALIASED)
    inputs, skipped, _ = tree(**files)

    assert 1 <= len(inputs.of_kind("Pod")) < 10
    assert any(REASON in each for each in skipped)


DOUBLING = {
    "copies of an operation": "patches:\n  - target: {kind: Pod}\n    patch: |\n"
    + "".join(f"      - {{op: copy, from: /spec, path: /spec/x{number}}}\n" for number in range(30)),
    "copies into themselves": "patches:\n  - target: {kind: Pod}\n    patch: |\n"
    + "      - {op: copy, from: /spec, path: /spec/a}\n" * 1000,
    "replacements": "replacements:\n"
    + "".join(
        f"  - {{source: {{kind: Pod, fieldPath: spec}}, targets: [{{select: {{kind: Pod}}, fieldPaths: [spec.x{number}], options: {{create: true}}}}]}}\n"
        for number in range(30)
    ),
}


@pytest.mark.parametrize("kind", DOUBLING)
def test_copies_of_a_value_into_itself_have_a_limit(tree, kind):
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {a: {b: cc/dd}}\n"
    inputs, _, counted = tree(kustomization=f"resources: [pod.yaml]\n{DOUBLING[kind]}", pod=pod)

    assert len(inputs.of_kind("Pod")) == 1
    assert counted < 2_000_000


OMNI = "kind: Cluster\nname: a\npatches: [{name: a, inline: {machine: {nodeLabels: {LABELS}}}}]\n---\nkind: Workers\nname: gpu\nmachines: [MACHINES]\n"
TALHELPER = "clusterName: a\nendpoint: https://a:6443\ntalosVersion: v1.13.0\npatches:\n  - |-\n    {machine: {nodeLabels: {LABELS}}}\nnodes: [MACHINES]\n"


@pytest.mark.parametrize(
    ("template", "machine"), [(OMNI, "m{}"), (TALHELPER, "{{hostname: m{}, ipAddress: 10.0.0.1}}")], ids=["omni", "talhelper"]
)
def test_patches_times_machines_have_a_limit(tree, limit, template, machine):
    limit(20_000, limits.WRITTEN)
    text = template.replace("LABELS", ", ".join(f"l{number}: a" for number in range(500))).replace(
        "MACHINES", ", ".join(machine.format(number) for number in range(300))
    )
    inputs, skipped, counted = tree(talconfig=text)

    assert len(inputs.node_configs) >= 300
    assert f"talconfig.yaml: {REASON}" in skipped
    assert not inputs.node_configs[-1].complete
    assert counted < 1_000_000
