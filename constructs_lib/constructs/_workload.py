"""The base class of workloads, with and without GPUs: the parts of the workload as attributes."""

from __future__ import annotations

from cdk8s import ApiObject

from ..arguments.errors import AbsentError
from ..manifests.objects import MAIN
from ..manifests.workload.pod import volume_names
from ..manifests.workload.settings import NAME_LABEL, WorkloadSettings
from ._emit import GpuConstruct
from ._registry import place_of


class WorkloadConstruct(GpuConstruct, WorkloadSettings):
    """A workload: the object that runs its pods, its Service and its claims.

    Args:
        id: The construct's ID in the construct tree, and the name of the objects.
    """

    @property
    def own_namespace(self) -> str | None:
        """The namespace of the objects: `namespace`, or that of the chart."""
        return self.namespace if self.namespace is not None else place_of(self.scope).namespace

    @property
    def resource(self) -> ApiObject:
        """The Deployment, StatefulSet, Job or CronJob."""
        return self._objects[MAIN]

    @property
    def service(self) -> ApiObject:
        """The Service."""
        if "Service" in self._objects:
            return self._objects["Service"]
        if not self.is_server:
            raise AbsentError(
                "kind", "'Deployment' or 'StatefulSet' where 'service' is used", str(self.kind), "only servers have a Service"
            )
        raise AbsentError("port", "given to a workload whose 'service' is used", None, "without a port the workload has no Service")

    @property
    def claims(self) -> dict[str, ApiObject]:
        """The PersistentVolumeClaims that the workload makes, by mount path. A named volume has one claim."""
        claims = {path: f"Claim-{name}" for path, name in volume_names(self).items()}
        return {path: self._objects[child] for path, child in claims.items() if child in self._objects}

    @property
    def pod_selector(self) -> dict[str, str]:
        """The labels by which the Service and the Deployment or StatefulSet select the pods."""
        return {NAME_LABEL: self.name}

    @property
    def volume_names(self) -> dict[str, str]:
        """The names of the pod's volumes by mount path, for the mounts of other containers."""
        return volume_names(self)
