"""Chart versions: versions that work on no Talos, versions that are too old for this Talos, and versions that are not pinned."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...manifests.operator.version import OLDEST
from ...nodes.talos_version import Generation, dated
from ...observed.agents.operators import Operator, operators
from ...observed.model import Inputs, at, is_open, known_items, known_str, known_text, mappings
from ...observed.nodes.gpu_node_configs import gpu_nodes_run_talos
from ...upstream.charts import DCGM_EXPORTER, DEVICE_PLUGIN, DRA_DRIVER, FEATURE_DISCOVERY, GPU_OPERATOR, gpu_operator_chart
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._charts import operator_release, version_edits

_CHARTS = (GPU_OPERATOR, DEVICE_PLUGIN, DCGM_EXPORTER, DRA_DRIVER, FEATURE_DISCOVERY)
# Versions that mean the newest one: nothing, `*`, `x`, and ranges without an upper end.
_ANY = r"\s*(\*|x|latest|HEAD|>=?\s*v?[\d.]+(-0)?)?\s*"
_VERSION_ID = "os_release.VERSION_ID"


def _broken(inputs: Inputs) -> Iterator[Violation]:
    for operator in operators(inputs):
        reason = gpu_operator_chart.BROKEN.get(f"v{operator.version}")
        if reason and not _runs_another(inputs, operator) and not _version_is_mended(inputs):
            # If no node configuration has a GPU, the GPU nodes run another OS.
            is_mixed = bool(inputs.node_configs) and not gpu_nodes_run_talos(inputs)
            yield Violation(
                severity=Severity.WARNING if is_mixed else Severity.ERROR,
                message=f"gpu-operator v{operator.version} works on no Talos: {reason}",
                about=operator.about,
                path=operator.path(),
                fix=_recommended(inputs),
                edits=version_edits(operator.about, _newest(inputs)) if inputs.generation else (),
            )


def _runs_another(inputs: Inputs, operator: Operator) -> bool:
    """Whether the operator's image is not the chart's own."""
    if operator.release:
        return any(operator.written("operator", key) is not None for key in ("version", "image", "repository"))
    images = [known_text(at(each, "image")) for deployment in inputs.of_kind("Deployment") for _, each in deployment.containers]
    tags = [image.rpartition(":")[2] for image in images if "/gpu-operator:" in image]
    return any(tag != f"v{operator.version}" for tag in tags)


def _version_is_mended(inputs: Inputs) -> bool:
    """Whether a NodeFeatureRule gives nodes another OS version, or may."""
    listed = [rule.at("spec", "rules") for rule in inputs.of_kind("NodeFeatureRule")]
    labels = [at(each, "labels") for rules in listed for _, each in mappings(rules)]
    unread = inputs.may_hide("NodeFeatureRule") or any(map(is_open, (*listed, *labels)))
    return unread or any(_VERSION_ID in key for each in labels for key, _ in known_items(each))


def _too_old(inputs: Inputs) -> Iterator[Violation]:
    oldest, reason = OLDEST[inputs.generation or Generation.LEGACY]
    for operator in operators(inputs):
        if operator.is_older_than(oldest) and f"v{operator.version}" not in gpu_operator_chart.BROKEN:
            where = f"on Talos {inputs.talos_version}" if inputs.talos_version else "on Talos"
            yield Violation(
                severity=Severity.WARNING,
                message=f"gpu-operator v{operator.version} is older than {oldest}, the first version that is known to work {where}: {reason}",
                about=operator.about,
                path=operator.path(),
                fix=_recommended(inputs),
                edits=version_edits(operator.about, _newest(inputs)) if inputs.generation else (),
            )


def _newest(inputs: Inputs) -> str:
    return gpu_operator_chart.LEGACY if inputs.generation is Generation.LEGACY else str(GPU_OPERATOR.newest)


def _recommended(inputs: Inputs) -> str | None:
    """The fix for the Talos of the inputs. None if the version is not known: the rule's own fix names a version for each Talos."""
    if inputs.generation is None:
        return None
    if inputs.generation is Generation.LEGACY:
        return f"Set version: {gpu_operator_chart.LEGACY}"
    return f"Set version: {GPU_OPERATOR.newest}, {dated('the newest version that this library knows')}"


def _unpinned(inputs: Inputs) -> Iterator[Violation]:
    for release in inputs.of_chart(*_CHARTS):
        # A bare values file names no version; the version comes from the command that installs the chart.
        version = "" if release.version is None else known_str(release.version)
        if release.values_path and version is not None and re.fullmatch(_ANY, version):
            request = f"asks for {release.version!r}" if release.version else "names no version"
            yield Violation(
                severity=Severity.WARNING,
                message=f"the release {request} of the chart {release.chart}. The newest version is installed, whether it works on this Talos or not",
                about=release,
            )


_MENDED = """\
---
apiVersion: nfd.k8s-sigs.io/v1alpha1
kind: NodeFeatureRule
metadata: {name: talos-os-version}
spec:
  rules:
    - name: os-version
      labels: {feature.node.kubernetes.io/system-os_release.VERSION_ID: "1.13"}
      matchFeatures: [{feature: system.osrelease, matchExpressions: {ID: {op: In, value: [talos]}}}]
"""
RULES = (
    Rule(
        **WORDS["TG004"],
        severity=Severity.ERROR,
        check=_broken,
        failing=Example(talos="1.13", yaml=operator_release("v26.3.0")),
        passing=Example(talos="1.13", yaml=operator_release("v26.3.0") + _MENDED),
    ),
    Rule(
        **WORDS["TG029"],
        severity=Severity.WARNING,
        check=_unpinned,
        failing=Example(yaml=operator_release(pinned=False)),
        passing=Example(yaml=operator_release("26.7.x")),
    ),
    Rule(
        **WORDS["TG030"],
        severity=Severity.WARNING,
        check=_too_old,
        failing=Example(talos="1.13", yaml=operator_release("v25.10.1")),
        passing=Example(talos="1.13", yaml=operator_release("v26.3.1")),
    ),
)
