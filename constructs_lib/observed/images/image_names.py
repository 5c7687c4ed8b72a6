"""Names of container images, as far as they are known."""

from __future__ import annotations

from typing import Any

from ..model import Unknown, known_text
from ..model.unknown import GAP


def image_name(image: Any) -> str | Unknown:
    """The last part of an image's name, with its tag and without its digest: `k8s-device-plugin:v0.20.0`."""
    last = known_text(image).partition("@")[0].rpartition("/")[2]
    return Unknown(f"{image}", last) if GAP in last else last
