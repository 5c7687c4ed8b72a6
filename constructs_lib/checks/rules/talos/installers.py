"""Talos' published installer image, which no release from 1.14 on has: in node configurations, and in what Renovate watches."""

from __future__ import annotations

from collections.abc import Iterator

from ....nodes.factory_ids import schematic_id
from ....observed.model import Inputs, NodeConfig, WatchedImage, known_text
from ....observed.nodes.gpu_node_configs import is_for_gpus
from ....observed.nodes.node_settings import talos_of
from ....upstream.kubernetes.registries import split_reference
from ....upstream.talos.installer_images import PUBLISHED_INSTALLER, PUBLISHED_RELEASES, installer_image
from ...edit import Edit, set_to
from ...finding import Severity
from ...rule import Example, Rule, Violation, Witness
from .._talos import once, talconfig

_RENOVATE_FIX = "Watch the releases of Talos: datasource=github-releases depName=siderolabs/talos"


@once
def _published(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
        image, talos = known_text(config.image), talos_of(config, inputs)
        if _is_published(image) and talos is not None and talos.minor not in PUBLISHED_RELEASES:
            yield Violation(
                severity=Severity.ERROR,
                message=f"Talos {talos.minor_version} has no image {PUBLISHED_INSTALLER}: since Talos 1.14 only the Image Factory has installer images. The node "
                "can't be installed or upgraded",
                about=config,
                path=config.paths.get("image", ()),
                edits=_plain_image(config, image),
            )
    for each in inputs.watched:
        yield _watched(each)


def _watched(watched: WatchedImage) -> Violation:
    return Violation(
        severity=Severity.WARNING,
        message=f"Renovate watches {watched.image}, which ends with Talos 1.13: it proposes no newer Talos",
        about=watched,
        fix=_RENOVATE_FIX,
    )


def _is_published(image: str) -> bool:
    return split_reference(image).repository == PUBLISHED_INSTALLER


def _plain_image(config: NodeConfig, image: str) -> tuple[Edit, ...]:
    """The edit to the image without extensions of a metal machine, which the published one was. A node with a card needs another image."""
    path = config.paths.get("image", ())
    tag = split_reference(image).tag
    talos = tag.removeprefix("v")
    if is_for_gpus(config) or config.at(*path) != image or not talos or talos == tag:
        return ()
    minor = int(talos.split(".")[1])
    return set_to(installer_image(schematic_id({"customization": {}}), talos, minor), path, safe=False)


RULES = (
    Rule(
        id="TG132",
        claim="No node installs ghcr.io/siderolabs/installer from Talos 1.14 on, and Renovate does not watch it",
        symptom="ghcr.io/siderolabs/installer:v1.14.0: not found; Renovate proposes no Talos newer than 1.13",
        fix="Name the image of the node's schematic at the Image Factory: talos-gpu schematic --from FILE --print "
        "installer. For Renovate: datasource=github-releases depName=siderolabs/talos",
        source="https://docs.siderolabs.com/talos/v1.14/getting-started/what's-new-in-talos#default-installer-image",
        severity=Severity.ERROR,
        shown_by=Witness.SERVICE,
        check=_published,
        failing=Example(yaml=talconfig("    talosImageURL: ghcr.io/siderolabs/installer\n", "v1.14.0")),
        passing=Example(yaml=talconfig("    talosImageURL: ghcr.io/siderolabs/installer\n")),
    ),
)
