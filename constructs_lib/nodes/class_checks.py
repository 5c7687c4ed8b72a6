"""The checks of a class of GPU nodes as a whole: arguments of `GpuNodes` that contradict each other, and warnings of what is not known to work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..arguments.errors import Argument, Phrase, wrong
from ..arguments.talos_warnings import warn
from ..upstream.kubernetes.api import CONTROL_PLANE
from ..upstream.nvidia.driver_branches import NEW_FEATURE, DriverTrack, KernelModules
from ..upstream.nvidia.gpu_resources import CONFIG_LABEL
from ..upstream.nvidia.plugin_words import MigStrategy
from ..upstream.talos import releases as talos_releases
from ..upstream.talos.features import LEGACY_PRE_RELEASES, LEGACY_ROOT
from .mig import check_devices, layouts_of
from .talos_version import TalosVersion, newer_than_tables, newest_minor

if TYPE_CHECKING:
    from .gpu_nodes import GpuNodes


def check_class(nodes: GpuNodes) -> None:
    """Refuse a class whose arguments contradict each other, and warn of Talos versions and MIG profiles that are not known to work."""
    if nodes.passthrough is not None:
        from .passthrough import check_passthrough  # only `passthrough` needs this module

        check_passthrough(nodes)
    elif nodes.product is not None:
        from .cards import check_card  # only a `product` needs the table of cards

        check_card(nodes.product, kernel_modules=nodes.kernel_modules, driver_track=nodes.track, talos_version=nodes.talos_version)
    if nodes.dra is not None:
        from .dra import check_dra  # only `dra` needs this module

        check_dra(nodes.dra, talos=nodes.talos_version, sharing=nodes.sharing, mig_strategy=nodes.mig_strategy)
    _check_track(nodes)
    _warn_of_talos(nodes.talos_version)
    _check_labels(nodes)
    if nodes.sharing is not None:
        from .sharing import check_sharing  # only `sharing` needs this module

        check_sharing(nodes.sharing, talos=nodes.talos_version, mig_strategy=nodes.mig_strategy)
    _check_partitions(nodes)


def _check_track(nodes: GpuNodes) -> None:
    tracks = nodes.talos_version.release.drivers
    if nodes.track not in tracks:
        rule = f"{' or '.join(map(repr, tracks))} on Talos {nodes.talos_version}"
        hint = f"the track is new in Talos {NEW_FEATURE.first}" if nodes.track is DriverTrack.NEW_FEATURE else ""
        raise wrong("driver_track", rule, str(nodes.track), hint)
    if nodes.track is DriverTrack.NEW_FEATURE and nodes.kernel_modules is KernelModules.PROPRIETARY:
        hint = "NVIDIA builds no proprietary modules for this driver branch"
        raise wrong("kernel_modules", Phrase("'open' with ", Argument("driver_track", "new-feature")), str(nodes.kernel_modules), hint)


def _warn_of_talos(talos: TalosVersion) -> None:
    if not talos.is_known or talos.follows_preview:
        warn(f"{newer_than_tables(f'Talos {talos}')}: the manifests are those for Talos {newest_minor()}, and are untested")
    elif talos.minor_version == talos_releases.PREVIEW:
        warn(f"Talos {talos} is a beta: the manifests follow the documentation of the beta, and may change before the release")
    elif str(talos) in LEGACY_PRE_RELEASES:
        warn(
            f"Talos {talos} has the driver's libraries under {LEGACY_ROOT}, and the manifests are for the paths of Talos 1.13.0: upgrade Talos"
        )


def _check_labels(nodes: GpuNodes) -> None:
    for argument, labels in (("labels", nodes.labels), ("extra_labels", nodes.extra_labels)):
        if nodes.name is not None and labels.get(CONFIG_LABEL, nodes.name) != nodes.name:
            raise wrong(argument, Phrase(f"without another {CONFIG_LABEL} than the ", Argument("name"), f" '{nodes.name}'"), dict(labels))
    for key, value in nodes.extra_labels.items():
        if nodes.labels.get(key, value) != value:
            rule = Phrase(f"without another {key} than in ", Argument("labels"), f", '{nodes.labels[key]}'")
            raise wrong("extra_labels", rule, value, "a node has one value for each label")
    for argument, labels in (("labels", nodes.labels), ("extra_labels", nodes.extra_labels)):
        if written := labels.get(CONTROL_PLANE):
            raise wrong(
                f"{argument}[{CONTROL_PLANE}]", "empty", written, "Talos sets this label without a value on every control-plane node"
            )


def _check_partitions(nodes: GpuNodes) -> None:
    if nodes.mig_devices is not None:
        check_devices(nodes.mig_strategy, nodes.mig_devices, nodes.gpus_per_node)
        if nodes.product is not None:
            from .mig_profiles import warn_of_profiles  # only a `product` with partitions needs the table of profiles

            for layout in layouts_of(nodes.mig_devices):
                warn_of_profiles(nodes.product, nodes.memory_per_gpu, layout)
    elif nodes.sharing is not None and nodes.mig_strategy == MigStrategy.MIXED:
        hint = "the device plugin shares every MIG profile by its name"
        raise wrong("mig_devices", Phrase("given with ", Argument("sharing"), " and ", Argument("mig_strategy", "mixed")), None, hint)
