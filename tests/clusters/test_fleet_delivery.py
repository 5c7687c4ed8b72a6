"""`delivery:` of a cluster file: the objects of Argo CD and Flux, their form, their size and what a change touches."""

import re

import pytest
import yaml
from command_line import run  # noqa: F401  # a fixture

from constructs_lib.clusters.cluster_file import ClusterFile
from constructs_lib.clusters.cluster_schema import cluster_schema
from constructs_lib.clusters.file_values import FileError
from constructs_lib.clusters.fleet_delivery import ArgoCdFleet, FluxFleet, fleet_delivery
from constructs_lib.clusters.output_folder import RECORD

GIT, OCI = "https://github.com/acme/fleet", "oci://ghcr.io/acme/clusters"
FILE = """\
nodes: {gpu: {talos: "1.14"}}
charts:
  gpu:
    namespace: kube-system
    objects:
      device-plugin: {StandaloneDevicePlugin: {}}
delivery:
  argocd: {repository: https://github.com/acme/fleet}
  flux: {repository: oci://ghcr.io/acme/clusters}
clusters:
"""
SIZE, EVERY = 1_000, 100
"""The clusters of the large fleet, and the distance between two clusters with the other class of nodes."""
ENGINES = [
    {"argocd": {"repository": GIT}},
    {"argocd": {"repository": GIT, "labels": {"gpu": "true"}, "path": "live/clusters", "automated": False, "project": "gpu"}},
    {"argocd": {"repository": OCI, "revision": "latest", "labels": {}}},
    {"flux": {"repository": OCI}},
    {"flux": {"repository": OCI, "semver": ">=1.0.0", "secret": "ghcr", "management_cluster": True}},
    {"flux": {"repository": GIT, "path": "live/clusters", "prune": False}},
    {"flux": {"repository": "ssh://git@github.com/acme/fleet", "branch": "live", "management_cluster": True}},
]


def texts(engines, clusters=("berlin", "paris"), **others):
    """The files of a delivery of clusters with a chart, and of others."""
    descriptions = {name: {"charts": {"gpu": {}}} for name in clusters} | others
    return fleet_delivery(engines, descriptions).files(descriptions)


def objects(engines, clusters=("berlin", "paris"), **others):
    """The objects of a delivery by their file."""
    return {path: list(yaml.safe_load_all(text)) for path, text in texts(engines, clusters, **others).items()}


def fleet(taint):
    lines = [
        f"  c{n}: {{nodes: {'*large' if n else f'&large {{gpu: {{taints: [{taint}]}}}}'}}}\n" if n % EVERY == 0 else f"  c{n}: {{}}\n"
        for n in range(SIZE)
    ]
    return FILE + "".join(lines)


def contents(folder):
    """Each file of a folder with its text; the records too."""
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_a_change_of_one_class_of_nodes_writes_only_the_files_of_its_clusters(run, tmp_path):  # noqa: F811
    file, out = tmp_path / "fleet.yaml", tmp_path / "dist"
    file.write_text(fleet("gpu=large:NoSchedule"))
    assert run("synth", file, "--output-folder", out, "--no-check")[0] == 0
    before = contents(out)
    file.write_text(fleet("gpu=larger:NoSchedule"))
    status, answer, _ = run("synth", file, "--output-folder", out, "--no-check", "--changed")
    after = contents(out)

    assert status == 0
    # For each cluster its manifests, its page, its record and its objects of Flux; the ApplicationSet and the record of the engines.
    assert len(before) == len(after) == 4 * SIZE + 2
    assert {path for path in after if after[path] != before[path]} == {
        f"c{number}/{name}" for number in range(0, SIZE, EVERY) for name in ("manifests/gpu.k8s.yaml", "README.md", RECORD)
    }
    assert answer.count(": unchanged\n") == SIZE - SIZE // EVERY
    assert answer.endswith(f"{out / 'fleet'}: {SIZE + 1} files, 0 of them new or changed\n")


def test_the_application_set_of_a_large_fleet_is_one_of_two_clusters():
    few, many = (texts(ENGINES[0], names) for names in (["a", "b"], [f"c{n}" for n in range(SIZE)]))

    assert few == many


