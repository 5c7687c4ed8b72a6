"""The presets of renovate/, read by Renovate itself in six layouts of trees, with our tables in the place of every registry."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from renovate_registries import registries

from conftest import needs
from constructs_lib.checks.rules import RULES
from constructs_lib.upstream.talos.releases import TALOS
from tools.publishing import publication
from tools.renovate_presets import presets

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "tests" / "renovate"

KUBELET = "ghcr.io/siderolabs/kubelet"
INSTALLER = "ghcr.io/siderolabs/installer"
PRESET = "cdk8s-nvidia-talos/renovate/talos"
TALOS_DEP = "siderolabs/talos"

RIGHT = {
    # The comment of 17 public trees, which watches the image that ends with Talos 1.13. The tree's own manager and the preset's find the same lines.
    "talhelper": {
        ("renovate.json", PRESET, "1.13"): {"1.14": "minor-1.14-talos"},
        ("talos/talenv.yaml", TALOS_DEP, "v1.13.9"): {"v1.13.12": "patch-talos", "v1.14.6": "minor-1.14-talos"},
        ("talos/talenv.yaml", INSTALLER, "v1.13.9"): {"v1.13.12": "patch-talos", "v1.14.6": "minor-1.14-talos"},
        ("talos/talenv.yaml", KUBELET, "v1.35.2"): {"v1.35.4": "patch-kubernetes", "v1.36.4": "minor-1.36-kubernetes"},
    },
    "omni": {
        ("renovate.json", PRESET, "1.13"): {"1.14": "minor-1.14-talos"},
        ("omni/cluster-template.yaml", TALOS_DEP, "v1.13.12"): {"v1.14.6": "minor-1.14-talos"},
        ("omni/cluster-template.yaml", KUBELET, "v1.36.1"): {"v1.36.4": "patch-kubernetes"},
        ("omni/cluster-template.yaml", "siderolabs/nonfree-kmod-nvidia-production", "v1.0.0"): {},
        ("omni/cluster-template.yaml", "siderolabs/nvidia-container-toolkit-production", "v1.0.0"): {},
    },
    "terraform": {
        ("renovate.json", PRESET, "1.12"): {"1.13": "minor-1.13-talos"},
        ("variables.tf", TALOS_DEP, "v1.12.9"): {"v1.12.12": "patch-talos", "v1.13.12": "minor-1.13-talos"},
        ("main.tf", TALOS_DEP, "v1.12.9"): {"v1.12.12": "patch-talos", "v1.13.12": "minor-1.13-talos"},
        ("deployments/config.yml", TALOS_DEP, "v1.12.9"): {"v1.12.12": "patch-talos", "v1.13.12": "minor-1.13-talos"},
        ("home.tfvars", KUBELET, "v1.34.1"): {"v1.34.4": "patch-kubernetes", "v1.35.4": "minor-1.35-kubernetes"},
        ("main.tf", "talos", "0.9.0"): {"0.10.1": "talos-0.x"},
        ("cluster.yaml", TALOS_DEP, "1.12.9"): {"1.12.12": "patch-talos", "1.13.12": "minor-1.13-talos"},
        ("main.tf", "gpu-operator", "v25.3.4"): {"v25.10.1": "gpu-operator", "v26.7.2": "major-gpu-operator"},
        ("main.tf", "nvidia-dra-driver-gpu", "25.3.0"): {},
    },
    "flux": {
        ("renovate.json", PRESET, "1.13"): {"1.14": "minor-1.14-talos"},
        ("kubernetes/upgrades.yaml", TALOS_DEP, "v1.13.12"): {"v1.14.6": "minor-1.14-talos"},
        ("talos/machineconfig.yaml.j2", TALOS_DEP, "v1.13.12"): {"v1.14.6": "minor-1.14-talos"},
        ("kubernetes/upgrades.yaml", KUBELET, "v1.36.4"): {},
        ("kubernetes/gpu-operator.yaml", "gpu-operator", "v25.10.1"): {"v26.7.2": "major-gpu-operator"},
        ("kubernetes/dra-driver.yaml", "registry.k8s.io/dra-driver-nvidia/charts/dra-driver-nvidia-gpu", "0.4.1"): {
            "0.5.1": "nvidia-dra-driver"
        },
    },
    # The Image Factory of this tree has v1.15.0, which the tables don't: the preset stays. Nothing of talos/others.yaml is a release of Talos or its Kubernetes.
    "argocd": {
        ("renovate.json", PRESET, "1.14"): {},
        ("talos/gpu-1.yaml", TALOS_DEP, "v1.14.2"): {"v1.14.6": "patch-talos", "v1.15.0": "minor-1.15-talos"},
        ("talos/images.yaml", TALOS_DEP, "v1.14.3"): {"v1.14.6": "patch-talos", "v1.15.0": "minor-1.15-talos"},
        ("talos/images.yaml", TALOS_DEP, "v1.14.4"): {"v1.14.6": "patch-talos", "v1.15.0": "minor-1.15-talos"},
        ("apps/gpu.yaml", "nvidia-device-plugin", "0.17.1"): {"0.20.1": "nvidia-device-plugin"},
        ("apps/gpu.yaml", "dcgm-exporter", "4.8.1"): {"4.8.2": "patch-dcgm-exporter", "4.9.0": "dcgm-exporter"},
    },
    # An image that stands there whole has the published tags only, and an extension with a version moves with Talos.
    "kustomize": {
        ("renovate.json", PRESET, "1.13"): {"1.14": "minor-1.14-talos"},
        ("talos/controlplane.yaml", INSTALLER, "v1.13.9"): {"v1.13.12": "patch-talos"},
        ("talos/gpu-1.yaml", INSTALLER, "v1.13.9"): {"v1.13.12": "patch-talos"},
        ("talos/gpu-1.yaml", "ghcr.io/siderolabs/nvidia-container-toolkit-lts", "535.247.01-v1.17.8"): {},
        ("talos/gpu-1.yaml", "ghcr.io/siderolabs/nvidia-open-gpu-kernel-modules-lts", "535.247.01-v1.13.9"): {},
        ("gpu/kustomization.yaml", "nvidia-device-plugin", "0.19.3"): {"0.20.1": "nvidia-device-plugin"},
        ("gpu/kustomization.yaml", "nvcr.io/nvidia/k8s-device-plugin", "v0.19.3"): {"v0.20.1": "nvidia-device-plugin"},
        ("gpu/exporter.yaml", "nvcr.io/nvidia/k8s/dcgm-exporter", "4.4.1-4.6.0-ubuntu22.04"): {"4.4.2-4.7.1-ubuntu22.04": "dcgm-exporter"},
    },
}
"""What is right to propose, by our tables: the versions, each with the branch of its pull request."""


@pytest.mark.parametrize("layout", RIGHT)
def test_renovate_proposes_what_the_tables_call_right(tmp_path, layout):
    tree = tmp_path / "tree"
    shutil.copytree(HERE / "trees" / layout, tree)
    for command in (["init", "--quiet"], ["add", "."]):
        subprocess.run(["git", *command], cwd=tree, check=True)

    assert proposals(tree, tmp_path, *["v1.15.0"][: layout == "argocd"]) == RIGHT[layout]


def proposals(tree: Path, scratch: Path, *more_talos: str) -> dict[tuple[str, str, str], dict[str, str]]:
    """What Renovate proposes for each version that it reads: the new versions, each with its branch."""
    folder = needs("RENOVATE", "Renovate (tools/renovate.sh)")
    report = scratch / "report.json"
    with registries(*more_talos) as address:
        env = {
            **os.environ,
            "REGISTRIES": address,
            "NODE_OPTIONS": f"--require {HERE / 'redirect.cjs'}",
            "LOG_LEVEL": "error",
            "RENOVATE_PLATFORM": "local",
            "RENOVATE_DRY_RUN": "lookup",
            "RENOVATE_BASE_DIR": str(scratch),
            "RENOVATE_REPORT_TYPE": "file",
            "RENOVATE_REPORT_PATH": str(report),
        }
        done = subprocess.run(
            [*node(), f"{folder}/node_modules/.bin/renovate"], cwd=tree, env=env, capture_output=True, text=True, check=False
        )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    found = json.loads(report.read_text())["repositories"]["local"]
    assert found["problems"] == []
    managers = {name: files for name, files in found["packageFiles"].items() if name != "renovate-config"}
    read = [
        (file["packageFile"], each)
        for files in managers.values()
        for file in files
        for each in file["deps"]
        if each["datasource"] != "kubernetes-api"
    ]
    return {
        (file, each["depName"], each["currentValue"]): {
            to["newValue"]: to["branchName"].removeprefix("renovate/") for to in each["updates"]
        }
        for file, each in read
    }


def test_the_validator_of_renovate_takes_every_preset():
    folder = needs("RENOVATE", "Renovate (tools/renovate.sh)")
    command = [*node(), f"{folder}/node_modules/.bin/renovate-config-validator", "--strict", "--no-global"]

    done = subprocess.run([*command, *sorted(map(str, (ROOT / "renovate").iterdir()))], capture_output=True, text=True, check=False)

    assert (done.returncode, f"validated successfully against {len(presets())} file(s)" in done.stdout) == (0, True), done.stdout


def test_the_validator_of_renovate_refuses_a_key_that_is_none(tmp_path):
    folder = needs("RENOVATE", "Renovate (tools/renovate.sh)")
    (tmp_path / "renovate.json").write_text('{"packageRule": []}')

    done = subprocess.run(
        [*node(), f"{folder}/node_modules/.bin/renovate-config-validator", "--strict", "--no-global", "renovate.json"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert (done.returncode, "Invalid configuration option: packageRule" in done.stdout) == (1, True)


def test_a_talos_that_the_tables_do_not_know_waits_for_an_approval():
    updates = applied({"newValue": new} for new in ("v1.14.6", "1.14", "v1.15.0", "v2.0.0"))

    assert {each["newValue"]: each.get("dependencyDashboardApproval", False) for each in updates} == {
        "v1.14.6": False,
        "1.14": False,
        "v1.15.0": True,
        "v2.0.0": True,
    }


def test_the_pull_request_says_what_to_run_and_what_the_next_talos_needs():
    minor, patch = (each["prBodyNotes"] for each in applied([{"updateType": "minor"}, {"updateType": "patch"}], "talos-1.12"))

    pages = f"{publication().release_address}/blob/HEAD/docs"
    assert minor == [
        f"[`talos-gpu diff origin/main origin/renovate/x`]({pages}/changes.md) says what this changes for the GPUs. Run it before the merge.",
        f"From Talos 1.14 on only the Image Factory has installer images: [TG132]({pages}/rules.md#tg132). An image has one driver: [TG080]({pages}/rules.md#tg080).",
        f"Talos 1.13 runs Kubernetes 1.31 to 1.36 ([TG090]({pages}/rules.md#tg090)), and gpu-operator v26.3.1 or newer ([TG030]({pages}/rules.md#tg030)).",
    ]
    assert patch == minor[:2]


def test_an_installer_that_stands_there_whole_has_the_limit_of_its_talos():
    (update,) = applied([{"depName": INSTALLER, "packageName": INSTALLER, "datasource": "docker"}], "talos-1.10")

    assert (update.get("groupName"), update.get("allowedVersions")) == ("Talos", "<1.12")


def test_the_terraform_provider_siderolabs_talos_is_not_talos():
    (update,) = applied([{"datasource": "terraform-provider", "updateType": "minor", "newValue": "2.0.0"}], "talos-1.12")

    assert {"groupName", "allowedVersions", "dependencyDashboardApproval"} & update.keys() == set()
    assert update["prBodyNotes"] == []


@pytest.mark.parametrize("name", ["docker.io/rocm/k8s-device-plugin", "rocm/gpu-operator"])
def test_the_charts_and_images_of_amd_are_not_those_of_nvidia(name):
    (update,) = applied([{"depName": name, "packageName": name}], "talos-1.13")

    assert {"groupName", "allowedVersions"} & update.keys() == set()


def test_a_dependency_of_jsonata_without_a_replace_string_comes_from_the_image_factory():
    (update,) = applied([{"depName": INSTALLER, "packageName": INSTALLER, "manager": "custom.jsonata", "datasource": "docker"}])

    assert (update["packageName"], update["datasource"]) == (TALOS_DEP, "custom.talos-factory")


def test_the_kubelet_has_a_limit_as_a_release_of_github_and_kubectl_has_none():
    kubelet = {"depName": "siderolabs/kubelet", "packageName": "siderolabs/kubelet", "datasource": "github-releases"}
    kubectl = {"depName": "kubectl", "packageName": "kubernetes/kubernetes", "manager": "mise", "datasource": "github-releases"}

    assert [(each.get("groupName"), each.get("allowedVersions")) for each in applied([kubelet, kubectl], "talos-1.12")] == [
        ("Kubernetes", "<1.36"),
        (None, None),
    ]


def test_more_updates_than_a_pipe_holds_are_applied():
    assert len(applied([{"newValue": "v1.14.6"}] * 40)) == 40


def applied(updates: Iterable[dict], *more: str) -> list[dict]:
    """What Renovate makes of updates of Talos with the preset default and others."""
    folder = needs("RENOVATE", "Renovate (tools/renovate.sh)")
    dep = {"depName": TALOS_DEP, "packageName": TALOS_DEP}
    rules = [rule for preset in ("default", *more) for rule in json.loads(presets()[f"{preset}.json"])["packageRules"]]
    config = {**dep, "datasource": "custom.talos-factory", "baseBranch": "main", "branchName": "renovate/x", "packageRules": rules}
    done = subprocess.run(
        [*node(), str(HERE / "apply_rules.mjs"), folder],
        input=json.dumps([{**config, **each} for each in updates]), capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


def node() -> list[str]:
    """Node 24, which Renovate needs: that of the environment."""
    return [os.environ.get("JSII_NODE") or str(ROOT / ".venv" / "node")]


def test_the_files_are_those_of_the_tables():
    assert {path.name: path.read_text() for path in (ROOT / "renovate").iterdir()} == presets()


def test_each_preset_of_a_minor_ends_where_the_kubernetes_of_its_talos_ends():
    ends = {
        minor: next(
            rule["allowedVersions"]
            for rule in json.loads(presets()[f"talos-{minor}.json"])["packageRules"]
            if KUBELET in rule["matchPackageNames"]
        )
        for minor in ("1.12", "1.13", "1.14")
    }

    assert ends == {minor: f"<1.{TALOS[minor].kubernetes[1] + 1}" for minor in ends} == {"1.12": "<1.36", "1.13": "<1.37", "1.14": "<1.38"}


def test_the_operator_that_works_on_no_talos_is_never_proposed():
    rules = json.loads(presets()["default.json"])["packageRules"]

    assert next(rule["allowedVersions"] for rule in rules if rule.get("groupName") == "GPU operator") == r"!/^v?(26\.3\.0)$/"


def test_a_minor_with_pre_releases_only_has_no_preset():
    assert "talos-1.15.json" not in presets()


def test_no_operator_is_hidden_where_each_of_them_works():
    assert [minor for minor in TALOS if "The GPU operators" in presets().get(f"talos-{minor}.json", "")] == ["1.13", "1.14"]


def test_every_rule_that_a_note_links_is_a_rule():
    linked = {name.upper() for page in presets().values() for name in re.findall(r"rules\.md#(\w+)", page)}

    assert linked <= RULES.keys()


def test_no_pattern_needs_more_than_re2_can():
    """https://github.com/google/re2/wiki/Syntax: no look-around, and no reference to a group."""
    assert [page for page in presets().values() if re.search(r"\(\?<?[=!]|\\\\[1-9]", page)] == []
