"""The OS layer: from a class of GPU nodes to the image and the machine configuration that its nodes need. It never
starts Node."""

from __future__ import annotations

from ..arguments.public_names import lazy

__getattr__, __dir__ = lazy(__name__, globals())
