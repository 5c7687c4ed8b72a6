"""Record the dumps of tests/doctor/dumps from real nodes: `record.py [NAME …]`.

Every state of `every_state.py` with a form is made on a node of its Talos and printed by the real kubectl. A second recording changes a file only where
the words of a program changed. It needs what tests/node needs: root, Go and gcc.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / each) for each in ("", "rehearsal", "tests", "tests/lab", "tests/node")]

from every_state import STATES, started  # noqa: E402
from node_scene import NodeScene  # noqa: E402
from record_dumps import write  # noqa: E402
from recordings import files_of  # noqa: E402

from talos_gpu_rehearsal.namespaces import NamespaceError  # noqa: E402


def main(names: list[str]) -> int:
    """Record the named dumps, or all of them."""
    recorded = {name: each for name, each in STATES.items() if each.form}
    unknown = [each for each in names if each not in recorded]
    if unknown:
        sys.stderr.write(f"no recording is named {', '.join(unknown)}\n")
        return 2
    wanted = [each for name, each in recorded.items() if not names or name in names]
    failed = []
    for talos in dict.fromkeys(each.talos for each in wanted):
        with tempfile.TemporaryDirectory(prefix="talos-gpu-record-") as folder, started(Path(folder) / "cluster", talos) as cluster:
            for each in (state for state in wanted if state.talos == talos):
                try:
                    with NodeScene(cluster) as scene:
                        each.play(scene)
                        size = write(each, files_of(scene, each))
                except (AssertionError, NamespaceError) as error:
                    failed.append(each.name)
                    sys.stderr.write(f"{each.name}: {error}\n")
                else:
                    sys.stdout.write(f"{each.name}: {size} bytes\n")
                    sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
