"""The machine configuration of a ConfigPatch, and the fields that Omni refuses in a ConfigPatch because Omni manages
them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...arguments.errors import wrong
from ...arguments.plain_values import text
from ...yaml.block import block
from ..config.machine_config import MachineConfigPatch
from ..config.parsed_documents import parsed_documents

# siderolabs/omni client/pkg/omni/resources/omni/config_patch.go.
_FIELDS = (
    "cluster.clusterName",
    "cluster.id",
    "cluster.controlPlane.endpoint",
    "cluster.token",
    "cluster.secret",
    "cluster.aescbcEncryptionSecret",
    "cluster.secretboxEncryptionSecret",
    "cluster.ca",
    "cluster.acceptedCAs",
    "cluster.serviceAccount",
    "machine.token",
    "machine.ca",
    "machine.type",
    "machine.install.disk",
    "machine.install.extensions",
    "machine.acceptedCAs",
)
_KINDS = {
    "UnattendedInstallConfig",
    "DiscoveryIdentityConfig",
    "KubeClusterConfig",
    "KubeEtcdEncryptionConfig",
    "KubeAPIServerCAConfig",
    "KubeAggregatorCAConfig",
}
_FIELDS_OF_KIND = {"KubeServiceAccountConfig": ("issuer.privateKey",)}
_ADMIN = "os:admin"
_ROLES, _ROLES_OF_KIND = "machine.features.kubernetesTalosAPIAccess.allowedRoles", {"KubeTalosAPIAccessConfig": "allowedRoles"}
_INSTEAD = {
    "machine.install.extensions": "Omni takes extensions as an ExtensionsConfiguration: use omni_extensions",
    "machine.install.disk": "set the disk in the settings of the machine, or by 'install' in a template",
}


def patch_data(patch: MachineConfigPatch | str) -> str:
    """The configuration as text, after the checks of Omni."""
    if isinstance(patch, MachineConfigPatch):
        return "---\n".join("\n".join(block(document)) + "\n" for document in patch.documents)
    data = text("patch", patch, "a MachineConfigPatch, or a patch as YAML")
    check_documents(parsed_documents("patch", data))
    return data


def patch_documents(patch: MachineConfigPatch | str) -> list[dict[str, Any]]:
    """The configuration as plain data, after the checks of Omni."""
    return patch.documents if isinstance(patch, MachineConfigPatch) else check_documents(parsed_documents("patch", patch_data(patch)))


def check_documents(documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Refuse documents and fields that Omni refuses."""
    for document in documents:
        kind = document.get("kind")
        forbidden = [kind] if kind in _KINDS else [*_forbidden(document, _FIELDS if kind is None else _FIELDS_OF_KIND.get(str(kind), ()))]
        roles = _ROLES if kind is None else _ROLES_OF_KIND.get(str(kind))
        if roles and _ADMIN in (_field(document, roles) or ()):
            forbidden.append(f"{_ADMIN} in {roles}")
        if forbidden:
            raise wrong("patch", "without fields that Omni manages", forbidden[0], _INSTEAD.get(forbidden[0], ""))
    return documents


def _forbidden(document: Mapping[str, Any], fields: Iterable[str]) -> list[str]:
    missing = object()
    return [field for field in fields if _field(document, field, missing) is not missing]


def _field(document: Any, path: str, missing: Any = None) -> Any:
    for key in path.split("."):
        if not isinstance(document, Mapping) or key not in document:
            return missing
        document = document[key]
    return document
