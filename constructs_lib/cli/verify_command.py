"""The command `verify`: whether a running cluster is as its file describes it, and a proof that its GPUs compute."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..arguments import programs
from ..arguments.commands import command
from ..arguments.printable import printable
from . import streams
from .cluster_files import file_of, file_text, synthesized_cluster
from .command_parser import Commands, add_verb
from .doctor_command import add_access_flags, check_live, dump_of, programs_of
from .flags import add_flag

if TYPE_CHECKING:
    from ..doctor.differences import Difference

_DIFFERS, _NOT_JUDGED = 1, 3
_SECONDS = 60
_PROOF_SECONDS, _PAUSE = 600, 3
_REGISTRATION = 60
"""How long a proof may take, with the pull of its image, the pause between two looks at it, and how long no GPU may be free: a
device plugin that has just started registers within seconds."""
_ELSEWHERE = "not started, because no object of the file was read in this cluster: apply the manifests first, or name the right --context"
_MORE = (
    ". Your kubectl and talosctl read; only --prove writes: it runs the CudaSmokeTest of the file again. The exit status is 0 when the cluster is as described, 1 when "
    "something differs or the proof fails, 2 when nothing could be read, and 3 when nothing differs and something was not read."
)
_EXAMPLES = """\
examples:
  talos-gpu verify cluster.yaml
  talos-gpu verify cluster.yaml --prove --context home"""


def add_verify(commands: Commands) -> None:
    """Add the command and its flags."""
    about = "compare a running cluster with its file, and prove that its GPUs compute"
    parser = add_verb(commands, verify, about, _EXAMPLES, _MORE)
    parser.set_defaults(talos_version=None, mps=None, paths=[], live=True, pod=None, watch=None, output=None, report=False, format="text")
    parser.add_argument("file", metavar="FILE", help="the cluster file, as docs/cluster-file.md describes it")
    add_flag(parser, "--cluster NAME", "the cluster of a file with several")
    add_flag(parser, "--prove", "run the CudaSmokeTest of the file again, and print what it proves")
    add_access_flags(parser)


@dataclass(frozen=True, slots=True)
class _Proof:
    """The end of a CudaSmokeTest: the title of its Job, and the lines of its log or the words of a failure."""

    job: str
    lines: Sequence[str]
    holds: bool = False


def verify(options: argparse.Namespace) -> list[str]:
    """The differences, and the exit status in `options.status`."""
    from ..clusters.verification import node_differences, object_differences, title_of
    from ..doctor.gpu_cluster import GpuCluster
    from ..manifests.cuda_proof import is_proof

    check_live(options)
    name, description, result = synthesized_cluster(file_of(options.file, file_text(options)), options.cluster)
    objects = [each for made in result.objects.values() for each in made]
    with dump_of(options, set()) as dump:
        found = list(node_differences(description.classes, result.nodes, GpuCluster(dump)))
    kubectl = _Kubectl(programs_of(options).of("kubectl"))
    live, unread = kubectl.objects(objects)
    if live is not None:
        found += object_differences(objects, live, is_whole=not unread)
    jobs = [each for each in objects if is_proof(each)] if options.prove else []
    if options.prove and not jobs:
        raise ValueError("--prove needs a workload with the recipe CudaSmokeTest in the file, such as smoke-test: {recipe: CudaSmokeTest}")
    # In another cluster nothing is written.
    proofs = [_prove(kubectl, each) if live else _Proof(title_of(each), [_ELSEWHERE]) for each in jobs]
    return list(_lines(options, name, found, unread, proofs, len(objects)))


def _lines(
    options: argparse.Namespace, name: str, found: Sequence[Difference], unread: str, proofs: Sequence[_Proof], number: int
) -> Iterator[str]:
    """The report, with the verdict first."""
    differing = [each for each in found if not each.is_unknown]
    unknown = [each for each in found if each.is_unknown]
    failed = [each for each in proofs if not each.holds]
    if differing or failed:
        options.status = _DIFFERS
        counts = [f"{len(differing)} {'difference' if len(differing) == 1 else 'differences'}"] if differing else []
        verdict = ", ".join(counts + [f"{each.job} fails" for each in failed])
    elif unknown or unread:
        options.status = _NOT_JUDGED
        verdict = "no difference in what was read"
    else:
        verdict = f"as described: its nodes and {number} {'object' if number == 1 else 'objects'}"
    yield f"{name}: {verdict}\n"
    yield from (f"  {printable(str(each))}\n" for each in differing)
    if unknown or unread:
        yield "not read\n"
        yield from (f"  {printable(each.place)}: described {printable(each.described)}\n" for each in unknown)
        if unread:
            yield f"  objects: {printable(unread)}\n"
    for proof in proofs:
        yield f"proof: {printable(proof.job)}\n"
        yield from (f"  {printable(line)}\n" for line in proof.lines)
    if options.status == _DIFFERS:
        yield "next: talos-gpu doctor --live names the cause of a missing GPU; talos-gpu synth writes the files that are described\n"


class _Kubectl:
    """The user's kubectl, in the context of the flags."""

    def __init__(self, flags: Sequence[str]) -> None:
        self._flags = flags

    def run(self, *words: str, given: str = "") -> programs.Finished:
        """Run it after a line on standard error."""
        line = " ".join(["kubectl", *words, *self._flags])
        streams.say(f"+ {line}")
        try:
            return programs.run("kubectl", [*words, *self._flags], given=given, seconds=_SECONDS)
        except (OSError, TimeoutError) as error:
            return programs.Finished(1, "", streams.reason(error) if isinstance(error, OSError) and error.strerror else str(error))

    def objects(self, described: Sequence[Mapping[str, Any]]) -> tuple[list[Mapping[str, Any]] | None, str]:
        """The described objects as the cluster has them, or None and the words of kubectl about those that were not read."""
        if not described:
            return [], ""
        wanted = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(described)})
        done = self.run("get", "--filename", "-", "--ignore-not-found", "--output", "json", given=wanted)
        try:
            read = json.loads(done.output) if done.output.strip() else {}
        except ValueError:
            read = {}
        if done.status and not read:
            return None, done.complaint.strip() or f"the program ended with status {done.status}"
        return list(read.get("items", [read] if read else [])), done.complaint.strip() if done.status else ""


