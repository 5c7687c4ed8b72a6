"""The minor releases of Talos: their newest patch, the Kubernetes that they run, and NVIDIA's drivers in their
extensions.

The table is tables/talos_releases.json, which `make pins` renews from upstream's tags. It is read at the first access
to a constant of this module (`talos_releases.TALOS`), so that describing a class of nodes does not need it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..version import Version


class TalosRelease(NamedTuple):
    """The facts about one minor release of Talos.

    `newest` is its newest patch, `kubernetes` the first and the last minor of Kubernetes that it runs, `drivers` maps
    each track to the version of NVIDIA's driver at `newest`. `kernel` is the version of Linux at `newest`, `toolkit`
    that of NVIDIA's container toolkit in the extensions; both are empty if unknown, and `toolkit` is empty if the
    extensions have none.
    """

    newest: str
    kubernetes: tuple[int, int]
    drivers: dict[str, str]
    kernel: str = ""
    toolkit: str = ""

    @property
    def kubernetes_versions(self) -> list[str]:
        """Every Kubernetes minor that this Talos runs, oldest first, as "1.35"."""
        first, last = self.kubernetes
        return [f"1.{minor}" for minor in range(first, last + 1)]


TALOS: dict[str, TalosRelease]
"""Each minor release of Talos that this library has manifests for, oldest first.

Source: siderolabs/talos tags, pkg/machinery; siderolabs/extensions nvidia-gpu/vars.yaml; each row of the table has its
own (2026-11-20)
"""

PREVIEW: str
"""The minor release of Talos with pre-releases only. Empty if there is none.

Source: siderolabs/talos tags (2026-11-20)
"""

READ_ON: str
"""The date of the tables: the day on which the oldest table was read from upstream.

Source: `read_on` of every table, which `make pins` renews (2026-11-20)
"""


def __getattr__(name: str) -> Any:
    """The constants above, read from their files."""
    if name == "TALOS":
        value: Any = _releases()
    elif name == "PREVIEW":
        value = next((minor for minor, release in _releases().items() if _is_pre_release(release)), "")
    elif name == "READ_ON":
        from ..table_files import oldest_date

        value = oldest_date()
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def _releases() -> dict[str, TalosRelease]:
    from ..table_files import read_table

    rows = read_table("tables/talos_releases")["releases"]
    return {
        minor: TalosRelease(row["newest"], tuple(row["kubernetes"]), row["drivers"], row["kernel"], row["toolkit"])
        for minor, row in rows.items()
    }


def _is_pre_release(release: TalosRelease) -> bool:
    newest = Version.parse(release.newest)
    return newest is not None and bool(newest.pre_release)