def test_a_folder_of_the_repository_chooses_its_cluster_and_the_folder_of_the_engines_none():
    ((application_set,),) = objects({"argocd": {"repository": GIT, "path": "live", "revision": "main"}}).values()
    spec = application_set["spec"]

    assert spec["generators"] == [
        {"git": {"repoURL": GIT, "revision": "main", "directories": [{"path": "live/*"}, {"path": "live/fleet", "exclude": True}]}}
    ]
    assert spec["template"]["spec"]["source"] == {"repoURL": GIT, "targetRevision": "main", "path": "live/{{.path.basename}}/manifests"}
    assert spec["template"]["spec"]["destination"] == {"name": "{{.path.basename}}"}


def test_labels_choose_among_the_registered_clusters():
    ((application_set,),) = objects({"argocd": {"repository": GIT, "labels": {"gpu": "true"}}}).values()
    spec = application_set["spec"]

    assert spec["generators"] == [{"clusters": {"selector": {"matchLabels": {"argocd.argoproj.io/secret-type": "cluster", "gpu": "true"}}}}]
    assert spec["template"]["spec"]["source"]["path"] == "dist/{{.name}}/manifests"
    assert spec["template"]["metadata"]["name"] == "talos-gpu-{{.name}}"


def test_an_artifact_of_the_registry_is_that_of_the_cluster_for_both_engines():
    both = objects({"argocd": {"repository": OCI, "revision": "v1", "labels": {}}, "flux": {"repository": OCI, "tag": "v1"}})

    assert both["argocd.yaml"][0]["spec"]["template"]["spec"]["source"] == {
        "repoURL": f"{OCI}/{{{{.name}}}}",
        "targetRevision": "v1",
        "path": ".",
    }
    assert both["flux/paris.yaml"][0]["spec"] == {"interval": "10m", "url": f"{OCI}/paris", "ref": {"tag": "v1"}}
    assert both["flux/paris.yaml"][1]["spec"]["path"] == "./"


def test_argo_cd_applies_and_compares_by_the_server_and_keeps_what_it_delivered():
    ((application_set,),) = objects(ENGINES[0]).values()
    template = application_set["spec"]["template"]

    assert template["spec"]["syncPolicy"] == {"syncOptions": ["ServerSideApply=true"], "automated": {"prune": True, "selfHeal": True}}
    assert template["metadata"]["annotations"]["argocd.argoproj.io/compare-options"] == "ServerSideDiff=true"
    assert application_set["spec"]["syncPolicy"] == {"preserveResourcesOnDeletion": True}


def test_a_commit_to_other_folders_renders_no_application_again():
    annotations = [objects(each)["argocd.yaml"][0]["spec"]["template"]["metadata"]["annotations"] for each in (ENGINES[0], ENGINES[2])]

    assert [each.get("argocd.argoproj.io/manifest-generate-paths") for each in annotations] == [".", None]


def test_the_flux_of_each_cluster_has_its_own_file_and_reads_only_its_folder():
    files = objects({"flux": {"repository": GIT}})

    assert list(files) == ["flux/berlin.yaml", "flux/paris.yaml"]
    source, kustomization = files["flux/paris.yaml"]
    assert source["spec"]["sparseCheckout"] == ["dist/paris/manifests"]
    assert kustomization["spec"]["path"] == "./dist/paris/manifests"
    assert "kubeConfig" not in kustomization["spec"]


def test_a_management_cluster_reads_the_repository_once_and_applies_by_the_kubeconfig_of_cluster_api():
    files = objects({"flux": {"repository": GIT, "management_cluster": True}})

    assert [each["kind"] for each in files["flux/fleet.yaml"]] == ["GitRepository"]
    (kustomization,) = files["flux/paris.yaml"]
    assert kustomization["spec"]["sourceRef"] == {"kind": "GitRepository", "name": "fleet"}
    assert kustomization["spec"]["kubeConfig"] == {"secretRef": {"name": "paris-kubeconfig"}}


@pytest.mark.parametrize("engines", [each for each in ENGINES if "flux" in each], ids=str)
def test_flux_keeps_the_workloads_of_a_cluster_whose_kustomization_is_deleted(engines):
    kustomizations = [each for manifests in objects(engines).values() for each in manifests if each["kind"] == "Kustomization"]

    assert [each["spec"]["deletionPolicy"] for each in kustomizations] == ["Orphan", "Orphan"]


