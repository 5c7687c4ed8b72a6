"""`kubespawner_override`: the GPUs of a profile of JupyterHub, in the traits of KubeSpawner."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from ...arguments.keywords import named_arguments
from ...arguments.plain_values import given, plain_mapping
from ...nodes.gpu_nodes import GpuNodes
from ...upstream.charts.pod_keys import KUBESPAWNER_POD
from .pod_spelling import GpuRequest, Spelling, devices_of, put, put_devices, spell, value_at


@named_arguments(nodes="a notebook with GPUs runs on a class of GPU nodes")
def kubespawner_override(
    override: Mapping[str, Any] | None = None, *, nodes: GpuNodes, gpus: int = 1, profile: str | None = None
) -> dict[str, Any]:
    """The `kubespawner_override` of a profile of JupyterHub whose notebooks get GPUs of a class of nodes.

    Only the notebooks of this profile get GPUs; `gpu_values("jupyterhub", …)` gives GPUs to every notebook. KubeSpawner merges a mapping of the override
    into its own, and replaces its own lists: give the tolerations that your other notebooks have in `override` as well.

    Makes no object. Returns the override with `extra_pod_config` (RuntimeClass), `extra_resource_limits`, `tolerations`, `node_selector` or
    `node_affinity_required`, and `extra_labels`. The containers in `init_containers` and `extra_containers` get `NVIDIA_VISIBLE_DEVICES=void`.

    Args:
        override: Your own traits. They stay. Default: none.
        nodes: The class of nodes, without `dra`: KubeSpawner has no trait for the claim of a container.
        gpus: The number of GPUs, or of shares where `nodes` shares GPUs. Default: 1.
        profile: The MIG profile of the partitions, as in `gpu_pod`. Default: none.

    Returns:
        A new mapping.

    Raises:
        TypeError, ValueError: `'override' must be …` for a trait that contradicts the nodes, `'nodes' must be a class without 'dra' …`, and what `gpu_pod`
            raises.

    Example:
        >>> kubespawner_override(nodes=GpuNodes(talos_version="1.12", labels={"role": "gpu"}))["extra_pod_config"]
        {'runtimeClassName': 'nvidia'}

    https://jupyterhub-kubespawner.readthedocs.io/en/latest/spawner.html
    """
    traits = copy.deepcopy(plain_mapping("override", given(override), "a mapping of KubeSpawner's traits"))
    spell_notebook(Spelling("override", "KubeSpawner", KUBESPAWNER_POD), traits, GpuRequest(nodes, gpus, profile))
    return traits


def spell_notebook(spelling: Spelling, values: dict[str, Any], request: GpuRequest) -> None:
    """Write the GPUs of a notebook, in place, to the traits of KubeSpawner or to the chart's keys for these traits."""
    argument, _, keys = spelling
    env, limits = keys["env"], value_at(values, keys["limits"]) or {}
    main: dict[str, Any] = {
        "name": "notebook",
        "resources": {"limits": limits},
        "env": devices_of(f"{argument}[{env}]", value_at(values, env)),
    }
    spell(spelling, values, main, request)
    put(values, keys["limits"], main["resources"]["limits"], argument)
    put_devices(values, env, main)
