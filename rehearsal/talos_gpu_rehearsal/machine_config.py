"""The parts of Talos' machine configuration that a kubelet and containerd see: labels, taints, kubelet's settings, CRI."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

CUSTOMIZATION = "/etc/cri/conf.d/20-customization.part"


@dataclasses.dataclass(frozen=True)
class MachineConfig:
    """The parts of one node's documents and patches, in their order."""

    labels: Mapping[str, str]
    taints: tuple[Mapping[str, str], ...]
    kubelet: Mapping[str, Any]
    """`machine.kubelet.extraConfig`: fields of KubeletConfiguration."""
    cri_parts: tuple[str, ...]
    """Texts in TOML."""

    @classmethod
    def of(cls, documents: Sequence[Mapping[str, Any]]) -> MachineConfig:
        """What the documents say: the fields of `machine` up to Talos 1.13, and the documents of 1.14."""
        labels: dict[str, str] = {}
        taints: dict[str, str] = {}
        kubelet: dict[str, Any] = {}
        parts: list[tuple[str, str]] = []
        for document in documents:
            machine = document.get("machine") or {}
            if document.get("kind") == "KubeNodeConfig":
                labels |= document.get("labels") or {}
                taints |= document.get("taints") or {}
            if document.get("kind") == "CRICustomizationConfig":
                parts.append((document["name"], document["content"]))
            labels |= machine.get("nodeLabels") or {}
            taints |= machine.get("nodeTaints") or {}
            kubelet |= (machine.get("kubelet") or {}).get("extraConfig") or {}
            parts += [("", each["content"]) for each in machine.get("files") or () if each["path"] == CUSTOMIZATION]
        contents = tuple(content for _, content in sorted(parts, key=lambda each: each[0]))
        return cls(labels, tuple(_taint(key, value) for key, value in taints.items()), kubelet, contents)


def _taint(key: str, value: str) -> dict[str, str]:
    value, _, effect = str(value).rpartition(":")
    return {"key": key, "value": value, "effect": effect}