def test_a_cluster_that_the_file_no_longer_has_loses_its_objects_of_flux_and_keeps_its_folder(run, tmp_path):  # noqa: F811
    file, out = tmp_path / "fleet.yaml", tmp_path / "dist"
    messages = []
    for clusters in ("  berlin: {}\n  paris: {}\n", "  berlin: {}\n"):
        file.write_text(FILE + clusters)
        status, _, message = run("synth", file, "--output-folder", out, "--no-check")
        assert status == 0
        messages.append(message)

    deleted = out / "fleet" / "flux" / "paris.yaml"
    assert messages == ["", f"talos-gpu synth: {deleted} is deleted: the cluster file and the flags no longer ask for it\n"]
    assert [path.name for path in (out / "fleet" / "flux").iterdir()] == ["berlin.yaml"]
    assert (out / "paris" / "manifests" / "gpu.k8s.yaml").exists()


def test_a_file_with_one_cluster_is_delivered_too(run, tmp_path):  # noqa: F811
    file = tmp_path / "home.yaml"
    file.write_text(FILE.replace("clusters:\n", ""))

    assert run("synth", file, "--output-folder", tmp_path / "dist")[0] == 0
    assert (tmp_path / "dist" / "fleet" / "flux" / "home.yaml").exists()


def test_one_cluster_alone_leaves_the_objects_of_the_others(run, tmp_path):  # noqa: F811
    file = tmp_path / "fleet.yaml"
    file.write_text(FILE + "  berlin: {}\n  paris: {}\n")

    assert run("synth", file, "--output-folder", tmp_path / "dist", "--cluster", "paris")[0] == 0
    written = {path for path in contents(tmp_path / "dist") if not path.endswith(RECORD)}
    assert written == {
        "fleet/argocd.yaml",
        "fleet/flux/berlin.yaml",
        "fleet/flux/paris.yaml",
        "paris/README.md",
        "paris/manifests/gpu.k8s.yaml",
    }


@pytest.mark.parametrize("empty", [{}, {"charts": None}, {"charts": {}}])
def test_a_cluster_without_charts_gets_no_objects(empty):
    both = objects({"argocd": {"repository": GIT}, "flux": {"repository": GIT}}, rome=empty)
    (generator,) = both["argocd.yaml"][0]["spec"]["generators"]

    assert list(both) == ["argocd.yaml", "flux/berlin.yaml", "flux/paris.yaml"]
    assert generator["git"]["directories"][1:] == [{"path": "dist/fleet", "exclude": True}, {"path": "dist/rome", "exclude": True}]


@pytest.mark.parametrize(
    ("path", "output_folder", "hint"),
    [
        ("dist", "clusters", "path: clusters"),
        ("live/clusters", "clusters", "path: clusters"),
        ("clusters", "clusters", None),
        ("live/clusters", "live/clusters", None),
    ],
)
def test_an_engine_that_reads_another_folder_than_the_written_one_is_warned_of(run, tmp_path, monkeypatch, path, output_folder, hint):  # noqa: F811
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fleet.yaml").write_text(FILE.replace("fleet}", f"fleet, path: {path}}}") + "  berlin: {}\n")
    status, _, message = run("synth", "fleet.yaml", "--output-folder", output_folder, "--no-check")
    expected = (
        f"talos-gpu synth: warning: delivery.argocd reads the folders of the clusters in '{path}', and '{output_folder}' is written; give 'path' "
        f"from the root of the repository, such as '{hint}', or --output-folder {path}\n"
    )

    assert (status, message) == (0, expected if hint else "")


def test_a_cluster_file_in_a_folder_of_the_repository_has_the_whole_path(run, tmp_path, monkeypatch):  # noqa: F811
    (tmp_path / "live").mkdir()
    monkeypatch.chdir(tmp_path / "live")
    (tmp_path / "live" / "fleet.yaml").write_text(FILE.replace("fleet}", "fleet, path: live/clusters}") + "  berlin: {}\n")

    assert run("synth", "fleet.yaml", "--output-folder", "clusters", "--no-check")[2] == ""


