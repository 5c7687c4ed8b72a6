"""Omni resources of a class of GPU nodes, for `omnictl apply -f`. They only look like Kubernetes objects."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import attrs

from ...arguments.errors import Argument, ArgumentError, Phrase, warn, wrong
from ...arguments.fields import named
from ...arguments.keywords import named_arguments
from ...arguments.names import dns_label
from ...arguments.plain_values import instance, text, whole_number
from ...upstream.talos.config_documents import OMNI_DOMAIN, OMNI_NAMESPACE
from ...yaml.block import block
from ..config.kernel_settings import card_kernel_args
from ..config.machine_config import MachineConfigPatch
from ..image.embedded_config import parsed_documents
from ..image.schematic import Schematic

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
        kind, missing = document.get("kind"), object()
        fields = _FIELDS if kind is None else _FIELDS_OF_KIND.get(str(kind), ())
        forbidden = [kind] if kind in _KINDS else [field for field in fields if _field(document, field, missing) is not missing]
        roles = _ROLES if kind is None else _ROLES_OF_KIND.get(str(kind))
        if roles and _ADMIN in (_field(document, roles) or ()):
            forbidden.append(f"{_ADMIN} in {roles}")
        if forbidden:
            raise wrong("patch", "without fields that Omni manages", forbidden[0], _INSTEAD.get(forbidden[0], ""))
    return documents


def _field(document: Any, path: str, missing: Any = None) -> Any:
    for key in path.split("."):
        if not isinstance(document, Mapping) or key not in document:
            return missing
        document = document[key]
    return document


_UUID = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_NAME = r"[A-Za-z0-9_-]+"
_CUSTOMIZATIONS = {"systemExtensions", "extraKernelArgs"}
# The weights of patches in Omni's cluster templates (siderolabs/omni client/pkg/constants/constants.go).
_CLUSTER_WEIGHT, _WEIGHT, _HIGHEST_WEIGHT = 200, 400, 999


def _to_cluster(value: str | None, argument: str = "") -> str | None:
    return None if value is None else omni_name(argument, value)


def _to_machine(value: str | None, argument: str = "") -> str | None:
    return None if value is None else machine_uuid(argument, value)


@named_arguments()
@attrs.frozen(kw_only=True, field_transformer=named)
class OmniTarget:
    """The machines that an Omni resource is for: a cluster, a machine set, one machine in its cluster, or one machine
    in any cluster.

    Args:
        cluster: The cluster. Default: none, for `machine` alone.
        machine_set: One machine set of the cluster, by its ID, such as `talos-default-workers`. Default: none.
        cluster_machine: One machine while the machine is in the cluster, by its UUID. Default: none.
        machine: One machine in any cluster, by its UUID. Default: none.

    Raises:
        TypeError, ValueError: `'cluster' must be given …`, `'machine_set' must be the ID of a machine set …`, and a
            similar error for every argument.

    Example:
        >>> OmniTarget(cluster="home", machine_set="home-gpu").labels
        {'omni.sidero.dev/cluster': 'home', 'omni.sidero.dev/machine-set': 'home-gpu'}

    https://docs.siderolabs.com/omni/omni-cluster-setup/create-a-patch-for-cluster-machines
    """

    cluster: str | None = attrs.field(default=None, converter=_to_cluster)
    machine_set: str | None = attrs.field(default=None, converter=_to_cluster)
    cluster_machine: str | None = attrs.field(default=None, converter=_to_machine)
    machine: str | None = attrs.field(default=None, converter=_to_machine)

    def __attrs_post_init__(self) -> None:
        if self.cluster is None and self.machine is None:
            raise wrong("cluster", Phrase("given, or ", Argument("machine"), " without a cluster"), None)
        if self.cluster is not None and self.machine is not None:
            hint = Phrase("this argument is for a machine in any cluster; for a machine in one cluster use ", Argument("cluster_machine"))
            raise wrong("machine", Phrase("given without ", Argument("cluster")), self.machine, hint)
        narrower = [name for name in ("machine_set", "cluster_machine") if getattr(self, name) is not None]
        if narrower and (len(narrower) > 1 or self.cluster is None):
            raise wrong(narrower[-1], Phrase("given with ", Argument("cluster"), " and no other argument"), getattr(self, narrower[-1]))
        if self.machine_set is not None and not self.machine_set.startswith(f"{self.cluster}-"):
            rule = f"the ID of a machine set of cluster '{self.cluster}'"
            raise wrong("machine_set", rule, self.machine_set, f"did you mean '{self.cluster}-{self.machine_set}'?")

    @property
    def labels(self) -> dict[str, str]:
        """The labels that tell Omni the machines of a resource."""
        given = attrs.asdict(self, filter=lambda _, value: value is not None)
        return {f"{OMNI_DOMAIN}/{name.replace('_', '-')}": value for name, value in given.items()}

    @property
    def is_whole_cluster(self) -> bool:
        """Whether the target is every machine of a cluster."""
        return list(self.labels) == [f"{OMNI_DOMAIN}/cluster"]


def omni_name(argument: str, value: object) -> str:
    """The name of a cluster, or the ID of a machine set (siderolabs/omni client/pkg/omni/resources/omni/cluster.go)."""
    rule = "a name of letters, digits, '-' and '_'"
    name = text(argument, value, rule)
    if not re.fullmatch(_NAME, name):
        raise wrong(argument, rule, name)
    return name


def machine_uuid(argument: str, value: object) -> str:
    """The UUID of a machine: its ID in Omni."""
    rule = "the UUID of a machine, in lower case"
    uuid = text(argument, value, rule)
    if not re.fullmatch(_UUID, uuid):
        raise wrong(argument, rule, uuid, f"did you mean '{uuid.lower()}'?" if re.fullmatch(_UUID, uuid.lower()) else "")
    return uuid


@named_arguments(patch="a ConfigPatch contains the patch", target="name the machines of the patch")
def omni_config_patch(
    patch: MachineConfigPatch | str,
    *,
    target: OmniTarget,
    weight: int | None = None,
    name: str = "nvidia-gpu",
    description: str | None = None,
) -> str:
    r"""A ConfigPatch: machine configuration that Omni applies to the machines of a target.

    Omni applies the patches of a cluster first, then of a machine set, then of a machine. Patches of one level are
    applied in the order of their IDs, which begin with the weight. For a cluster that is synchronized from a template
    use `omni_template`: the synchronization deletes every ConfigPatch that is not in the template. The documents of
    Talos 1.14 need Omni 1.10; older releases of Omni take a patch with `style="fields"`.

    Args:
        patch: The machine configuration of the nodes, or your own patch as text. Fields that Omni manages are refused
            in the patch.
        target: The `OmniTarget`.
        weight: 0 to 999; a patch with a higher weight is applied later. Default: 200 for a whole cluster, else 400, as
            in Omni's templates.
        name: The name of the patch, which is part of its ID. Default: "nvidia-gpu".
        description: The text that Omni shows beside the name. Default: none.

    Raises:
        TypeError, ValueError: `'patch' must be without …`, and a similar error for every argument.

    Example:
        >>> patch = "machine:\n  sysctls:\n    vm.nr_hugepages: '1024'\n"
        >>> print(omni_config_patch(patch, target=OmniTarget(cluster="home"), name="pages"))
        metadata:
          namespace: default
          type: ConfigPatches.omni.sidero.dev
          id: 200-cluster-home-pages
          labels:
            omni.sidero.dev/cluster: home
          annotations:
            name: pages
        spec:
          data: |
            machine:
              sysctls:
                vm.nr_hugepages: '1024'
        <BLANKLINE>

    https://docs.siderolabs.com/omni/reference/manage-omni-resources-with-omnictl
    """
    data = patch_data(patch)
    instance("target", target, OmniTarget, "an OmniTarget", 'such as OmniTarget(cluster="home")')
    default = _CLUSTER_WEIGHT if target.is_whole_cluster else _WEIGHT
    placed = whole_number("weight", default if weight is None else weight, 0, _HIGHEST_WEIGHT)
    annotations = {"name": dns_label("name", name)}
    if description is not None:
        annotations["description"] = text("description", description)
    # The middle part of the ID is as in a cluster template (client/pkg/template/internal/models).
    level = (
        target.machine_set
        or (target.cluster_machine and f"cm-{target.cluster_machine}")
        or (target.machine and f"machine-{target.machine}")
        or f"cluster-{target.cluster}"
    )
    metadata = {"id": f"{placed:03}-{level}-{name}", "labels": target.labels, "annotations": annotations}
    return _resource("ConfigPatches", metadata, {"data": data})


@named_arguments(schematic="Omni installs the extensions of the schematic", target="name the machines of the extensions")
def omni_extensions(schematic: Schematic, *, target: OmniTarget) -> str:
    """An ExtensionsConfiguration: the extensions of the machines of a target, and their kernel arguments. Omni builds
    the schematic from both.

    Omni takes only the list that is nearest to a machine, so the schematic must contain every extension of these
    machines. The resource has the ID of Omni's cluster templates, so it replaces the list of a template.

    Args:
        schematic: The image of the nodes. Omni takes kernel arguments for one machine only, and takes no other
            customizations.
        target: The `OmniTarget`: a machine set, a machine in its cluster, or a cluster whose machines all have GPUs.

    Raises:
        TypeError, ValueError: `'target' must be in a cluster …`, `'schematic' must be …`.

    Warns:
        TalosGpuWarning: For a whole cluster.

    Example:
        >>> nodes = GpuNodes(talos_version="1.13")
        >>> print(omni_extensions(Schematic(nodes=nodes), target=OmniTarget(cluster="home", machine_set="home-gpu")))
        metadata:
          namespace: default
          type: ExtensionsConfigurations.omni.sidero.dev
          id: schematic-home-gpu
          labels:
            omni.sidero.dev/cluster: home
            omni.sidero.dev/machine-set: home-gpu
        spec:
          extensions:
            - siderolabs/nvidia-container-toolkit-production
            - siderolabs/nvidia-open-gpu-kernel-modules-production
        <BLANKLINE>

    https://docs.siderolabs.com/omni/infrastructure-and-extensions/install-talos-linux-extensions
    """
    check_customization(schematic)
    instance("target", target, OmniTarget, "an OmniTarget", 'such as OmniTarget(cluster="home", machine_set="home-gpu")')
    if target.cluster is None:
        raise wrong("target", "in a cluster", target, "Omni installs extensions only on machines of a cluster")
    if target.is_whole_cluster:
        warn_of_whole_cluster()
    level = target.machine_set or target.cluster_machine or target.cluster
    metadata = {"id": f"schematic-{level}", "labels": target.labels}
    resource = _resource("ExtensionsConfigurations", metadata, {"extensions": schematic.official_extensions})
    if not schematic.extra_kernel_args:
        return resource
    if target.cluster_machine is None:
        raise _for_one_machine(schematic, target)
    arguments = _resource("KernelArgs", {"id": target.cluster_machine}, {"args": list(schematic.extra_kernel_args)})
    return f"{resource}---\n{arguments}"


def _for_one_machine(schematic: Schematic, target: OmniTarget) -> ArgumentError:
    """The error for kernel arguments of several machines."""
    nodes, arguments = schematic.nodes, " ".join(schematic.extra_kernel_args)
    owner, without = "the image has", ""
    if nodes.passthrough is not None:
        owner = "the IOMMU of passthrough needs"
        without = "; 'iommu_args' of Passthrough may be empty, because Talos' kernel turns the IOMMU on by itself"
    elif set(schematic.extra_kernel_args) <= set(card_kernel_args(nodes)):
        owner = f"{nodes.product} needs"
    hint = Phrase(
        f"{owner} {arguments}, which Omni takes for one machine or in a template: use ",
        Argument("cluster_machine", written="OmniTarget(…, cluster_machine=…)"),
        " or ",
        Argument("template", True, written="omni_template"),
        without,
    )
    rule = "narrowed to one machine for an image with kernel arguments"
    return wrong("target", rule, target, hint, part="cluster" if target.machine_set is None else "machine_set")


def check_customization(schematic: Schematic) -> None:
    """Refuse customizations that Omni does not put into a schematic."""
    instance("schematic", schematic, Schematic, "a Schematic", "the extensions of an existing schematic are not known")
    document = schematic.document
    others = ["overlay"] if "overlay" in document else []
    others += [key for key in document["customization"] if key not in _CUSTOMIZATIONS]
    if others:
        hint = "Omni takes no other customizations: leave them out"
        raise wrong("schematic", "made of extensions and kernel arguments for Omni", others, hint)


def warn_of_whole_cluster() -> None:
    """Warn of the extensions on machines without a GPU."""
    warn(
        "every machine of the cluster gets NVIDIA's extensions, and a machine without a GPU reboots every 70 minutes or so (siderolabs/talos#14373): "
        "create a machine set for the machines with a GPU"
    )


def _resource(kind: str, metadata: Mapping[str, Any], spec: Mapping[str, Any]) -> str:
    document = {"metadata": {"namespace": OMNI_NAMESPACE, "type": f"{kind}.{OMNI_DOMAIN}", **metadata}, "spec": spec}
    return "\n".join(block(document)) + "\n"
