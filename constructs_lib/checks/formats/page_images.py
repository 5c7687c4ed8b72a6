"""The images of the nodes on a cluster's page: what the present ones have and the new ones must keep, and the commands that
install the new ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...arguments.commands import Command, command, comment
from ...nodes.gpu_nodes import GpuNodes
from ...nodes.talos_version import TalosVersion
from ...observed.model import Inputs, known_text
from ...observed.model.stated_versions import TALOS, Origin
from ...upstream.talos.features import IMAGE_FACTORY
from ...upstream.talos.installer_images import InstallerImage, installer_image, read_installer
from ...upstream.talos.platforms import Platform
from .markdown_text import code, table
from .page_classes import PageClasses, addresses_of, is_of_class, on_all
from .page_nodes import schematic_of

INSTALLER_FILE, SCHEMATIC_FILE = "installer-image.txt", "schematic.yaml"
MACHINE_CONFIG_FILE = "machine-config.yaml"
"""The ends of the names of the files that a cluster's folder has for a class: `rtx-schematic.yaml`,
`rtx-installer-image.txt`, `rtx-machine-config.yaml`."""


@dataclass(frozen=True, kw_only=True)
class NodeImage:
    """A schematic, and the installer image of it that a file names."""

    file: str
    schematic: str | None
    """The ID, if it is known without the Image Factory."""
    installer: InstallerImage | None
    extensions: Sequence[object] = ()
    kernel_args: Sequence[object] = ()


def node_images(inputs: Inputs, installers: Mapping[str, InstallerImage]) -> list[NodeImage]:
    """The schematics of the files. `installers` are the installer images by the files that name them."""
    named = [each for config in inputs.node_configs if (each := read_installer(known_text(config.image)))]
    images = []
    for config in inputs.node_configs:
        if config.at("schematic") is None:
            continue
        schematic = schematic_of(config)
        beside = installers.get(config.file.removesuffix(SCHEMATIC_FILE) + INSTALLER_FILE)
        known = [each for each in named if each.schematic == schematic]
        installer = beside if beside is not None and schematic in (beside.schematic, None) else next(iter(known), None)
        schematic = schematic or (installer and installer.schematic)
        adds = {"extensions": config.extensions or (), "kernel_args": config.kernel_args or ()}
        images.append(NodeImage(file=config.file, schematic=schematic, installer=installer, **adds))
    return images


def talos_of(inputs: Inputs, nodes: GpuNodes | None, image: NodeImage | None) -> TalosVersion | None:
    """The Talos of a class: that of an argument, of its description, of the name of its image, or of all nodes. A later one
    counts where an earlier one has no patch."""
    is_argument = any(each.subject == TALOS and each.origin is Origin.ARGUMENT for each in inputs.stated_versions)
    tag = None if image is None or image.installer is None else image.installer.tag
    of_class = None if nodes is None else nodes.talos_version
    stated = (inputs.talos_version if is_argument else None, of_class, _parsed(tag), inputs.talos_version)
    known = [each for each in stated if each is not None]
    return next((each for each in known if each.patch is not None), next(iter(known), None))


def _parsed(tag: str | None) -> TalosVersion | None:
    try:
        return None if tag is None else TalosVersion.parse("tag", tag)
    except ValueError:
        return None


def install_lines(image: NodeImage, inputs: Inputs, classes: PageClasses) -> Iterator[str]:
    """The commands that install an image on each node, behind comments on what nobody read."""
    talos = talos_of(inputs, next((each for each in inputs.nodes if is_of_class(image.file, each.name, SCHEMATIC_FILE)), None), image)
    of = image.installer
    if of is None:
        yield str(comment("no file says the platform and Secure Boot of the nodes: the name is that of metal machines without Secure Boot"))
    if image.schematic is None:
        yield str(comment("ID is the answer of the Image Factory"))
    release = f"{talos}" if talos is not None and talos.patch is not None else None
    if release is None:
        yield str(
            comment(
                f"no file says the release of Talos with its patch: VERSION is that of the nodes{'' if talos is None else f', {talos} with its patch'}"
            )
        )
    name = installer_image(
        image.schematic or "ID", release or "VERSION", None if talos is None else talos.minor,
        platform=of.platform if of else Platform.METAL, is_secure=bool(of and of.is_secure), **({"factory": of.factory} if of else {}),
    )  # fmt: skip
    for address in addresses_of(classes.of_file(image.file, SCHEMATIC_FILE)):
        yield str(command("talosctl --nodes {address} upgrade --image {image}", address=address, image=name).explained(image.file))


def present_image_step(images: Sequence[NodeImage], classes: PageClasses) -> tuple[str, list[Command], list[str]]:
    """What the nodes have now: a sentence, the commands that list it, and a table of the keys that keep it. With another
    platform, or without Secure Boot on a node that has it, a node may not start."""
    of_files = [classes.of_file(image.file, SCHEMATIC_FILE) for image in images]
    listed = list(dict.fromkeys(on_all(given, words) for words in _LISTS for given in of_files))
    schematic = command("curl --fail https://{factory}/schematics/ID", factory=IMAGE_FACTORY).explained(
        "ID is the version of the row schematic"
    )
    keys = [key for given in of_files if given is not None for key in given.keys]
    again = command("talos-gpu synth {file}", file=classes.file or "FILE")
    place = (
        f"{', '.join(map(code, keys))} of {code(classes.file)}, and run {code(again)} again"
        if keys and classes.file
        else "the cluster file, or into the schematic"
    )
    rows = (
        (
            "system extensions but `schematic` and `modules.dep`",
            _of_each(images, _codes("extensions")),
            f"`extensions: [siderolabs/iscsi-tools]`, {_NAMES}",
        ),
        ("kernel arguments in the schematic", _of_each(images, _codes("kernel_args")), "`extra_kernel_args`"),
        ("an overlay or META values in the schematic", "see the schematic", "`overlay`, `meta`"),
        ("a platform", _of_each(images, _platform), "`platform: nocloud`"),
        ("Secure Boot", _of_each(images, _secure_boot), "`secureboot: true`"),
    )
    return (
        "List what the nodes that run already have: an image replaces the whole image before it. A new machine has none.",
        [*listed, schematic],
        [f"Write what the new image would lose into {place}:", "", *table(("they have", "the new image has", "key"), rows)],
    )


_LISTS = ("get extensions", "get platformmetadata -o yaml", "get securitystate -o yaml")
_NAMES = "by the names in the schematic"


def _of_each(images: Sequence[NodeImage], words: Callable[[NodeImage], str]) -> str:
    """The words about all images, or about each file where they differ."""
    found = {image.file: words(image) for image in images}
    return (
        next(iter(found.values())) if len(set(found.values())) == 1 else "; ".join(f"{code(file)}: {each}" for file, each in found.items())
    )


def _codes(field: str) -> Callable[[NodeImage], str]:
    return lambda image: ", ".join(map(code, getattr(image, field))) or "none"


def _platform(image: NodeImage) -> str:
    return "not read" if image.installer is None else code(image.installer.platform)


def _secure_boot(image: NodeImage) -> str:
    return "not read" if image.installer is None else "yes" if image.installer.is_secure else "no"


def new_machine(images: Sequence[NodeImage], classes: PageClasses) -> str:
    """The way of a machine that runs no Talos yet."""
    flags, choice = classes.flags_of_any([classes.of_file(each.file, SCHEMATIC_FILE) for each in images])
    iso, config = (
        code(command("talos-gpu schematic {file} {*flags}", file=classes.file or "FILE", flags=[*flags, "--print", printed]))
        for printed in ("iso", "install-config")
    )
    return f"A new machine boots from the ISO that {iso} names; its configuration has the patches of {config} and of the next step{choice}."
