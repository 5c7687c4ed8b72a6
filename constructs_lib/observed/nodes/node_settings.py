"""Node configurations: which are of GPU nodes, their Talos, their completeness, the default runtime, mirrors and
feature gates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...nodes.factory_ids import id_of_written
from ...nodes.talos_version import TalosVersion, is_too_old
from ...upstream.kubernetes.registries import CATCH_ALL, MIRROR_KIND
from ...upstream.talos.features import RUNTIME_CLASS
from ...upstream.talos.folders import CLUSTERTOOL
from ..model import (
    Answer,
    Inputs,
    NodeConfig,
    Unknown,
    answer,
    any_of,
    at,
    contains,
    equals,
    is_given,
    is_unknown,
    known_items,
    known_list,
    known_str,
    question,
    text_of,
)
from ..model.talos_documents import OLD_RUNTIME, default_of, fragments


def is_for_gpus(config: NodeConfig) -> bool:
    """Whether a node configuration is for NVIDIA cards, by its extensions or its kernel modules."""
    names = [*(config.extensions or ()), *(config.kernel_modules or ())]
    return any(contains(name, "nvidia").is_yes for name in names)


@question
def gpu_node_configs(inputs: Inputs) -> list[NodeConfig]:
    """The node configurations for NVIDIA cards, without patches that no node gets."""
    return [config for config in inputs.node_configs if is_for_gpus(config) and not config.left_out_by]


def names_image(inputs: Inputs, schematic_id: str) -> bool:
    """Whether a node configuration names an image of a schematic."""
    return any(schematic_id in f"{config.image}" for config in inputs.node_configs if config.image is not None)


def is_image_of_another(inputs: Inputs, config: NodeConfig) -> bool:
    """Whether a configuration is only the schematic whose image another one names: it describes no further node."""
    schematic = config.at("schematic")
    written = id_of_written(schematic) if isinstance(schematic, Mapping) and not config.documents else None
    return written is not None and names_image(inputs, written)


@question
def gpu_nodes_run_talos(inputs: Inputs) -> bool:
    """Whether the nodes with GPUs surely run Talos.

    In a mixed cluster GPU nodes may run another OS, whose driver and toolkit the operator can install. A Talos version
    without a node configuration is the user's statement about the nodes of the manifests.
    """
    if inputs.nodes or gpu_node_configs(inputs):
        return True
    return inputs.talos_version is not None and not inputs.node_configs


def minor_of(version: Any) -> int | None:
    """The minor of a version such as v1.35.4; None for an unreadable version."""
    match = re.match(r"v?1\.(\d+)", version) if isinstance(version, str) else None
    return int(match[1]) if match else None


def has_dra_gate(inputs: Inputs) -> bool:
    """Whether a program has DRA on, or may, in a Kubernetes that has the beta feature off by default."""
    return may_have_gate(inputs, "DynamicResourceAllocation", "AllBeta")


def may_have_gate(inputs: Inputs, gate: str, stage: str) -> bool:
    """Whether a node configuration switches a feature gate on for a program, or may: by its name, which wins, or by its
    stage. The settings of the other programs may be in files that were not read."""
    texts = (text for config in inputs.node_configs for text in _arguments(config.body, "feature-gates", is_inside=True))
    return any(not _is_on([text], gate, stage).is_no for text in texts)


def serves_api(inputs: Inputs, api: str) -> bool:
    """Whether a machine configuration serves the version by `runtime-config`. The version itself wins over `api/beta`,
    `api/alpha` and `api/all`, in this order.

    Source: k8s.io/apiserver pkg/server/resourceconfig/helpers.go at v0.37.2 (2026-11-28)
    """
    stage = "api/beta" if "beta" in api else "api/alpha" if "alpha" in api else "api/ga"
    for config in inputs.node_configs:
        pairs = dict(
            (f"{pair.strip()}=true".split("=")[:2]) for text in _arguments(config.body, "runtime-config") for pair in f"{text}".split(",")
        )
        if next((pairs[key] for key in (api, stage, "api/all") if key in pairs), "false").lower() in _TRUE:
            return True
    return False


def api_server_has_gate(inputs: Inputs, gate: str, stage: str) -> Answer:
    """Whether a machine configuration switches a feature gate of the API server on: by its name, which wins, or by its
    stage, `AllAlpha` or `AllBeta`.

    Source: k8s.io/component-base featuregate/feature_gate.go, compatibility/registry.go at v0.37.2 (2026-11-28)
    """
    return any_of(_is_on([*_arguments(config.body, "feature-gates")], gate, stage) for config in inputs.node_configs)


_TRUE = ("true", "1", "t")


def _is_on(texts: Sequence[str | Unknown], gate: str, stage: str) -> Answer:
    written = [pair.strip().removeprefix("kube:").partition("=") for text in texts if isinstance(text, str) for pair in text.split(",")]
    pairs = {key.strip(): value.strip().lower() for key, _, value in written}
    said = next((pairs[key] for key in (gate, stage) if key in pairs), None)
    return Answer.UNKNOWN if said is None and any(map(is_unknown, texts)) else answer(said in _TRUE)


_HOLDERS = ("extraArgs", "extraConfig")


def _arguments(body: object, name: str, *, is_inside: bool = False) -> Iterator[str | Unknown]:
    """The texts of an argument of the API server in a machine configuration: in fields, in documents and in patches.

    Those of every program if `is_inside`, also the gates in the configuration of the kubelet or of the scheduler.
    """
    if isinstance(body, Mapping):
        is_inside = is_inside or equals(body.get("kind"), "KubeAPIServerConfig").is_yes or "apiServer" in f"{body.get('path')}"
        is_patch = f"{body.get('path')}".endswith(f"/{name}")
        for key, value in known_items(body):
            if is_inside and (key == name or (is_patch and key == "value")):
                texts = map(text_of, value if isinstance(value, list) else [value])
                yield from (each for each in texts if each is not None)
            elif is_inside and key == "featureGates" and isinstance(value, Mapping):
                yield from filter(is_unknown, value.values())
                yield ",".join(f"{gate}={on}" for gate, on in known_items(value) if not is_unknown(on))
            elif is_inside and key in _HOLDERS and is_unknown(value):
                yield value
            else:
                yield from _arguments(value, name, is_inside=is_inside or key == "apiServer")
    elif isinstance(body, list):
        for each in body:
            yield from _arguments(each, name, is_inside=is_inside)


def catch_all_endpoints(inputs: Inputs) -> tuple[tuple[str, bool], ...] | None:
    """The endpoints of the mirror `*` of every node, each once, and whether its path is taken as it is.

    None where an endpoint is not known, and where no mirror and no whole machine configuration was read: a patch says
    nothing about the rest.
    """
    found = dict.fromkeys(each for mirror in _mirrors(inputs) for each in _endpoints(mirror))
    is_whole = any(config.scope == "node" and config.complete for config in inputs.node_configs)
    return None if None in found or not (found or is_whole) else tuple(each for each in found if each is not None)


def catch_all_skips_fallback(inputs: Inputs) -> bool:
    """Whether a mirror `*` keeps the nodes from the registries themselves."""
    return any(equals(at(mirror, "skipFallback"), True).is_yes for mirror in _mirrors(inputs))


def _mirrors(inputs: Inputs) -> Iterator[Any]:
    for config in inputs.node_configs:
        for _, document in config.documents:
            if equals(at(document, "kind"), MIRROR_KIND).is_yes and equals(at(document, "name"), CATCH_ALL).is_yes:
                yield document
            mirror = at(document, "machine", "registries", "mirrors", CATCH_ALL)
            if isinstance(mirror, Mapping):
                yield mirror


def _endpoints(mirror: Any) -> Iterator[tuple[str, bool] | None]:
    """The endpoints in both forms of a mirror: an address each, or a mapping each."""
    endpoints = at(mirror, "endpoints")
    if is_given(endpoints) and not known_list(endpoints):
        yield None
    for each in known_list(endpoints) or ():
        url = known_str(at(each, "url") if isinstance(each, Mapping) else each)
        holder = each if isinstance(each, Mapping) else mirror
        yield None if url is None else (url, equals(at(holder, "overridePath"), True).is_yes)


def talos_of(config: NodeConfig, inputs: Inputs) -> TalosVersion | None:
    """The Talos of a node: its own version, or else the version of all nodes; None if it is not given, or not known to
    this library."""
    written = config.talos_version
    if not isinstance(written, str):
        return inputs.talos_version
    try:
        return TalosVersion.parse("talos_version", written)
    except (TypeError, ValueError):
        return None


def old_talos_of(config: NodeConfig, inputs: Inputs) -> str | None:
    """The Talos of a node that is older than all that the rules know: its own version, or else that of all nodes."""
    written = config.talos_version
    if not isinstance(written, str):
        return inputs.old_talos
    return written if is_too_old(written) else None


def is_whole(config: NodeConfig) -> bool:
    """Whether a node gets this configuration and nothing else, so that a setting missing here is missing on the
    node."""
    return config.scope == "node" and config.complete


def names_every_module(config: NodeConfig) -> bool:
    """Whether a kernel module that is missing here is missing on the node. The patches that ClusterTool makes name no module
    (trueforge-org/clustertool embed/generic/patches, 2026-11-28)."""
    return is_whole(config) or (config.scope == "node" and config.made_by == CLUSTERTOOL)


def unless_made(config: NodeConfig) -> str:
    """The doubt of a message about a missing setting: a tool makes patches that were not read."""
    return f". Unless a patch that {config.made_by} makes sets it" if not config.complete else ""


def node_name(config: NodeConfig) -> str:
    """The name of a node in a command; the placeholder NODE if the name is not known."""
    return (known_str(config.name) if config.scope == "node" and config.is_hostname else None) or "NODE"


@question
def default_runtime_is_nvidia(inputs: Inputs) -> Answer | None:
    """Whether pods without a runtimeClassName get NVIDIA's runtime; None if no whole configuration of a GPU node was
    read."""
    written = [config.default_runtime for config in inputs.node_configs if config.default_runtime is not None]
    answers = [equals(each, RUNTIME_CLASS) for each in [*written, *_defaults_of_containerd_1(inputs)]]
    if not any_of(answers).is_no:
        return any_of(answers)
    if inputs.may_hide("CRICustomizationConfig"):
        return Answer.UNKNOWN
    return Answer.NO if any(is_whole(config) for config in gpu_node_configs(inputs)) else None


def _defaults_of_containerd_1(inputs: Inputs) -> Iterator[str | None]:
    """The default runtimes in the fragments of nodes whose Talos is older than all that the rules know, and has containerd 1."""
    for config in inputs.node_configs:
        if old_talos_of(config, inputs) is not None:
            yield from (default_of(text, OLD_RUNTIME) for _, text in fragments(config.at("documents")))
