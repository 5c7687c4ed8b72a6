"""Holds what the checks read of a kustomization to what the real `kubectl kustomize` builds of it."""

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import yaml

from conftest import needs
from constructs_lib.observed.model import Unknown
from constructs_lib.observed.read.repository import read
from constructs_lib.yaml.kubernetes_yaml import documents


class NotBuiltError(Exception):
    """kubectl refuses the kustomization."""


def write(folder, files):
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text if isinstance(text, str) else yaml.safe_dump(text, sort_keys=False))


def kubectl_objects(folder, *options):
    kubectl = needs("KUBECTL", "the path of a kubectl")
    run = subprocess.run([kubectl, "kustomize", *options, str(folder)], capture_output=True, text=True, check=False)
    if run.returncode:
        raise NotBuiltError(run.stderr)
    return list(documents(run.stdout))


def own_objects(folder):
    git = Path(folder).parent / ".git"
    git.mkdir()  # the bases are beside the folder
    try:
        inputs = read([next(path for path in Path(folder).iterdir() if path.stem.lower() == "kustomization")])
    finally:
        git.rmdir()  # pytest's folders of other tests are below the same folder
    return [each.body for each in (*inputs.objects, *inputs.of_unknown_kind)]


class Comparison:
    """The paths at which two values differ, and those at which ours is unknown."""

    def __init__(self):
        self.wrong = []
        self.unknown = []

    def compare(self, own, real, path=""):
        if isinstance(own, Unknown):
            if isinstance(real, str) and not own.may_be(real):
                self.wrong.append(f"{path}: {own!r} can't become {real!r}")
            self.unknown.append(path)
        elif isinstance(own, Mapping) and isinstance(real, Mapping):
            is_open = any(isinstance(key, Unknown) for key in own)
            for key in [*(key for key in own if isinstance(key, str)), *(key for key in real if key not in own and not is_open)]:
                self.compare(own.get(key), real.get(key), f"{path}/{key}")
            self.unknown += [f"{path}/*"] * is_open
        elif isinstance(own, list) and isinstance(real, list) and any(isinstance(item, Unknown) for item in own) and len(own) != len(real):
            self.wrong += [f"{path}: {item!r} is not in {real!r}" for item in own if not isinstance(item, Unknown) and item not in real]
            self.unknown.append(f"{path}/*")
        elif isinstance(own, list) and isinstance(real, list) and len(own) == len(real):
            for index, pair in enumerate(zip(own, real, strict=True)):
                self.compare(*pair, f"{path}/{index}")
        elif own != real or isinstance(own, bool) != isinstance(real, bool):
            self.wrong.append(f"{path}: {own!r} is {real!r}")


def _compared(own, real):
    comparison = Comparison()
    comparison.compare(own, real)
    return comparison


def differences(own, real):
    """What is wrong in our objects, and which of their leaves are unknown, by `Kind/name/path`; each real object has one of ours."""
    wrong, unknown, left = [], [], list(own)
    for each in real:
        label = f"{each['kind']}/{each['metadata']['name']}"
        candidates = sorted(((_compared(mine, each), index) for index, mine in enumerate(left)), key=lambda found: len(found[0].wrong))
        same_kind = [found for found in candidates if not _compared(left[found[1]].get("kind"), each["kind"]).wrong]
        if not same_kind:
            wrong.append(f"{label}: missing")
            continue
        best, index = same_kind[0]
        del left[index]
        wrong += [f"{label}{difference}" for difference in best.wrong]
        unknown += [f"{label}{path}" for path in best.unknown]
    return wrong + [f"{each.get('kind')}/{each['metadata'].get('name')}: not built by kubectl" for each in left], unknown


def sections(text):
    """The files of a text in which `-- path --` stands before each."""
    parts = re.split(r"^-- (.+) --\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))
