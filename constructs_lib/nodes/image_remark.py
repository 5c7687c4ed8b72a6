"""The remark beside a command that installs an image, where nobody has read what the machine's present image has."""

from __future__ import annotations


def only_nvidia(way: str, *, has_driver: bool = True) -> str:
    """The remark on an image without extensions of others. `way` is where its reader adds them."""
    few = "only NVIDIA's" if has_driver else "no"
    return f"this image has {few} extensions; run `talosctl get extensions` and add the others with {way}"
