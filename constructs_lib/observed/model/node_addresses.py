"""The addresses of nodes, as talosctl takes them. Nothing else of a dump becomes the name of a file or an argument of
talosctl.
"""

from __future__ import annotations

import ipaddress

from .live_object import LiveObject


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
