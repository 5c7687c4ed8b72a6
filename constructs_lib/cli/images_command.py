"""The command `images`: every image that manifests, charts and Talos want, for a cluster without the internet."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from ..arguments.errors import wrong
from . import streams
from .command_parser import Commands, add_verb
from .flags import add_flag
from .settings_flags import add_settings_flag, apply_settings, classes_of_settings, settings_of
from .texts import read_file

if TYPE_CHECKING:
    from ..manifests.registry_map import RegistryMap
    from ..nodes.talos_version import TalosVersion
    from ..observed.model import Inputs
_FORMATS = ("text", "json", "list", "talos")
_CHECKS_FLAGS = ("mps", "root", "chosen", "fail_on")
"""Flags of `check` that this command does not have."""
_NOT_READ = 2
_STATUS = "The exit status is 2 when a given file or folder had nothing to read."
_MIRROR = "a YAML file that maps registries and repositories to their mirrors, such as 'nvcr.io: registry.home.arpa/nvcr'"
_DIGESTS = (
    "a file that pins each image: its name with the tag and the digest, such as registry.k8s.io/pause:3.10@sha256:…, one a line; an image that the file lacks "
    "is an error. Not with --format talos"
)
_FORMAT = (
    "list prints one image a line, and with --mirror its copy behind it; talos prints the registry mirrors of the machine configuration, with --mirror; "
    "default: text"
)
_CATCH_ALL = (
    "whether the nodes have a mirror '*': no whole machine configuration was read. Talos does not ask '*' for the registries of this patch: give the "
    "machine configuration as a PATH, or add the endpoints of '*' behind the copies"
)
_EXAMPLES = """\
examples:
  talos-gpu images cluster.yaml
  talos-gpu images dist/ --talos 1.14.0
  talos-gpu images dist/ --talos 1.14.0 --format list | talosctl image cache-create --image-cache-path ./cache --images=-
  talos-gpu images dist/ --talos 1.14.0 --mirror mirror.yaml --format list | while read -r from to; do crane copy -- "$from" "$to"; done
  talos-gpu images dist/ --talos 1.14.0 --format list | while read -r image; do echo "$image@$(crane digest -- "$image")"; done > digests.txt
  talos-gpu images dist/ --talos 1.14.0 --digests digests.txt --format list
  talos-gpu images dist/ --talos 1.14.0 --mirror mirror.yaml --format talos > mirrors.yaml"""


def add_images(commands: Commands) -> None:
    """Add the command and its flags."""
    about = "list the images that manifests, charts and Talos need, and their copies at a mirror"
    parser = add_verb(commands, images, about, _EXAMPLES, f". {_STATUS}")
    parser.set_defaults(**dict.fromkeys(_CHECKS_FLAGS))
    parser.add_argument("paths", nargs="*", metavar="PATH", help="a cluster file, a file, a folder, or - for standard input")
    add_flag(parser, "--talos VERSION")
    add_flag(parser, "--kubernetes VERSION")
    add_flag(parser, "--chart NAME[@VERSION]")
    add_flag(parser, "--mirror FILE", _MIRROR)
    add_flag(parser, "--digests FILE", _DIGESTS)
    add_flag(parser, "--format", _FORMAT, choices=_FORMATS, default="text")
    add_flag(parser, "--output FILE")
    add_settings_flag(parser)


def images(options: argparse.Namespace) -> str:
    """The images in the chosen format. What is not known is named on standard error."""
    from ..checks.formats.image_list import image_json, image_lines, image_names, image_table, unknown_sentences
    from ..manifests.image_digests import ImageCopies, ImageDigests
    from ..manifests.registry_map import read_registries
    from .files import crash_named, read_inputs
    from .fitted import fitted
    from .progress import Progress

    if options.format == "talos" and options.mirror is None:
        raise wrong("format", "given with --mirror", options.format, "the file says where the copies are")
    if options.format == "talos" and options.digests is not None:
        raise wrong("digests", "left out with --format talos", options.digests, "a mirror is of a registry, and names no image")
    registries = None if options.mirror is None else read_file("mirror", options.mirror, lambda text: read_registries("mirror", text))
    digests = (
        None if options.digests is None else read_file("digests", options.digests, lambda text: ImageDigests("digests", text.splitlines()))
    )
    copies = ImageCopies(registries, digests)
    settings = settings_of(options)
    subjects = apply_settings(options, settings)
    with Progress(sys.stderr, "talos-gpu images", "reading"):
        inputs = read_inputs(options.paths, options, settings=settings, subjects=subjects, nodes=classes_of_settings(settings))
    if options.format == "talos" and inputs.talos_version is None:
        raise ValueError("--talos must be given with --format talos: the form depends on the version, and no file states the version")
    for path in inputs.empty:
        streams.say(f"talos-gpu images: {path}: no Kubernetes object, chart or node configuration was read")
        options.status = _NOT_READ
    with crash_named("the list of images", "so there is none"):
        copies.check(image_names(inputs))
        for sentence in unknown_sentences(inputs):
            streams.say(f"talos-gpu images: not known: {sentence}")
        if options.format == "talos" and registries is not None and inputs.talos_version is not None:
            return _talos_mirrors(registries, inputs, inputs.talos_version)
        printers = {"text": image_table, "json": image_json, "list": image_lines}
        text = printers[options.format](inputs, copies)
        return fitted(text, options) if options.format == "text" else text


def _talos_mirrors(registries: RegistryMap, inputs: Inputs, talos: TalosVersion) -> str:
    """The patch with the copies, and behind each copy the mirror `*` of the machine configurations that were read."""
    from ..observed.nodes.node_settings import catch_all_endpoints, catch_all_skips_fallback  # only this format needs the modules
    from ..talos.config.registry_mirrors import CatchAllMirror, registry_mirrors

    endpoints = catch_all_endpoints(inputs)
    if endpoints is None:
        streams.say(f"talos-gpu images: not known: {_CATCH_ALL}")
    return registry_mirrors(registries, talos, CatchAllMirror(endpoints or (), catch_all_skips_fallback(inputs)))
