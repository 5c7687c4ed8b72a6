"""What the rules about node configurations share."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

from ..model import Inputs
from ..rule import Found

Judge = Callable[[Inputs], Iterator[Found]]


def once(judge: Judge) -> Judge:
    """A rule that says the same of a place once: a patch reaches many nodes, and its fault is one."""

    @functools.wraps(judge)
    def judged(inputs: Inputs) -> Iterator[Found]:
        said = set()
        for found in judge(inputs):
            about = found.about
            what = (about.file_of(found.path) or about.file, about.line_of(found.path), found.message)
            if what not in said:
                said.add(what)
                yield found

    return judged


def talconfig(node: str, talos: str = "v1.13.9") -> str:
    """A cluster of talhelper with one worker, whose further lines are given."""
    return f"""\
clusterName: home
talosVersion: {talos}
endpoint: https://10.0.0.10:6443
nodes:
  - hostname: gpu-1
    ipAddress: 10.0.0.30
{node}"""


def schematic(*extensions: str) -> str:
    """The field of a node of talhelper that chooses its extensions."""
    names = "".join(f"            - siderolabs/{name}\n" for name in extensions)
    return f"""\
    schematic:
      customization:
        systemExtensions:
          officialExtensions:
{names}"""


MODULES = "    kernelModules: [{name: nvidia}, {name: nvidia_uvm}, {name: nvidia_drm}, {name: nvidia_modeset}]\n"
OPEN = ("nvidia-open-gpu-kernel-modules-production", "nvidia-container-toolkit-production")
