"""The checks of `GpuNodes` as a whole: arguments that contradict each other, and what is not known to work."""

from __future__ import annotations

from collections.abc import Mapping

from ..arguments.errors import Argument, Phrase, warn, wrong
from ..upstream.kubernetes.api import CONTROL_PLANE
from ..upstream.nvidia.driver_branches import NEW_FEATURE, DriverTrack, KernelModules
from ..upstream.nvidia.gpu_resources import CONFIG_LABEL
from ..upstream.talos import releases as talos_releases
from ..upstream.talos.features import LEGACY_ROOT
from ..upstream.talos.generations import LEGACY_PRE_RELEASES
from .talos_version import TalosVersion, newer_than_tables, newest_minor


def check_track(talos: TalosVersion, track: DriverTrack, modules: KernelModules) -> None:
    """Refuse a driver track that the Talos has not, and modules that the track has not."""
    tracks = talos.release.drivers
    if track not in tracks:
        rule = f"{' or '.join(map(repr, tracks))} on Talos {talos}"
        hint = f"the track is new in Talos {NEW_FEATURE.first}" if track is DriverTrack.NEW_FEATURE else ""
        raise wrong("driver_track", rule, str(track), hint)
    if track is DriverTrack.NEW_FEATURE and modules is KernelModules.PROPRIETARY:
        hint = "NVIDIA builds no proprietary modules for this driver branch"
        raise wrong("kernel_modules", Phrase("'open' with ", Argument("driver_track", "new-feature")), str(modules), hint)


def warn_of_talos(talos: TalosVersion) -> None:
    """Warn of a Talos that is newer than the tables, of a beta, and of a pre-release with the old paths."""
    if not talos.is_known or talos.follows_preview:
        warn(f"{newer_than_tables(f'Talos {talos}')}: the manifests are those for Talos {newest_minor()}, and are untested")
    elif talos.minor_version == talos_releases.PREVIEW:
        warn(f"Talos {talos} is a beta: the manifests follow the documentation of the beta, and may change before the release")
    elif str(talos) in LEGACY_PRE_RELEASES:
        paths = f"the driver's libraries under {LEGACY_ROOT}, and the manifests are for the paths of Talos 1.13.0"
        warn(f"Talos {talos} has {paths}: upgrade Talos")


def check_labels(name: str | None, labels: Mapping[str, str], extra_labels: Mapping[str, str]) -> None:
    """Refuse labels that contradict each other, the name of the class, or Talos' own label of control-plane nodes."""
    by_argument = {"labels": labels, "extra_labels": extra_labels}
    for argument, given in by_argument.items():
        if name is not None and given.get(CONFIG_LABEL, name) != name:
            raise wrong(argument, Phrase(f"without another {CONFIG_LABEL} than the ", Argument("name"), f" '{name}'"), dict(given))
    for key, value in extra_labels.items():
        if labels.get(key, value) != value:
            rule = Phrase(f"without another {key} than in ", Argument("labels"), f", '{labels[key]}'")
            raise wrong("extra_labels", rule, value, "a node has one value for each label")
    for argument, given in by_argument.items():
        if written := given.get(CONTROL_PLANE):
            hint = "Talos sets this label without a value on every control-plane node"
            raise wrong(f"{argument}[{CONTROL_PLANE}]", "empty", written, hint)
