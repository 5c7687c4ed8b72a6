"""An object of Kubernetes as the API server printed it."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import Any

from ...yaml.unknown import known_str
from .evidence import Evidence
from .input_kinds import KubernetesObject, no_place


def parsed(text: object) -> str:
    """The address in its usual spelling; empty for anything else. A zone (`fe80::1%eth0`) may be any text, so an
    address with one is none.
    """
    try:
        address = ipaddress.ip_address(f"{text}")
    except ValueError:
        return ""
    return "" if getattr(address, "scope_id", None) else str(address)


def addresses_of(node: LiveObject) -> list[str]:
    """The addresses of a Node, the internal ones first."""
    listed = sorted(node.mappings("status", "addresses"), key=lambda each: each.get("type") != "InternalIP")
    return [address for each in listed if each.get("type") in ("InternalIP", "ExternalIP") and (address := parsed(each.get("address")))]


def internal_address(node: LiveObject) -> str:
    """The internal address of a Node; empty if it has none."""
    internal = (parsed(each.get("address")) for each in node.mappings("status", "addresses") if each.get("type") == "InternalIP")
    return next(filter(None, internal), "")


def other_node(address: str, nodename: str, owner: str) -> str:
    """The sentence about a machine that answers as another node than the one that Kubernetes has under its address."""
    return (
        f"Talos at {address} answers as the node {nodename}, and in Kubernetes the address is that of {owner}: kubectl and talosctl speak to two clusters. "
        "The machine is left out; --context and --talos-context choose the clusters"
    )


class LiveObject(KubernetesObject):
    """A live object with its status: every value is known, and an object of the cluster has the namespace `""`."""

    __slots__ = ()
    name: str
    namespace: str

    def __init__(self, body: Mapping[str, Any], source: str) -> None:
        """Keep a body, and the file that it was read from."""
        assign = object.__setattr__  # as in the frozen class above
        assign(self, "body", body)
        assign(self, "file", source)
        assign(self, "place_at", no_place)
        self.__post_init__()
        assign(self, "namespace", known_str(self.at("metadata", "namespace")) or "")

    @property
    def source(self) -> str:
        """The file that the object was read from."""
        return self.file

    @property
    def label(self) -> str:
        """The name in reports: `Pod gpu/ollama`."""
        return f"{self.kind} {self.full_name}"

    @property
    def full_name(self) -> str:
        """`gpu/ollama`, or the bare name of an object of the cluster."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    def mapping(self, *path: str | int) -> Mapping[str, Any]:
        """The mapping at a path; empty where there is none."""
        value = self.at(*path)
        return value if isinstance(value, Mapping) else {}

    def mappings(self, *path: str | int) -> list[Mapping[str, Any]]:
        """The mappings in the list at a path; empty where there is none."""
        value = self.at(*path)
        return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []

    def evidence(self, text: str, field: str = "") -> Evidence:
        """A line about the object, with its field: `Pod gpu/ollama, status.conditions (cluster.json)`."""
        return Evidence(text=text, source=f"{self.label}{f', {field}' if field else ''} ({self.source})")
