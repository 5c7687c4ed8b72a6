"""`mirror`: the images of an app, moved to their copies at every synth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import jsii
from cdk8s import ApiObject, App, Chart, JsonPatch
from constructs import IValidation

from ..arguments.errors import Refusal
from ..arguments.keywords import named_arguments
from ..arguments.plain_values import instance, texts
from ..manifests.image_digests import ImageCopies, ImageDigests
from ..manifests.objects import json_pointer
from ..manifests.registry_map import RegistryMap
from ..observed.images.moved_images import moved_images
from ..observed.model import ChartRelease
from ..observed.read.repository import read_manifests
from .synth_errors import shorten_errors


@named_arguments(registries="the copies of the images are in registries of your own")
def mirror(
    scope: App | Chart, registries: Mapping[str, str], *, digests: Iterable[str] | None = None, ignore_charts: Iterable[str] = ()
) -> None:
    """Move the images of everything that an app or a chart synthesizes to their copies in other registries, at every
    synth.

    Nodes without the internet pull copies. The images of containers, OCI volumes and custom resources move. For the
    charts that `talos-gpu images` knows, the values of Flux' and Argo CD's releases move the images. An image keeps
    its tag and its digest. An image without an entry in the mapping stops the synth: `app.synth()` raises one
    `TalosGpuError` with all of them. Two images with one copy stop it too. A release of another chart stops the synth
    too, because its images are unknown.

    Names are read as containerd reads them: `busybox` is docker.io/library/busybox. The longest matching key wins. An
    image that is below a target stays. Talos can pull from copies without this function:
    `talos-gpu images --mirror FILE --format talos`. The installer image, the addresses of charts, and images in
    variables and arguments of containers stay.

    Changes the API objects, and no construct. Each synth makes a call to jsii's kernel for each object.

    Args:
        scope: The App, or a Chart in it.
        registries: The copies: `{"nvcr.io": "registry.home.arpa/nvcr"}`. A key is a registry or a repository, a value a
            registry with or without a folder.
        digests: The digest of every image, by its name before the move: lines such as
            `docker.io/library/busybox:1.37.0@sha256:…`, as in the file for `talos-gpu images --digests`. Every image
            then has its tag and its digest, and an image without a line stops the synth. Default: none, an image keeps
            its tag.
        ignore_charts: The names of charts whose images you moved by their values. Default: none.

    Raises:
        TypeError, ValueError: `'scope' must be …`; `'registries' must be …` for a target with a scheme or a tag, for
            two spellings of one key, and for a loop; `'digests' must be references with a tag and a digest …`.

    Example:
        >>> app = App()
        >>> mirror(app, {"docker.io": "registry.home.arpa/hub"})
        >>> server = Ollama(Chart(app, "ai"), "ollama", nodes=GpuNodes(talos_version="1.14"))
        >>> "registry.home.arpa/hub/ollama/ollama:" in app.synth_yaml()
        True

    https://distribution.github.io/distribution/recipes/mirror/
    """
    instance("scope", scope, App | Chart, "an App or a Chart")
    copies = ImageCopies(RegistryMap("registries", registries), None if digests is None else ImageDigests("digests", digests))
    validation = _Mirror(scope, copies, frozenset(texts("ignore_charts", ignore_charts)))
    scope.node.add_validation(validation)
    shorten_errors(scope.node.root)


@jsii.implements(IValidation)
class _Mirror:
    """The validation that cdk8s calls when a synth begins. An image that is moved already stays."""

    def __init__(self, scope: App | Chart, copies: ImageCopies, ignored: frozenset[str]) -> None:
        self._scope, self._copies, self._ignored = scope, copies, ignored
        self._originals: dict[str, str] = {}  # by their copies, which an earlier synth has written

    def validate(self) -> list[str]:
        """Move the images. Returns the errors that stop the synth."""
        objects = {str(each.to_string()): each for each in self._scope.node.find_all() if isinstance(each, ApiObject)}
        manifests = dict(_manifests(objects))
        lists = [path for path, manifest in manifests.items() if isinstance(manifest.get("items"), list)]
        images = moved_images(read_manifests(manifests.items()), self._copies, self._ignored)
        errors = [f"mirror [{path}]: the images of a {manifests[path]['kind']} stay; add its objects one by one" for path in lists]
        errors += [_unknown_chart(each) for each in images.unknown]
        try:
            self._copies.check(self._originals.get(image, image) for image in images.images)
        except Refusal as error:
            errors.append(f"mirror: {error}")
        if not errors:
            copies = {image: self._copies.moved(image) for image in images.images}
            self._originals |= {copy: image for image, copy in copies.items() if copy and copy != image}
            for about, path, value in images.changes:
                objects[about.file].add_json_patch(JsonPatch.add("".join(f"/{json_pointer(str(key))}" for key in path), value))
        return errors


def _manifests(objects: Mapping[str, ApiObject]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The manifest of each object, but of a workload that contradicts its nodes: its own validation has the error."""
    for path, each in objects.items():
        try:
            yield path, each.to_json()
        except Refusal as error:
            if not error.argument.startswith("workload"):
                raise


def _unknown_chart(release: ChartRelease) -> str:
    chart = f"{release.chart}"
    return (
        f"mirror [{release.file}]: 'ignore_charts' must be given with {chart!r} (got nothing); the values of {release.label} do not show the images "
        "of the chart: move the images by keys of its values"
    )
