"""`talos-gpu adopt`: the file, the differences, and what is refused."""

import json
from pathlib import Path

import pytest
import yaml
from command_line import refusal, run  # noqa: F401  # fixtures

RELEASE = """\
apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata: {name: nvidia, namespace: flux-system}
spec: {interval: 1h, url: "https://helm.ngc.nvidia.com/nvidia"}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: gpu-operator, namespace: gpu-operator}
spec:
  interval: 30m
  chart:
    spec: {chart: gpu-operator, version: v26.7.0, sourceRef: {kind: HelmRepository, name: nvidia, namespace: flux-system}}
  values:
    driver: {enabled: false}
    toolkit: {enabled: false}
    hostPaths: {driverInstallDir: /usr/local}
    operator: {defaultRuntime: containerd}
    dcgmExporter: {enabled: false}
"""
WORKLOAD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: llm, namespace: ai}
spec:
  selector: {matchLabels: {app: llm}}
  strategy: {type: Recreate}
  template:
    metadata: {labels: {app: llm}}
    spec:
      runtimeClassName: nvidia
      containers:
        - name: llm
          image: example/llm:1.0
          env: [{name: HOST, value: "llm.example.com"}]
          resources: {limits: {nvidia.com/gpu: 1}}
---
apiVersion: v1
kind: Service
metadata: {name: llm, namespace: ai}
spec: {selector: {app: llm}, ports: [{port: 80}]}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: ai}
spec: {selector: {app: web}, ports: [{port: 80}]}
"""
NODES = """\
machine:
  kernel: {modules: [{name: nvidia}, {name: nvidia_uvm}]}
  nodeLabels: {nvidia.com/gpu.present: "true"}
  install: {image: "factory.talos.dev/metal-installer/1deaeeb1ea2e7901c21c109368a7261f52dfd9a91e9d7eea83cfd0f0e1b7d488:v1.13.7"}
