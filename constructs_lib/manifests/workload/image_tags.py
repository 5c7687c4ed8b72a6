"""A warning about images whose release a restart may change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...arguments.errors import warn
from ...arguments.names import is_floating


def warn_of_tag(argument: str, image: object) -> None:
    """Warn of an image without a tag, or with `latest`."""
    if isinstance(image, str) and is_floating(image):
        warn(
            f"{argument} has {'the tag latest' if image.endswith(':latest') else 'no tag'} (got {image!r}): a restart may run another release, "
            "built with a CUDA that the driver does not run; give a tag with a version, or a digest"
        )


def warn_of_tags(template: Mapping[str, Any]) -> None:
    """Warn of the images of a pod template, whose form is checked elsewhere."""
    spec = template.get("spec")
    containers = spec.get("containers") if isinstance(spec, Mapping) else None
    for each in containers if isinstance(containers, list) else ():
        if isinstance(each, Mapping):
            warn_of_tag(f"the image of '{each.get('name')}'", each.get("image"))
