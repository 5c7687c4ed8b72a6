"""`check()`: the checks as a function, for tests and for programs that create manifests without cdk8s."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..arguments.errors import wrong_kind
from ..arguments.keywords import named_arguments
from ..arguments.plain_values import instance, text
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.talos_version import TalosVersion
from ..observed.model import Inputs
from ..observed.read.repository import read, read_manifests
from .engine import known, node_classes, run_rules
from .rule import Finding

_RULE = "paths of files and folders, or manifests"


@named_arguments()
def check(
    given: str | Path | Iterable[str | Path] | Iterable[Mapping[str, Any]],
    *,
    nodes: GpuNodes | Iterable[GpuNodes] = (),
    talos_version: str | TalosVersion | None = None,
    kubernetes_version: str | None = None,
    chart: str | None = None,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
) -> list[Finding]:
    """Check files, or manifests, by the rules of `talos-gpu check`: known failure modes of NVIDIA GPUs on Talos.

    The arguments and the annotations of the objects are the only settings: the function does not read
    `.talos-gpu.yaml`.

    Args:
        given: The path of a file or a folder, or several; or manifests, as `Testing.synth(chart)` gives them.
        nodes: The classes of GPU nodes of the cluster. Default: the nodes that the files describe.
        talos_version: The Talos of the nodes, such as "1.13". Default: the version of `nodes`, or the version that all
            files agree on.
        kubernetes_version: The Kubernetes of the cluster, such as "1.35". Default: the version in the files.
        chart: The chart of bare values files, such as "gpu-operator@v26.7.0". Default: bare values files are skipped.
        select: The ids of the rules that run. Default: all rules.
        ignore: The ids of the rules that do not run. Default: none.

    Returns:
        The findings that are not silenced, by file and line.

    Raises:
        TypeError, ValueError: `'given' must be …`, `'nodes' must be …`, `'talos_version' must be …`,
            `'select' must be …`.
        OSError: For a path that does not exist.
        RuntimeError: `rule TG… failed …` for a bug in a rule. The findings of the other rules: `ignore` the rule, or
            run `talos-gpu check`.

    Example:
        >>> pod = {"metadata": {"name": "a"}, "spec": {"containers": [{"name": "a", "resources": {"limits": {"nvidia.com/gpu": 0.5}}}]}}
        >>> [each.rule for each in check([{"apiVersion": "v1", "kind": "Pod", **pod}], talos_version="1.14") if each.severity == "error"]
        ['TG045']

    https://github.com/siderolabs/talos/issues
    """
    classes = node_classes(nodes)
    selected, ignored = known("select", select), known("ignore", ignore)
    if chart is not None:
        text("chart", chart, "a chart's name, such as 'gpu-operator@v26.7.0'")
    talos = TalosVersion.parse("talos_version", talos_version) if talos_version is not None else None
    settings: dict[str, Any] = {"talos": talos, "kubernetes": kubernetes_version, "nodes": classes}
    findings = run_rules(_read(given, chart, settings), select=selected, ignore=ignored)
    return [each for each in findings if each.ignored is None]


def _read(given: object, chart: str | None, settings: dict[str, Any]) -> Inputs:
    if isinstance(given, str | Path):
        return _read([given], chart, settings)
    if not isinstance(given, Iterable) or isinstance(given, Mapping):
        raise wrong_kind("given", _RULE, given, "put a manifest into a list" if isinstance(given, Mapping) else "")
    several = list(given)
    if all(isinstance(each, Mapping) for each in several):
        return read_manifests((("", each) for each in several), **settings)
    for each in several:
        Path(instance("given", each, str | Path, _RULE)).stat()
    return read(several, chart=chart, **settings)