"""


@pytest.fixture
def tree(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "release.yaml").write_text(RELEASE)
    (folder / "workload.yaml").write_text(WORKLOAD)
    (folder / "machine.yaml").write_text(NODES)
    return folder


def written(path="cluster.yaml"):
    return yaml.safe_load(Path(path).read_text(encoding="utf-8"))


def parts(content):
    return {name: next(iter(part)) for chart in content["charts"].values() for name, part in chart["objects"].items()}


def test_a_repository_becomes_a_cluster_file_that_synth_accepts(run, tree):  # noqa: F811
    status, out, err = run("adopt", tree, "--talos", "1.13.7")

    assert (status, err) == (0, "")
    assert out.splitlines()[-1].startswith("cluster.yaml: whole, with named differences")
    assert (written()["talos"], written()["nodes"]["gpu"]) == ("1.13.7", {"labels": {"nvidia.com/gpu.present": "true"}})
    assert parts(written()) == {"gpu-operator": "NvidiaGpuOperator", "llm": "GpuWorkload"}
    assert run("synth", "cluster.yaml")[0] == 0


def test_values_that_the_construct_derives_are_left_out_and_others_are_carried(run, tree):  # noqa: F811
    run("adopt", tree, "--talos", "1.13.7")
    operator = written()["charts"]["gpu-operator"]["objects"]["gpu-operator"]["NvidiaGpuOperator"]

    assert operator["values"] == {"dcgmExporter": {"enabled": False}}
    assert operator["delivery"] == {"Flux": {"interval": "30m"}}


def test_each_difference_has_its_explanation(run, tree):  # noqa: F811
    _, out, _ = run("adopt", tree, "--talos", "1.13.7")

    assert "values.operator.defaultRuntime is left out: leave it out: the operator finds the container runtime by itself" in out
    assert "Deployment ai/llm: enableServiceLinks: False is added" in out
    assert "every other object of the repository stays where it is" in out


def test_what_to_keep_and_what_to_remove_is_named_with_its_file(run, tree):  # noqa: F811
    (tree / "gang.yaml").write_text(
        WORKLOAD.partition("---")[0].replace("kind: Deployment", "kind: DaemonSet").replace("name: llm,", "name: all,")
    )
    _, out, _ = run("adopt", tree, "--talos", "1.13.7")

    assert "/gang.yaml:1: DaemonSet ai/all: no construct makes a DaemonSet with GPUs" in out
    (keep,) = [line for line in out.splitlines() if line.startswith("to keep: ")]
    assert keep.endswith("/gang.yaml: DaemonSet ai/all")
    before = [line for line in out.splitlines() if line.startswith("to remove, before the new files are applied: ")]
    assert any("/workload.yaml: remove these objects alone: Deployment ai/llm" in line for line in before)
    assert any(line.startswith("to remove, once the new files are applied: ") and "Service ai/llm" in line for line in out.splitlines())


def test_a_placeholder_stays_as_it_is_written_and_is_not_understood(run, tree):  # noqa: F811
    (tree / "workload.yaml").write_text(WORKLOAD.replace("llm.example.com", "llm.${DOMAIN}"))
    status, out, _ = run("adopt", tree, "--talos", "1.13.7")

    assert status == 1
    assert "/workload.yaml:1: Deployment ai/llm: the file has ${DOMAIN} as it is written" in out
    assert "llm.${DOMAIN}" in (tree.parent / "cluster.yaml").read_text()


def test_an_unknown_talos_version_is_asked_for(refusal, tree):  # noqa: F811
    (tree / "machine.yaml").unlink()

    assert refusal("adopt", tree) == "--talos must be given: no file states the version; talosctl version prints it"


def test_a_talos_that_no_cluster_file_describes_is_named_with_its_place(refusal, tree):  # noqa: F811
    (tree / "machine.yaml").unlink()
    (tree / "talconfig.yaml").write_text(
        "clusterName: home\ntalosVersion: v1.7.4\nendpoint: https://10.0.0.1:6443\nnodes: [{hostname: gpu-1}]\n"
    )

    assert refusal("adopt", "repository") == (
        "'nodes' must be of Talos 1.8 or newer: a cluster file describes no older one (got '1.7.4'); repository/talconfig.yaml:2 says it"
    )


def test_a_file_is_replaced_only_with_the_flag(run, refusal, tree):  # noqa: F811
    (tree.parent / "cluster.yaml").write_text("mine\n")

    assert "--overwrite replaces it" in refusal("adopt", tree, "--talos", "1.13.7")
    assert (tree.parent / "cluster.yaml").read_text() == "mine\n"
    assert run("adopt", tree, "--talos", "1.13.7", "--overwrite")[0] == 0


def test_a_secret_is_named_and_never_copied(run, tree):  # noqa: F811
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: nvidia-ngc, namespace: ai}\nstringData: {token: hunter2}\n"
    (tree / "secret.yaml").write_text(secret)
    status, out, _ = run("adopt", tree, "--talos", "1.13.7")

    assert status == 1
    assert "not understood: " in out
    assert "a Secret stays where it is" in out
    assert "hunter2" not in (tree.parent / "cluster.yaml").read_text()


def test_differences_are_json_on_demand(run, tree):  # noqa: F811
    _, out, _ = run("adopt", tree, "--talos", "1.13.7", "--format", "json")
    content = json.loads(out)

    assert content["outcome"] == "whole, with named differences"
    assert {"explanation", "about", "reason", "file", "line", "rule"} == set(content["differences"][0])
    assert {"when", "file", "objects", "whole_file", "pruning"} == set(content["remove"][0])
    assert content["keep"] == []


def test_a_tree_without_gpus_writes_nothing(refusal, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.chdir(tmp_path)
    (tmp_path / "web.yaml").write_text("apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {ports: [{port: 80}]}\n")

    assert refusal("adopt", "web.yaml", "--talos", "1.14.0") == "web.yaml: no GPU stack was found; nothing that was read is a part of one"
    assert not (tmp_path / "cluster.yaml").exists()


def test_of_a_tree_in_which_nothing_was_read_no_object_is_spoken_of(refusal, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.chdir(tmp_path)
    (tmp_path / "e").mkdir()

    assert refusal("adopt", "e", "--talos", "1.14.0") == (
        "e: no GPU stack was found; nothing in it was a Kubernetes object, chart or node configuration"
    )


def test_of_a_tree_whose_parts_were_not_understood_a_part_is_named(refusal, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.chdir(tmp_path)
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: nvidia-ngc, namespace: ai}\nstringData: {token: hunter2}\n"
    (tmp_path / "secret.yaml").write_text(secret)
    answer = refusal("adopt", "secret.yaml", "--talos", "1.14.0")

    assert answer.startswith("secret.yaml: no part of a GPU stack was understood; not understood: ")
    assert "hunter2" not in answer


def test_the_app_of_a_repository_is_written_in_place_of_its_cluster_file(run, tree):  # noqa: F811
    status, out, err = run("adopt", tree, "--talos", "1.13.7", "--app", "main.py")
    text = Path("main.py").read_text(encoding="utf-8")

    assert (status, err) == (0, "")
    assert out.splitlines()[-1].startswith("main.py: whole, with named differences")
    assert "NvidiaGpuOperator(\n    chart,\n    'gpu-operator',\n    nodes=nodes," in text
    assert "GpuWorkload(" in text
    assert not Path("cluster.yaml").exists()


def test_an_app_is_replaced_only_on_demand(run, refusal, tree):  # noqa: F811
    Path("main.py").write_text("mine\n")

    assert refusal("adopt", tree, "--talos", "1.13.7", "--app", "main.py").startswith("--app must be a file that does not exist")
    assert Path("main.py").read_text() == "mine\n"
    assert run("adopt", tree, "--talos", "1.13.7", "--app", "main.py", "--overwrite")[0] == 0
    assert Path("main.py").read_text() != "mine\n"


def test_one_file_is_written(refusal, tree):  # noqa: F811
    assert "not allowed with argument" in refusal("adopt", tree, "--app", "main.py", "--cluster-file", "cluster.yaml")


def test_a_workload_with_gpus_in_several_containers_stays(run, tree):  # noqa: F811
    second = WORKLOAD.replace(
        "          resources: {limits", "          resources: {}\n        - name: b\n          image: b:1\n          resources: {limits"
    )
    (tree / "workload.yaml").write_text(second.replace("resources: {}", "resources: {limits: {nvidia.com/gpu: 2}}", 1))
    status, out, _ = run("adopt", tree, "--talos", "1.13.7")

    assert status == 1
    assert "Deployment ai/llm: not exactly one of its containers has a limit of GPUs" in out


IMAGE = """\
customization:
  systemExtensions:
    officialExtensions: [siderolabs/{modules}, siderolabs/nvidia-container-toolkit-{track}]
