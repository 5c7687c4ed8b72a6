"""The script that `talos-gpu doctor --collect` prints, for somebody who has the cluster and not this program: kubectl and talosctl only read, and credentials are left out."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from ..observed.read.live.bundle_commands import FAILED, NODE, BundleCommand, kubernetes_commands, log_commands, talos_commands
from .collect_filter import AWK

__all__ = ["COMMANDS", "BundleCommand", "collect_script", "kubernetes_commands", "log_commands", "talos_commands"]

COMMANDS: tuple[BundleCommand, ...] = (*kubernetes_commands(), *talos_commands(NODE))
"""The commands of a cluster with one node, whose address is the placeholder NODE."""

_GPU_PODS = "nvidia|gpu|dcgm|node-feature-discovery|resourceclaim"
_MOST_LOGS = 100

_HEAD = f"""\
#!/bin/sh
# Gathers what talos-gpu doctor reads: sh collect.sh [NODE ...], with the addresses of Talos nodes; default: all nodes of the cluster.
# It runs only commands that read. No Secret and no machine configuration is read, and values in the shape of a credential are replaced.
set -u
set -f   # no name of the cluster is a pattern of files
umask 077
folder="talos-gpu-$(date -u +%Y%m%dT%H%M%SZ)"
mkdir "$folder" || exit 1
limit=
if command -v timeout >/dev/null 2>&1; then limit="timeout 120"; fi

hide() {{
    awk -v is_text="$1" {shlex.quote(AWK)}
}}

# run FILE COMMAND...: the output goes to FILE, and the words of a command that fails to FILE{FAILED}.
run() {{
    file="$folder/$1"
    shift
    mkdir -p "$(dirname "$file")"
    printf '+ %s\\n' "$*" >&2
    case "$file" in *.json) is_text=0 ;; *) is_text=1 ;; esac
    {{ {{ $limit "$@" </dev/null 2>&3; echo $? >"$file.status"; }} | hide "$is_text" >"$file"; }} 3>&1 | hide 1 >"$file{FAILED}"
    if [ "$(cat "$file.status")" = 0 ]; then
        rm -f "$file{FAILED}"
    else
        printf '  failed: %s\\n' "$(head -n 1 "$file{FAILED}")" >&2
        if [ ! -s "$file" ]; then rm -f "$file"; fi
    fi
    rm -f "$file.status"
}}
"""

_TAIL = """
if tar -czf "$folder.tar.gz" "$folder"; then
    printf 'The bundle is %s; look through it, then: talos-gpu doctor %s\\n' "$folder.tar.gz" "$folder.tar.gz"
else
    printf 'The bundle is the folder %s; look through it, then: talos-gpu doctor %s\\n' "$folder" "$folder"
fi
"""


def collect_script(nodes: Sequence[str] = ()) -> str:
    """The script, for these nodes, or for the nodes that its own arguments name, or for all nodes of the cluster."""
    given = " ".join(shlex.quote(each) for each in nodes)
    return "\n".join(
        [
            _HEAD,
            *(_run(each) for each in kubernetes_commands()),
            "",
            _loop_of_logs(),
            "",
            f"if [ $# -eq 0 ]; then set -- {given or _all_nodes()}; fi",
            'for node in "$@"; do',
            f"    {_SKIP_NODE}",
            *(f"    {_run(each)}" for each in talos_commands(NODE)),
            "done",
            _TAIL,
        ]
    )


def _run(command: BundleCommand) -> str:
    words = (_word(each) for each in (command.file, *command.argv))
    return f"run {' '.join(words)}"


# Names of the cluster are parts of paths and arguments: only those in the form of an address or of a name of Kubernetes are used.
_SKIP_NODE = (
    """case "$node" in '' | -* | .* | *..* | *[!0-9A-Za-z.:-]*) echo 'a node is skipped: its address is none' >&2; continue ;; esac"""
)
_SKIP_POD = """case "$namespace" in '' | -* | *[!a-z0-9-]*) continue ;; esac; case "$pod" in '' | -* | .* | *..* | *[!a-z0-9.-]*) continue ;; esac"""
_PLACEHOLDER = re.compile(rf"\b(?:{NODE}|NAMESPACE|POD)\b")


def _word(word: str) -> str:
    """A word of a command, with variables of the shell for its placeholders."""
    text = _PLACEHOLDER.sub(lambda found: f"${{{found[0].lower()}}}", word)
    return f'"{text}"' if text != word else shlex.quote(word)


def _all_nodes() -> str:
    path = '{range .items[*]}{.status.addresses[?(@.type=="InternalIP")].address}{"\\n"}{end}'
    return f"$(kubectl get nodes --output jsonpath={shlex.quote(path)} | awk 'NF {{ print $1 }}')"


def _loop_of_logs() -> str:
    columns = (
        "NAMESPACE:.metadata.namespace,POD:.metadata.name,IMAGES:.spec.containers[*].image,LIMITS:.spec.containers[*].resources.limits"
    )
    return "\n".join(
        [
            f"kubectl get pods --all-namespaces --no-headers --output custom-columns={shlex.quote(columns)} |",
            f"    grep -i -E {shlex.quote(_GPU_PODS)} | head -n {_MOST_LOGS} |",
            "    while read -r namespace pod rest; do",
            f"        {_SKIP_POD}",
            *(f"        {_run(each)}" for each in log_commands("NAMESPACE", "POD")),
            "    done",
        ]
    )