def test_the_folder_of_the_engines_is_left_with_a_note_where_the_file_has_no_delivery_any_more(run, tmp_path):  # noqa: F811
    file, out = tmp_path / "fleet.yaml", tmp_path / "dist"
    messages = []
    for text in (FILE, re.sub(r"(?s)delivery:.*?(?=clusters:)", "", FILE)):
        file.write_text(text + "  berlin: {}\n")
        messages.append(run("synth", file, "--output-folder", out, "--no-check")[2])
    other = tmp_path / "other.yaml"
    other.write_text(re.sub(r"(?s)delivery:.*?(?=clusters:)", "", FILE) + "  rome: {}\n")
    messages.append(run("synth", other, "--output-folder", out, "--no-check")[2])

    folder = out / "fleet"
    assert messages == ["", f"talos-gpu synth: {folder} is left: the cluster file no longer describes it: rm -r {folder}\n", ""]


REFUSED = [
    ("{}", "'delivery' must be a mapping with the key 'argocd' or 'flux'"),
    ("{argo: {}}", "'argo' must be a key of delivery (got {}); did you mean 'argocd'?"),
    ("{flux: {}}", "'repository' must be given (got nothing)"),
    ("{flux: {repository: ghcr.io/acme}}", "'repository' must be the address of a git repository ('https://…', 'ssh://…'), or of a registry ('oci://…') (got 'ghcr.io/acme')"),
    ("{flux: {repository: oci://ghcr.io/a, tags: v1}}", "'tags' must be a key of flux (got tags: v1); did you mean 'tag'?"),
    ("{flux: {repository: oci://ghcr.io/a, branch: main}}", "'branch' must be left out for a registry (got 'main'); choose 'tag' or 'semver'"),
    ("{flux: {repository: https://a.example/b, tag: v1}}", "'tag' must be left out for a git repository (got 'v1'); choose 'branch'"),
    ("{flux: {repository: oci://ghcr.io/a, tag: v1, semver: 1.x}}", "'semver' must be left out where 'tag' is given (got '1.x')"),
    ("{argocd: {repository: oci://ghcr.io/a, revision: v1}}", "'labels' must be given for artifacts of a registry (got null); {} is every registered cluster"),
    ("{argocd: {repository: oci://ghcr.io/a, labels: {}}}", "'revision' must be the tag of the artifacts of a registry (got 'HEAD'); such as latest"),
    ("{argocd: {repository: https://a.example/b, path: ../x}}", "'path' must be a folder from the root of the repository, such as 'dist' (got '../x')"),
    ("{argocd: {repository: https://a.example/b, labels: {gpu: true}}}", "'labels[gpu]' must be "),
]  # fmt: skip


@pytest.mark.parametrize(("delivery", "message"), REFUSED)
def test_a_wrong_delivery_is_refused_at_its_line_and_nothing_is_written(run, tmp_path, delivery, message):  # noqa: F811
    file = tmp_path / "fleet.yaml"
    file.write_text(re.sub(r"(?s)delivery:.*?(?=clusters:)", f"delivery: {delivery}\n", FILE) + "  berlin: {}\n")
    status, answer, messages = run("synth", file, "--output-folder", tmp_path / "dist")

    assert (status, answer) == (2, "")
    assert re.match(rf"talos-gpu synth: {re.escape(str(file))}:7: delivery[.\w]*: {re.escape(message)}", messages), messages
    assert not (tmp_path / "dist").exists()


def test_a_cluster_with_the_name_of_the_engines_folder_is_refused():
    with pytest.raises(FileError) as caught:
        fleet_delivery(ENGINES[0], ["berlin", "fleet"])

    assert str(caught.value.error) == (
        "'name' must be another name than 'fleet' in a file with 'delivery' (got 'fleet'); the folder of this name has the objects of the engines"
    )


@pytest.mark.parametrize("engines", ENGINES, ids=range(len(ENGINES)))
def test_the_schema_for_editors_accepts_a_delivery(engines):
    jsonschema = pytest.importorskip("jsonschema")
    content = {**yaml.safe_load(FILE), "clusters": {"berlin": None}, "delivery": engines}

    jsonschema.Draft202012Validator(cluster_schema()).validate(content)
    assert not jsonschema.Draft202012Validator(cluster_schema()).is_valid({**content, "delivery": {"argo": {}}})


def test_the_delivery_is_no_part_of_a_cluster():
    file = ClusterFile("fleet.yaml", FILE + "  berlin: {}\n")

    assert all("delivery" not in description for _, description in file.clusters())


@pytest.mark.parametrize("kind", [ArgoCdFleet, FluxFleet])
def test_a_delivery_is_a_value(kind):
    assert kind(repository=GIT) == kind(repository=GIT)