def _has_no_gpu(kubectl: _Kubectl, of: Sequence[str]) -> bool:
    """Whether the scheduler finds no free GPU for the pod of a Job."""
    path = 'jsonpath={.items[*].status.conditions[?(@.type=="PodScheduled")].message}'
    return "Insufficient nvidia.com/" in kubectl.run("get", "pods", "--selector", f"job-name={of[1]}", *of[2:], "--output", path).output


def _prove(kubectl: _Kubectl, manifest: Mapping[str, Any]) -> _Proof:
    """Run a Job again, wait for its end, and read its log."""
    from ..clusters.verification import title_of
    from ..manifests.cuda_proof import PASSED

    metadata, title = manifest["metadata"], title_of(manifest)
    of = ["job", metadata["name"], *(["--namespace", metadata["namespace"]] if "namespace" in metadata else [])]
    for words, given in ((["delete", *of, "--ignore-not-found"], ""), (["apply", "--filename", "-"], json.dumps(manifest))):
        done = kubectl.run(*words, given=given)
        if done.status:
            return _Proof(title, [done.complaint.strip()])
    waits = 0
    for _ in range(_PROOF_SECONDS // _PAUSE):
        state = kubectl.run("get", *of, "--output", 'jsonpath={.status.conditions[?(@.status=="True")].type}').output
        if "Complete" in state or "Failed" in state:
            break
        waits = waits + 1 if _has_no_gpu(kubectl, of) else 0
        if waits * _PAUSE >= _REGISTRATION:
            return _Proof(title, ["no GPU is free for the proof: scale a workload on the GPUs to 0 replicas, and prove again"])
        time.sleep(_PAUSE)
    else:
        pod = f"{metadata.get('namespace', 'default')}/{metadata['name']}"
        why = command("talos-gpu doctor --live --pod {pod}", pod=pod)
        return _Proof(title, [f"no end after {_PROOF_SECONDS} s; {why} says why"])
    log = kubectl.run("logs", f"job/{metadata['name']}", *of[2:])
    lines = (log.output or log.complaint).strip().splitlines()
    return _Proof(title, lines, holds=PASSED in lines)
