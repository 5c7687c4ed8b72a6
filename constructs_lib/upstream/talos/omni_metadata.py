"""The metadata of Omni's resources, by which Omni knows them and finds their machines."""

from __future__ import annotations

OMNI_DOMAIN = "omni.sidero.dev"
"""The domain in the types of Omni's resources, as in `ConfigPatches.omni.sidero.dev`, and in their labels.

Source: siderolabs/omni client/pkg/omni/resources/omni/labels.go and config_patch.go (2026-08-21)
"""

OMNI_NAMESPACE = "default"
"""The namespace from which Omni takes config patches and lists of extensions.

Source: siderolabs/omni client/pkg/omni/resources/omni/config_patch.go (2026-08-21)
"""

OMNI_TARGETS = (f"{OMNI_DOMAIN}/cluster", f"{OMNI_DOMAIN}/machine")
"""The labels of which a resource needs one: a cluster, which further labels narrow down, or a machine in any cluster.

Source: siderolabs/omni internal/backend/runtime/omni/controllers/omni/internal/layeredresource/layeredresource.go
(2026-08-21)
"""

UNREGISTERED_TYPE = "no resource is registered for the resource type"
"""The words with which `omnictl apply` refuses a resource without a type, or with a type that Omni does not know.

Source: cosi-project/runtime pkg/resource/protobuf/registry.go, siderolabs/omni client/pkg/omnictl/apply.go (2026-11-22)
"""
