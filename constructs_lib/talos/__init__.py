"""The OS layer: the image and the machine configuration of a class of GPU nodes. It never starts Node."""

from __future__ import annotations

from ..arguments.public_names import lazy

__getattr__, __dir__ = lazy(__name__, globals())
