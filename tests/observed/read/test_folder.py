"""What of a folder reaches a cluster; the repositories that each case is taken from are in facts about public clusters."""

import pytest

from constructs_lib.observed.model import Unknown
from constructs_lib.observed.read.repository import read

LEFT_OUT = "not included in any kustomization"
NOT_DEPLOYED = "not deployed by any object of Flux or Argo CD"


def pod(name, namespace=None):
    return f"apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}{f', namespace: {namespace}' if namespace else ''}}}\n"


def flux(path, *, name="f", source="flux-system", more=""):
    return f"""\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {{name: {name}, namespace: flux-system}}
spec:
  path: {path}
  sourceRef: {{kind: GitRepository, name: {source}}}
{more}"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """What a folder of these files becomes."""
    monkeypatch.chdir(tmp_path)

    def make(files, *given):
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        return read(given or ["."])

    return make


def pods(inputs):
    return sorted(each.name for each in inputs.of_kind("Pod"))


def skipped(inputs):
    return sorted((each.file, each.reason) for each in inputs.skipped)


def test_without_a_kustomization_every_manifest_is_live(folder):
    inputs = folder(
        {
            "a.yaml": pod("a"),
            "b/c/d.yml": pod("b"),
            "e.json": '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "c"}}',
            "f.txt": pod("d"),
        }
    )
    assert pods(inputs) == ["a", "b", "c"]
    assert inputs.skipped == ()


def test_an_object_in_one_line_has_its_keys_in_any_order(folder):
    inputs = folder(
        {
            "a.yaml": '{"kind": "Pod", "metadata": {"name": "a"}, "apiVersion": "v1"}',
            "b.yaml": "{metadata: {name: b}, apiVersion: v1, kind: Pod}\n---\n{kind: Pod, apiVersion: v1, metadata: {name: c}}\n",
            "talos/gpu-1.yaml": "{version: v1alpha1, machine: {type: worker, kernel: {modules: [{name: nvidia}]}}}",
        }
    )
    assert pods(inputs) == ["a", "b", "c"]
    assert [each.kernel_modules for each in inputs.node_configs] == [("nvidia",)]


def test_what_a_kustomization_leaves_out_is_not(folder):
    inputs = folder(
        {
            "k/kustomization.yaml": "resources: [a.yaml]\n",
            "k/a.yaml": pod("a"),
            "k/b.yaml": pod("b"),
            "k/c/d.yaml": pod("d"),
            "other/e.yaml": pod("e"),
        }
    )
    assert pods(inputs) == ["a", "e"]
    assert skipped(inputs) == [("k/b.yaml", LEFT_OUT), ("k/c/d.yaml", LEFT_OUT)]


def test_a_kustomization_that_the_one_above_leaves_out_is_not_live(folder):
    files = {
        "k/kustomization.yaml": "resources:\n- ./on\n# - ./off\n",
        "k/on/kustomization.yaml": "resources: [a.yaml]\n",
        "k/on/a.yaml": pod("a"),
    }
    inputs = folder({**files, "k/off/kustomization.yaml": "resources: [b.yaml]\n", "k/off/b.yaml": pod("b")})
    assert pods(inputs) == ["a"]
    assert skipped(inputs) == [("k/off/b.yaml", LEFT_OUT)]


def test_an_overlay_is_live_and_its_base_only_through_it(folder):
    files = {"base/kustomization.yaml": "resources: [a.yaml]\n", "base/a.yaml": pod("a")}
    inputs = folder({**files, "overlays/gpu/kustomization.yaml": "namespace: gpu\nresources: [../../base]\n"})
    assert [each.label for each in inputs.objects] == ["Pod gpu/a"]


def test_an_overlay_may_be_inside_its_base(folder):
    inputs = folder(
        {
            "kustomization.yaml": "resources: [a.yaml]\n",
            "a.yaml": pod("a"),
            "overlay/kustomization.yaml": "namespace: gpu\nresources: [..]\n",
        }
    )
    assert [each.label for each in inputs.objects] == ["Pod gpu/a"]


def test_a_component_that_nothing_uses_is_not_live(folder):
    inputs = folder({"part/kustomization.yaml": "kind: Component\nresources: [a.yaml]\n", "part/a.yaml": pod("a")})
    assert pods(inputs) == []


def test_values_patches_and_other_yaml_are_no_manifests_that_were_left_out(folder):
    files = {
        "k/kustomization.yaml": "resources: [a.yaml]\n",
        "k/a.yaml": pod("a"),
        "k/values.yaml": "driver: {enabled: false}\n",
        "k/Chart.yaml": "apiVersion: v2\nname: x\n",
    }
    schema = '{"properties": {\n  "apiVersion": {"type": "string"},\n  "kind": {"type": "string"}}}'
    inputs = folder(
        {
            **files,
            "k/schema.json": schema,
            "k/talos.yaml": "apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: a\n",
            ".github/x.yaml": pod("x"),
        }
    )
    assert pods(inputs) == ["a"]
    assert inputs.skipped == ()


FLUX = {
    "clusters/main/flux-system/kustomization.yaml": "resources: [sync.yaml]\n",
    "clusters/main/flux-system/sync.yaml": flux("./clusters/main"),
    "clusters/main/apps.yaml": flux("./apps", name="apps"),
    "apps/kustomization.yaml": "resources: [./plugin/ks.yaml]\n# - ./operator/ks.yaml\n",
    "apps/plugin/ks.yaml": flux("./apps/plugin/app", name="plugin", more="  targetNamespace: gpu\n"),
    "apps/plugin/app/kustomization.yaml": "resources: [a.yaml]\n",
    "apps/plugin/app/a.yaml": pod("plugin"),
    "apps/operator/ks.yaml": flux("./apps/operator/app", name="operator"),
    "apps/operator/app/a.yaml": pod("operator"),
    "docs/example.yaml": pod("example"),
    "bootstrap/kustomization.yaml": "resources: [x.yaml]\n",
    "bootstrap/x.yaml": pod("bootstrap"),
}


def test_flux_is_followed_from_the_cluster_to_the_last_folder(folder):
    inputs = folder(FLUX)
    assert [each.label for each in inputs.of_kind("Pod")] == ["Pod gpu/plugin"]
    assert sorted(each.name for each in inputs.of_kind("Kustomization")) == ["apps", "f", "plugin"]
    assert skipped(inputs) == [
        ("apps/operator/app/a.yaml", LEFT_OUT),
        ("apps/operator/ks.yaml", LEFT_OUT),
        ("bootstrap", NOT_DEPLOYED),
        ("docs/example.yaml", NOT_DEPLOYED),
    ]


def test_a_part_of_a_repository_is_followed_too(folder):
    inputs = folder(FLUX, "apps/plugin")
    assert [(each.label, each.file) for each in inputs.of_kind("Pod")] == [("Pod gpu/plugin", "apps/plugin/app/a.yaml")]


def test_the_root_of_a_repository_is_where_its_git_is(folder):
    inputs = folder({**FLUX, ".git/config": ""}, "clusters")
    assert [(each.label, each.file) for each in inputs.of_kind("Pod")] == [("Pod gpu/plugin", "apps/plugin/app/a.yaml")]


def test_a_path_never_means_more_than_what_was_given(folder):
    files = {".git/config": "", "dist/one/flux.yaml": flux("./"), "dist/one/a.yaml": pod("a"), "dist/two/b.yaml": pod("b")}
    assert pods(folder(files, "dist/one")) == ["a"]


def test_a_file_that_flux_has_is_followed_by_itself(folder):
    inputs = folder(FLUX, "apps/plugin/ks.yaml")
    assert [each.label for each in inputs.objects] == ["Kustomization flux-system/plugin", "Pod gpu/plugin"]


def test_a_file_that_is_asked_for_is_live(folder):
    assert pods(folder(FLUX, "docs/example.yaml", "apps/operator/app/a.yaml")) == ["example", "operator"]


def test_flux_takes_a_folder_without_a_kustomization_whole(folder):
    files = {"flux.yaml": flux("./apps"), "apps/a.yaml": pod("a"), "apps/b/b.yaml": pod("b"), "apps/b/x.json": pod("x")}
    inputs = folder({**files, "apps/c/kustomization.yaml": "resources: [c.yaml]\n", "apps/c/c.yaml": pod("c"), "apps/c/d.yaml": pod("d")})
    assert pods(inputs) == ["a", "b", "c"]


def test_flux_may_patch_label_and_add_components(folder):
    more = """\
  targetNamespace: gpu
  components: [../part]
  commonMetadata: {labels: {a: b}, annotations: {c: d}}
  images: [{name: x, newTag: '2'}]
  patches:
  - target: {kind: Pod}
    patch: |
      - op: add
        path: /spec
        value: {containers: [{name: x, image: 'x:1'}]}
