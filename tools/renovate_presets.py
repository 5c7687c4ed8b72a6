"""The presets for Renovate in renovate/, from the tables of upstream/: default.json, and one for each released minor of Talos. `make docs` writes them.

A preset can't compare two files of a repository. So what a Talos can run is a preset of its own, and Renovate moves the line that names the preset in the pull
request that moves Talos.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from constructs_lib.upstream.charts import DCGM_EXPORTER, DEVICE_PLUGIN, DRA_DRIVER, GPU_OPERATOR, gpu_operator_chart
from constructs_lib.upstream.charts.chart import Chart
from constructs_lib.upstream.talos.extension_names import PREFIX, REGISTRY, TRACKED
from constructs_lib.upstream.talos.features import IMAGE_FACTORY
from constructs_lib.upstream.talos.generations import needs_of
from constructs_lib.upstream.talos.installer_images import PUBLISHED_INSTALLER
from constructs_lib.upstream.talos.releases import PREVIEW, TALOS
from tools.publishing import publication

ROOT = Path(__file__).resolve().parent.parent
_NAME = "cdk8s-nvidia-talos"
_SCHEMA = "https://docs.renovatebot.com/renovate-schema.json"

_TALOS = "siderolabs/talos"
_PRESET = f"{_NAME}/renovate/talos"  # the line of a repository that names the preset of its Talos
_KUBELET = "ghcr.io/siderolabs/kubelet"
_FACTORY = "custom.talos-factory"
_CONTROL_PLANE = ("apiserver", "controller-manager", "scheduler", "proxy")
_KUBERNETES = [_KUBELET, "siderolabs/kubelet", "kubernetes/kubernetes", *(f"registry.k8s.io/kube-{each}" for each in _CONTROL_PLANE)]

_NO_KUBECTL = {"matchDepNames": ["!kubectl"]}  # mise and asdf read kubectl from kubernetes/kubernetes

# What has the releases of Talos: the Image Factory, and images of Talos' own releases.
_RELEASED_WITH = [_TALOS, PUBLISHED_INSTALLER, "ghcr.io/siderolabs/imager", "ghcr.io/siderolabs/talosctl"]
# The Terraform provider of the same name has versions of its own.
_NO_PROVIDER = {"matchDatasources": ["!terraform-provider"]}

_FILES = [r"/\.(ya?ml|tf|tfvars)(\.j2)?$/"]
_CLUSTER_FILES = [r"/(^|/)cluster\.ya?ml$/"]
_CONFIGS = [r"/(^|/)\.?renovate(rc)?(\.json5?)?$/", r"/(^|/)\.?renovate/.+\.json5?$/"]
_RELEASE = r"v\d+\.\d+\.\d+(?:-(?:alpha|beta|rc)\.\d+)?"
_EDGE = r"(?:[^-+@.\w\n]|(?m:$))"  # k3s and RKE2 have a suffix, and the digest of another image would stay behind a tag
_VALUE = rf"""["']?(?<currentValue>{_RELEASE}){_EDGE}"""
_CLUSTER_FILE = rf"""(?m:^)talos:[ \t]*["']?(?<currentValue>\d+\.\d+\.\d+){_EDGE}"""
_WITHOUT_V = {"extractVersionTemplate": r"^v(?<version>.+)$"}
_NO_COMMENT = r"(?m:^)[^#\n]*"
_LINE = r"(?:[^-\n][^\n]*|-(?:[^-\n][^\n]*)?)?\n"  # a line of the same YAML document


def presets() -> dict[str, str]:
    """Each preset by the name of its file in renovate/."""
    pages = {"default": _default(), **{f"talos-{minor}": _of_minor(minor) for minor in _released()}}
    return {f"{name}.json": json.dumps({"$schema": _SCHEMA, **page}, indent=2) + "\n" for name, page in pages.items()}


def _released() -> list[str]:
    return [minor for minor in TALOS if minor != PREVIEW]


def _number(minor: str) -> int:
    return int(minor.partition(".")[2])


def _default() -> dict[str, Any]:
    return {
        "description": "Talos, Kubernetes and NVIDIA's charts on Talos, for every release of Talos. Add the preset of your own release, such as "
        f"talos-{_released()[-1]}, below this one.",
        "customDatasources": {
            "talos-factory": {
                "defaultRegistryUrlTemplate": f"https://{IMAGE_FACTORY}/versions",
                "format": "json",
                "transformTemplates": [f'{{"releases": [$.{{"version": $}}], "sourceUrl": "https://github.com/{_TALOS}"}}'],
            }
        },
        "customManagers": _managers(),
        "packageRules": [*_of_talos(), *_of_charts()],
    }


def _managers() -> list[dict[str, Any]]:
    talos = {"datasourceTemplate": _FACTORY, "depNameTemplate": _TALOS, "versioningTemplate": "semver"}
    kubernetes = {"datasourceTemplate": "docker", "depNameTemplate": _KUBELET}
    line = {
        **talos,
        "depNameTemplate": _PRESET,
        "extractVersionTemplate": r"^v(?<version>\d+\.\d+)\.\d+$",
        "versioningTemplate": r"regex:^(?<major>\d+)\.(?<minor>\d+)$",
    }
    image = rf"""{_NO_COMMENT}{re.escape(IMAGE_FACTORY)}/(?:[a-z0-9-]+-)?installer(?:-secureboot)?/[^:"'\n]+:(?<currentValue>{_RELEASE}){_EDGE}"""
    return [
        _manager("Talos' release in files of talhelper and Terraform, and in other YAML", _FILES, _written("talos"), talos),
        _manager("Kubernetes' release in the same files", _FILES, _written("kubernetes"), kubernetes),
        _manager("Talos' release in cluster templates of Omni and upgrades of tuppr", _FILES, _template("TalosUpgrade", "talos"), talos),
        _manager("Kubernetes' release in the same files", _FILES, _template("KubernetesUpgrade", "kubernetes"), kubernetes),
        _manager("Images of the Image Factory, which have Talos' release as their tag", _FILES, [image], talos),
        _manager("Talos' release in the cluster file of talos-gpu", _CLUSTER_FILES, [_CLUSTER_FILE], {**talos, **_WITHOUT_V}),
        _manager("The preset of a release of Talos", _CONFIGS, [rf"/{_NAME}//renovate/talos-(?<currentValue>\d+\.\d+)"], line),
    ]


def _manager(description: str, files: list[str], matches: list[str], target: Mapping[str, str]) -> dict[str, Any]:
    return {"customType": "regex", "description": description, "managerFilePatterns": files, "matchStrings": matches, **target}


def _written(name: str) -> list[str]:
    """A release as talhelper and Terraform write it: `talosVersion: v1.13.9`, `talos_version = "v1.13.9"`, and the default of such a variable."""
    return [
        rf"{_NO_COMMENT}\b{name}(?:Version|_version)\s*[:=]\s*{_VALUE}",
        rf'variable\s+"{name}_version"\s*\{{[^}}]*?\bdefault\s*=\s*{_VALUE}',
    ]


def _template(kind: str, key: str) -> list[str]:
    """A release in the template of a cluster, or in an upgrade of another kind: `version` below `talos` or `kubernetes`."""
    return [rf"kind:\s*(?:Cluster|{kind})(?:[ \t\r][^\n]*)?\n(?:{_LINE})*?[ \t]*{key}:\s*\n(?:\s*#[^\n]*\n)*\s+version:\s*{_VALUE}"]


def _of_talos() -> list[dict[str, Any]]:
    newest = _number(_released()[-1])
    return [
        {
            "description": f"{PUBLISHED_INSTALLER} ends with Talos 1.13; the versions of the Image Factory go on",
            "matchManagers": ["custom.regex", "custom.jsonata"],
            "matchDatasources": ["docker", "github-releases", "github-tags"],
            "matchPackageNames": [PUBLISHED_INSTALLER, _TALOS],
            # An image that stands there whole has the published tags only.
            "matchJsonata": [f"$not($contains(replaceString ? replaceString : '', '{PUBLISHED_INSTALLER}:'))"],
            **_of_factory(),
        },
        {
            "description": "No registry lists the tags of the Image Factory's images",
            "matchPackageNames": [rf"/^{re.escape(IMAGE_FACTORY)}/.*installer/"],
            **_of_factory(),
        },
        {
            "description": "Every place that names the release of Talos moves at once, by one minor in a pull request",
            "matchPackageNames": [*_RELEASED_WITH, _PRESET],
            **_NO_PROVIDER,
            "groupName": "Talos",
            "separateMinorPatch": True,
            "separateMultipleMinor": True,
            "prBodyNotes": [_diff(), f"From Talos 1.14 on only the Image Factory has installer images: {_rules('tg132')}. An image has one driver: {_rules('tg080')}."],
        },
        {
            "description": f"Nothing is known of a Talos newer than 1.{newest}",
            "matchPackageNames": _RELEASED_WITH,
            **_NO_PROVIDER,
            "matchNewValue": f"!/^v?1\\.({'|'.join(map(str, range(newest + 1)))})(\\.|$)/",
            "dependencyDashboardApproval": True,
        },
        {
            "description": "The parts of Kubernetes move at once, by one minor in a pull request",
            "matchPackageNames": _KUBERNETES,
            **_NO_KUBECTL,
            "groupName": "Kubernetes",
            "separateMinorPatch": True,
            "separateMultipleMinor": True,
            "prBodyNotes": [_diff(), f"Each Talos runs certain releases of Kubernetes: {_rules('tg090')}."],
        },
        {
            "description": "NVIDIA's extensions belong to the release of Talos: the Image Factory chooses their version",
            "matchPackageNames": [f"/^({re.escape(REGISTRY)})?{PREFIX}({'|'.join(TRACKED)})(-|$)/"],
            "enabled": False,
        },
    ]  # fmt: skip


def _of_factory() -> dict[str, Any]:
    return {"overrideDatasource": _FACTORY, "overridePackageName": _TALOS, "versioning": "semver", "pinDigests": False}


def _of_charts() -> list[dict[str, Any]]:
    broken = "|".join(re.escape(each.removeprefix("v")) for each in gpu_operator_chart.BROKEN)
    return [
        {**_chart(GPU_OPERATOR, "GPU operator", "tg004", "tg030", "tg027"), "allowedVersions": f"!/^v?({broken})$/"},
        _chart(DEVICE_PLUGIN, "NVIDIA device plugin", "tg009", "tg026", "tg027"),
        _chart(DRA_DRIVER, "NVIDIA DRA driver", "tg031", "tg032", "tg093"),
        {**_chart(DCGM_EXPORTER, "DCGM exporter", "tg100", "tg125"), "separateMinorPatch": True},
        {
            "description": "A tag of the exporter's image has the version of DCGM first",
            "matchDatasources": ["docker"],
            "matchPackageNames": ["/(^|/)dcgm-exporter$/"],
            "matchCurrentValue": r"/^\d+\.\d+\.\d+-\d/",
            "versioning": r"regex:^\d+\.\d+\.\d+-(?<major>\d+)\.(?<minor>\d+)\.(?<patch>\d+)-(?<compatibility>.+)$",
        },
    ]


def _chart(chart: Chart, group: str, *rules: str) -> dict[str, Any]:
    known = chart.table.released or chart.newest
    return {
        "description": f"The chart and the images of the {group} move at once",
        "matchPackageNames": _names(chart),
        "groupName": group,
        "prBodyNotes": [_diff(), f"The tables of these rules know {chart.name} up to {known}: {_rules(*rules)}."],
    }


def _names(chart: Chart) -> list[str]:
    """AMD's device plugin and operator have the same names, below rocm/."""
    return [f"/(^|/)({'|'.join((chart.name, *chart.aliases))})$/", "!/(^|/)rocm//i"]


def _of_minor(minor: str) -> dict[str, Any]:
    number = _number(minor)
    needs, (first, last) = needs_of(number), TALOS[minor].kubernetes
    rules = [
        _rule(
            f"Talos {minor} upgrades to no minor after 1.{number + 1}", _RELEASED_WITH, **_NO_PROVIDER, allowedVersions=f"<1.{number + 2}"
        ),
        _rule("The preset moves with Talos", [_PRESET], allowedVersions=f"<={min(f'1.{number + 1}', _released()[-1], key=_number)}"),
        *_next(number + 1),
        _rule(f"Talos {minor} runs Kubernetes 1.{first} to 1.{last}", _KUBERNETES, **_NO_KUBECTL, allowedVersions=f"<1.{last + 1}"),
    ]
    if needs.operator:
        oldest = needs.operator.removeprefix("v")
        rules.append(_rule(f"The GPU operators that work on Talos {minor}", _names(GPU_OPERATOR), allowedVersions=f">={oldest}"))
    if not needs.has_dra:
        rules.append(_rule(f"The DRA driver finds no driver on Talos {minor}", _names(DRA_DRIVER), enabled=False))
    return {"description": f"What Talos {minor} runs. It goes below the preset default.", "packageRules": rules}


def _next(number: int) -> Iterable[dict[str, Any]]:
    """What the next minor of Talos needs before the upgrade, if it is known."""
    minor = f"1.{number}"
    if minor in TALOS:
        first, last = TALOS[minor].kubernetes
        words = f"Talos {minor} runs Kubernetes 1.{first} to 1.{last} ({_rules('tg090')})"
        if (operator := needs_of(number).operator) != needs_of(number - 1).operator:
            words += f", and gpu-operator {operator} or newer ({_rules('tg030')})"
        yield _rule(f"What Talos {minor} needs", [_TALOS], **_NO_PROVIDER, matchUpdateTypes=["minor"], prBodyNotes=[f"{words}."])


def _rule(description: str, names: list[str], **settings: Any) -> dict[str, Any]:
    return {"description": description, "matchPackageNames": names, **settings}


def _diff() -> str:
    ref = "`talos-gpu diff origin/{{{baseBranch}}} origin/{{{branchName}}}`"
    return f"[{ref}]({_page('changes.md')}) says what this changes for the GPUs. Run it before the merge."


def _rules(*names: str) -> str:
    return ", ".join(f"[{name.upper()}]({_page(f'rules.md#{name}')})" for name in names)


def _page(name: str) -> str:
    return f"{publication().release_address}/blob/HEAD/docs/{name}"
