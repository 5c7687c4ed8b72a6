"""The first process of a cluster: a network of its own, of which every address is on its loopback interface.

Nothing outside reaches it, and nothing in it reaches the outside; two clusters side by side do not meet.
"""

from __future__ import annotations

import fcntl
import json
import socket
import struct
import sys
from pathlib import Path

from .supervisor import Supervisor

SIOCADDRT, SIOCSIFFLAGS, SIOCSIFADDR, SIOCSIFNETMASK = 0x890B, 0x8914, 0x8916, 0x891C
IFF_UP, IFF_RUNNING, RTF_UP = 1, 64, 1


def main(addresses: list[str]) -> None:
    """Give the addresses to the loopback interface, and supervise the programs of the control plane."""
    pid = Path("/proc/self").readlink().name
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", IFF_UP | IFF_RUNNING))
        for number, address in enumerate(addresses):
            name = f"lo:{number}".encode()
            fcntl.ioctl(control, SIOCSIFADDR, struct.pack("16s16s", name, _address(address)))
            fcntl.ioctl(control, SIOCSIFNETMASK, struct.pack("16s16s", name, _address("255.255.255.255")))
        _default_route(control)
    sys.stdout.write(json.dumps({"pid": int(pid)}) + "\n")
    sys.stdout.flush()
    Supervisor().serve()


def _default_route(control: socket.socket) -> None:
    """A default route to the loopback interface: programs that ask for one, such as the API server, find it."""
    import ctypes

    device = ctypes.create_string_buffer(b"lo")
    anywhere = _address("0.0.0.0")  # noqa: S104  # a route's destination
    # struct rtentry of linux/route.h on 64 bits
    route = struct.pack("Q16s16s16sHhQPhPQQH", 0, anywhere, anywhere, anywhere, RTF_UP, 0, 0, 0, 0, ctypes.addressof(device), 0, 0, 0)
    fcntl.ioctl(control, SIOCADDRT, route.ljust(128, b"\0"))


def _address(text: str) -> bytes:
    return struct.pack("HH4s8x", socket.AF_INET, 0, socket.inet_aton(text))


if __name__ == "__main__":
    main(sys.argv[1:])