"""
    files = {
        "flux.yaml": flux("./apps", more=more),
        "apps/kustomization.yaml": "resources: [a.yaml]\nhelmCharts: [{name: nvdp}]\n",
        "apps/a.yaml": pod("a"),
    }
    inputs = folder(
        {
            **files,
            "part/kustomization.yaml": "kind: Component\npatches: [{target: {kind: Pod}, patch: '[{op: replace, path: /metadata/name, value: z}]'}]\n",
        }
    )
    (found,) = inputs.of_kind("Pod")
    assert (found.label, found.labels, found.annotations) == ("Pod gpu/z", {"a": "b"}, {"c": "d"})
    assert found.at("spec", "containers", 0, "image") == "x:2"
    assert (found.file_of(("spec",)), found.line_of(("spec",))) == ("flux.yaml", 14)
    assert [each.namespace for each in inputs.releases] == ["gpu"]


def test_a_parent_may_patch_what_its_children_deploy(folder):
    more = "  patches: [{target: {kind: Kustomization}, patch: '[{op: add, path: /spec/targetNamespace, value: gpu}]'}]\n"
    inputs = folder({"flux.yaml": flux("./ks", more=more), "ks/a.yaml": flux("./apps", name="child"), "apps/a.yaml": pod("a")})
    assert [each.label for each in inputs.of_kind("Pod")] == ["Pod gpu/a"]


def test_what_flux_fills_in_from_elsewhere_stays_unknown(folder):
    more = "  postBuild: {substituteFrom: [{kind: Secret, name: names}]}\n"
    inputs = folder({"flux.yaml": flux("./apps", more=more), "apps/a.yaml": pod("'${NAME}'")})
    assert isinstance(inputs.of_kind("Pod")[0].at("metadata", "name"), Unknown)


def test_a_path_of_another_repository_is_not_followed(folder):
    ours = {f"{n}.yaml": flux("./apps", name=f"f{n}") for n in range(3)}
    inputs = folder({**ours, "x.yaml": flux("./deploy", name="x", source="upstream"), "apps/a.yaml": pod("a"), "deploy/b.yaml": pod("b")})
    assert pods(inputs) == ["a"]


@pytest.mark.parametrize("path", ["./nothing", "${PATH}", "7", "[a]", "null", "'a\\0b'", "../../../../etc", "x" * 5000])
def test_a_path_that_leads_nowhere_deploys_nothing(folder, path):
    inputs = folder({"flux.yaml": flux(path), "a.yaml": pod("a")})
    assert pods(inputs) in ([], ["a"])


def test_a_circle_of_flux_ends(folder):
    assert pods(folder({"flux.yaml": flux("./"), "a.yaml": pod("a")})) == ["a"]


def test_one_folder_deployed_twice_is_twice_there(folder):
    more = "  targetNamespace: {}\n"
    files = {"x.yaml": flux("./apps", name="x", more=more.format("one")), "y.yaml": flux("./apps", name="y", more=more.format("two"))}
    assert [each.label for each in folder({**files, "apps/a.yaml": pod("a")}).of_kind("Pod")] == ["Pod one/a", "Pod two/a"]


def test_an_application_that_is_applied_by_hand_is_found_where_nothing_else_deploys(folder):
    root = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: root}\nspec:\n  source: {repoURL: x, path: apps}\n"
    files = {"argocd/kustomization.yaml": "resources: [ns.yaml]\n", "argocd/ns.yaml": pod("argocd"), "argocd/root.yaml": root}
    inputs = folder({**files, "apps/a.yaml": pod("a"), "docs/b.yaml": pod("b")})
    assert pods(inputs) == ["a"]
    assert skipped(inputs) == [("argocd", NOT_DEPLOYED), ("docs/b.yaml", NOT_DEPLOYED)]


NOT_LIVE = [
    "archive", ".archived", "_archive", "Archived", "nvidia-device-plugin-deprecated", "deprecated", "old", "_old", "ref", "reference",
    "examples", "_disabled", ".disabled", "apps.disabled", "backup", "unused", "old-apps", "_attic", ".attic",
]  # fmt: skip


@pytest.mark.parametrize("name", NOT_LIVE)
def test_folders_that_are_not_live_are_passed_by(folder, name):
    inputs = folder({"a.yaml": pod("a"), f"x/{name}/b.yaml": pod("b")})
    assert pods(inputs) == ["a"]
    assert skipped(inputs) == [(f"x/{name}", "not live, according to the name")]


@pytest.mark.parametrize(
    "name", ["mail-archiver", "archives-of-x", "attic", "market-data-archive", "oldham", "referrals", "threshold", "velero-backup"]
)
def test_what_only_sounds_like_an_archive_is_none(folder, name):
    assert pods(folder({f"{name}/b.yaml": pod("b")})) == ["b"]


@pytest.mark.parametrize("name", ["old", "backup", "examples"])
def test_what_is_deployed_is_live_whatever_its_name(folder, name):
    flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps}\nspec: {path: ./apps}\n"
    argo = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: apps}\nspec:\n  source: {repoURL: x, path: apps, directory: {recurse: true}}\n"
    by_path = flux.replace("./apps", f"./apps/{name}")
    for deployer in (flux, argo, by_path):
        assert pods(folder({"cluster.yaml": deployer, f"apps/{name}/b.yaml": pod("b")})) == ["b"]
    assert pods(folder({"cluster.yaml": flux, "apps/kustomization.yaml": f"resources: [{name}/b.yaml]\n"})) == ["b"]


def test_a_file_that_is_deprecated_is_passed_by(folder):
    inputs = folder({"b-deprecated.yaml": pod("b"), "a.yaml": pod("a")})
    assert pods(inputs) == ["a"]
    assert skipped(inputs) == [("b-deprecated.yaml", "not live, according to the name")]


def test_manifests_in_templates_for_another_tool_are_not_judged_twice(folder):
    assert pods(folder({"a.yaml": pod("a"), "templates/a.yaml.j2": pod("a")})) == ["a"]


def test_talos_is_read_wherever_it_is(folder):
    config = "machine:\n  type: worker\n  kernel: {modules: [{name: nvidia}]}\n"
    files = {
        "k/kustomization.yaml": "resources: [a.yaml]\n",
        "k/a.yaml": pod("a"),
        "k/talos/worker.yaml": config,
        "talos/worker.yaml.j2": f"{{% if x %}}\n{{% endif %}}\n{config}",
    }
    assert len(folder(files).node_configs) == 2


def test_talos_is_read_in_a_folder_that_flux_takes_whole(folder):
    config = "machine:\n  type: worker\n  kernel: {modules: [{name: nvidia}]}\n"
    assert len(folder({"flux.yaml": flux("./"), "talos/worker.yaml": config}).node_configs) == 1


def test_versions_are_read_from_files_of_variables(folder):
    inputs = folder({"a.yaml": pod("a"), "versions.env": "TALOS_VERSION=v1.13.1\nKUBERNETES_VERSION=v1.35.1\n"})
    assert (str(inputs.talos_version), inputs.kubernetes_version) == ("1.13.1", "1.35.1")


@pytest.mark.parametrize("name", ["versions.mk", "Makefile", "a/main.tf", "a/prod.tfvars", "a/cluster.yaml", "nodes.yaml"])
def test_versions_are_read_from_files_that_name_them_beside_much_else(folder, name):
    separator = ": " if name.endswith("yaml") else " = "
    text = f'talos_version{separator}"v1.13.1"\nkubernetes_version{separator}"1.35.1"\n'
    inputs = folder({"k/kustomization.yaml": "resources: [a.yaml]\n", "k/a.yaml": pod("a"), name: text})
    assert (str(inputs.talos_version), inputs.kubernetes_version) == ("1.13.1", "1.35.1")
    assert skipped(inputs) == []

    inputs = folder({name: text, "versions.env": "TALOS_VERSION=v1.12.1\n"})
    assert (str(inputs.talos_version), inputs.kubernetes_version) == ("1.12.1", "1.35.1")


def test_versions_are_not_read_from_hidden_and_other_files(folder):
    text = 'talos_version = "v1.13.1"\n'
    inputs = folder(
        {
            "a.yaml": pod("a"),
            ".terraform/modules/x/main.tf": text,
            ".hidden.tf": text,
            "main.py": text,
            "versions.yaml": "talos_version: v1.13.1\n",
        }
    )
    assert inputs.talos_version is None


def test_a_version_below_a_comment_for_renovate_is_that_of_the_cluster(folder):
    text = "# renovate: datasource=custom.talos-factory depName=siderolabs/talos\ntalos_version: v1.13.1\n"

    assert str(folder({"a.yaml": pod("a"), "talos/version.yaml": text}).talos_version) == "1.13.1"


def test_a_chart_without_dependencies_is_named(folder):
    inputs = folder({"gpu/Chart.yaml": "name: gpu\n", "gpu/values.yaml": "driver: {enabled: false}\n"})
    assert inputs.releases == ()
    assert skipped(inputs) == [("gpu", "a Helm chart: only its releases and its rendered manifests are checked")]


@pytest.mark.parametrize("by_hand", [{}, {"first.yaml": "APPLICATION"}], ids=["alone", "beside one by hand"])
def test_an_application_that_a_kustomization_builds_is_followed_where_nothing_deploys_the_kustomization(folder, by_hand):
    application = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: NAME, namespace: argocd}
spec:
  source: {repoURL: https://helm.ngc.nvidia.com/nvidia, chart: gpu-operator, targetRevision: v26.7.0}
  destination: {namespace: NAME}
"""
    files = {"overlays/a/kustomization.yaml": "resources: [../../base]\n", "base/kustomization.yaml": "resources: [operator.yaml]\n"}
    files["base/operator.yaml"] = application.replace("NAME", "built")
    inputs = folder(files | dict.fromkeys(by_hand, application.replace("NAME", "other")))

    assert sorted(each.name for each in inputs.releases) == sorted(["built", *(["other"] if by_hand else [])])