"""


@pytest.mark.parametrize(
    ("card", "modules", "track", "expected"),
    [
        ("NVIDIA-GB10", "nvidia-open-gpu-kernel-modules-production", "production", {"kernel_modules": "open"}),
        ("NVIDIA-GB10", "nonfree-kmod-nvidia-production", "production", {}),
        ("Tesla-P40", "nonfree-kmod-nvidia-lts", "lts", {"driver_track": "lts"}),
        ("NVIDIA-L4", "nvidia-open-gpu-kernel-modules-production", "production", {}),
        ("NVIDIA-L4", "nonfree-kmod-nvidia-lts", "lts", {"kernel_modules": "proprietary", "driver_track": "lts"}),
    ],
)
def test_the_modules_of_the_image_are_written_where_they_do_not_follow_from_the_card(run, tree, card, modules, track, expected):  # noqa: F811
    unknown = NODES.replace("1deaeeb1ea2e7901c21c109368a7261f52dfd9a91e9d7eea83cfd0f0e1b7d488", "0" * 64)
    (tree / "machine.yaml").write_text(unknown.replace('"true"}', f'"true", nvidia.com/gpu.product: {card}}}'))
    (tree / "schematic.yaml").write_text(IMAGE.format(modules=modules, track=track))
    run("adopt", tree, "--talos", "1.13.7")

    nodes = written()["nodes"]["gpu"]
    assert nodes["card"] == card
    assert {name: nodes[name] for name in ("kernel_modules", "driver_track") if name in nodes} == expected
