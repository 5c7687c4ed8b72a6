"""Record the dumps of tests/doctor/dumps from the laboratory: `record_dumps.py [NAME …]`.

Every failure is made on a real control plane and printed by the real kubectl. A second recording changes a file only where the cluster has changed.
The environment names the parts, as for the tests of this folder: CLUSTER_ASSETS, KUBECTL and REFERENCE.
"""

from __future__ import annotations

import os
import shutil
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests/lab"), str(ROOT / "rehearsal")]

import healthy_clusters  # noqa: E402, F401  # registers its recordings
import node_failures  # noqa: E402, F401
import plugin_failures  # noqa: E402, F401
import pod_failures  # noqa: E402, F401
import program_failures  # noqa: E402, F401
import two_failures  # noqa: E402, F401
import yaml  # noqa: E402
from control_plane import ControlPlane  # noqa: E402
from dump_paper import as_json, as_yaml, by_kind, kubernetes, stream, support_bundle, talos_files  # noqa: E402
from dump_plays import RECORDINGS, Recording  # noqa: E402
from dump_scene import Scene  # noqa: E402
from talos_side import TalosSide  # noqa: E402

DUMPS = ROOT / "tests" / "doctor" / "dumps"


def files_of(scene: Scene, recording: Recording) -> dict[str, bytes]:
    """The files of a recording by their paths in its folder."""
    items, more = kubernetes(scene)
    expected = {"expected.yaml": expected_text(recording, titles_of(items)).encode()}
    return expected | printed_files(list(scene.sides.values()), recording, items, more)


def printed_files(sides: list[TalosSide], recording: Recording, items: list[dict[str, Any]], more: dict[str, str]) -> dict[str, bytes]:
    """What kubectl and talosctl print, in the form of the recording."""
    if recording.form == "support":
        return {"support.zip": support_bundle(sides, items)}
    if recording.form == "stream":
        return {"everything.txt": stream(sides, items).encode()}
    if recording.form == "list":
        cluster = {"cluster.yaml": as_yaml(items)}
    elif recording.form == "json":
        cluster = {"cluster.json": as_json(items)}
    else:
        cluster = by_kind(items, is_bundle=recording.form == "bundle")
    files = {**cluster, **talos_files(sides), **more}
    return {path: text.encode() for path, text in files.items() if not recording.only or path.startswith(recording.only)}


def expected_text(recording: Recording, titles: list[str]) -> str:
    """The file expected.yaml: the causes in the order in which they must be mended. A name that Kubernetes makes up is a pattern in the recording."""
    causes = []
    for each in recording.expected:
        subjects = [title for pattern in each.subjects for title in _matching(titles, pattern)]
        causes.append({"cause": each.cause, "subjects": subjects})
    return yaml.safe_dump(causes, sort_keys=False)


def _matching(titles: list[str], pattern: str) -> list[str]:
    matching = [each for each in titles if fnmatchcase(each, pattern)][:1] if "*" in pattern else [pattern]
    assert len(matching) == 1, f"{len(matching)} subjects are {pattern}: {titles}"
    return matching


def titles_of(items: list[dict[str, Any]]) -> list[str]:
    """The subjects that a cause may have: pods, those that wait first, and ReplicaSets without pods."""
    titles = []
    for each in sorted(items, key=lambda each: each.get("status", {}).get("phase") == "Running"):
        name = f"{each['metadata'].get('namespace')}/{each['metadata']['name']}"
        if each["kind"] == "Pod":
            titles.append(f"pod {name}")
        elif each["kind"] == "ReplicaSet" and not each["status"].get("replicas"):
            titles.append(f"ReplicaSet {name} (without pods)")
    return titles


def record(lab: ControlPlane, recording: Recording) -> dict[str, bytes]:
    """Play the scene and print it."""
    with Scene(lab) as scene:
        recording.play(scene)
        return files_of(scene, recording)


def write(recording: Recording, files: dict[str, bytes]) -> int:
    """Replace the folder of a dump, and return its size."""
    folder = DUMPS / recording.name
    shutil.rmtree(folder, ignore_errors=True)
    for path, content in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return sum(map(len, files.values()))


def main(names: list[str]) -> int:
    """Record the named dumps, or all of them."""
    unknown = [each for each in names if each not in RECORDINGS]
    if unknown:
        sys.stderr.write(f"no recording is named {', '.join(unknown)}\n")
        return 2
    failed = []
    with ControlPlane(Path(os.environ["CLUSTER_ASSETS"])) as lab:
        for recording in (each for each in RECORDINGS.values() if not names or each.name in names):
            try:
                size = write(recording, record(lab, recording))
            except AssertionError as error:
                failed.append(recording.name)
                sys.stderr.write(f"{recording.name}: {error}\n")
            else:
                sys.stdout.write(f"{recording.name}: {size} bytes\n")
                sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
