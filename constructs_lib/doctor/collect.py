"""The script that `talos-gpu doctor --collect` prints, for somebody who has the cluster and not this program: kubectl and
talosctl only read, and an awk program hides credentials before a line reaches a disk."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from ..arguments.credentials.names import ENDS, HIDDEN, OWNERS, STRONG
from ..arguments.credentials.texts import MAKERS, SHORT_MAKERS
from ..arguments.patterns import pattern
from ..observed.read.live.bundle_commands import (
    EXPORTER_PORT,
    FAILED,
    NODE,
    BundleCommand,
    kubernetes_commands,
    log_commands,
    metrics_command,
    talos_commands,
)
from ..observed.read.live.redaction import READ_ANNOTATIONS, READ_VARIABLES

_INNER = f"{STRONG}|[_-]key|({OWNERS})key"
_LAST = f"pass|pwd|session[_-]?id|(^|[^a-z])({ENDS})|--?license"
_PARTS = {
    "<hidden>": HIDDEN,
    "<name>": f"(({_INNER})[a-z0-9_.-]*|{_LAST})",
    "<flag>": f"--?[a-z0-9_.-]*(({_INNER})[a-z0-9_-]*|pass|pwd|auth|key|license)",
    "<makers>": f"{MAKERS}|{SHORT_MAKERS}".replace("(?:", "("),
    "<annotations>": READ_ANNOTATIONS,
    "<variables>": READ_VARIABLES,
    "<credential>": f"{STRONG}|key",
    "<edge>": "(^|[^A-Za-z0-9_-])",
    "<six>": "[a-z0-9]" * 6,
    "<eight>": "[a-z0-9_-]" * 8,
    "<word>": r"[^][ \"',}&;\\\\({]+",
    "<quotes>": r"[\"'\\\\]*",
}

AWK = r"""
function hide(line, before, value, start, end, out) {
    out = ""
    while (match(tolower(line), tolower(before value))) {
        start = RSTART
        end = RSTART + RLENGTH
        out = out substr(line, 1, start - 1) kept(substr(line, start, end - start), before) hidden
        line = substr(line, end)
    }
    return out line
}
function kept(found, before) {
    if (before == edge) return substr(found, 1, 1) ~ /[A-Za-z0-9]/ ? "" : substr(found, 1, 1)
    match(tolower(found), tolower(before))
    return substr(found, 1, RLENGTH)
}
function without_credentials(line) {
    line = hide(line, "authorization<quotes> *[:=] *<quotes>((basic|bearer|digest|negotiate|token) +)?", "[^ \"',}\\\\(]+")
    line = hide(line, "<name><quotes> *[=:>] *<quotes>", "<word>")
    line = hide(line, "(^|[ \"'[])<flag>[\"',]* +[\"']*", "[^][ \"',}&;\\\\({-]<word>")
    line = hide(line, "(passwords?|passwd|passphrase) +(for [^ ]+ [^ ]+ )?(is +)?", "<word>")
    line = hide(line, "([a-z0-9]+[_-](secret|token|key)|[a-z0-9_]+(pass|pwd)) +", "[^ \"',}&;\\\\(]*[0-9][^ \"',}&;\\\\(]*")
    if (tolower(line) ~ /mysql|mariadb|sshpass/) line = hide(line, "[ \"'\\\\]-p *", "<word>")
    if (tolower(line) ~ /(redis|valkey|keydb)-cli/) line = hide(line, " -a +", "<word>")
    if (line ~ / login /) line = hide(line, " -p +", "<word>")
    line = hide(line, "(hooks[.]slack[.]com|discord[.]com/api|webhook[.]office[.]com|hooks[.]zapier[.]com|api[.]telegram[.]org)/", "<word>")
    line = hide(line, "[$](1|2[aby]|5|6|y|apr1)[$]", "<word>")
    line = hide(line, edge, "LS0tLS1CRUdJTi[A-Za-z0-9+/=]*")
    line = hide(line, "response=[\"'\\\\]*", "<eight>[0-9a-f]*")
    line = hide(line, " (-u|--user)[ =][^ :@\"]+:", "<word>")
    line = hide(line, edge, "(<makers>)<eight>[a-z0-9_.-]*")
    line = hide(line, "bearer +", "<eight>[^ \"',]*")
    line = hide(line, "basic +", "[a-z0-9+/]*[0-9][a-z0-9+/]*=*")
    if (tolower(line) ~ /token/) line = hide(line, edge, "<six>[.]<six><six>[a-z0-9][a-z0-9][a-z0-9][a-z0-9]")
    while (match(line, "://[^] /@\"'(]+@")) line = substr(line, 1, RSTART + 2) hidden substr(line, RSTART + RLENGTH - 1)
    return line
}
BEGIN { hidden = "<hidden>"; edge = "<edge>"; longest = 4500 }

# A search takes the square of the length of a line, so of a longer line only the first part is kept, and of a longer value of JSON nothing.
# A log, and what talosctl prints.
is_text && /-----BEGIN [A-Z ]*PRIVATE KEY-----/ && !/-----END [A-Z ]*PRIVATE KEY-----/ { print hidden; is_key = 1 }
is_key { if ($0 ~ /-----END [A-Z ]*PRIVATE KEY-----/) is_key = 0; next }
is_text {
    gsub(/-----BEGIN [A-Z ]*PRIVATE KEY-----.*-----END [A-Z ]*PRIVATE KEY-----/, hidden)
    print without_credentials(substr($0, 1, longest))
    next
}

# JSON of kubectl: one field on a line, the fields of an object in the order of the alphabet.
fields_end { if ($0 ~ fields_end) { sub(/[^ ,]/, "\"managedFields\": []"); print; fields_end = "" }; next }
/^ *"managedFields": \[$/ { match($0, /^ */); fields_end = "^" substr($0, 1, RLENGTH) "\\],?$"; next }
/^ *"annotations": \{$/ { is_annotation = 1; print; next }
is_annotation && /^ *\}/ { is_annotation = 0 }
is_annotation { if ($0 !~ "^ *\"(<annotations>)\": ") sub(/": ".*"/, "\": \"" hidden "\"") }
{
    gsub(/-----BEGIN [A-Z ]*PRIVATE KEY-----[^"]*/, hidden)
    if (is_unread && $0 ~ /^ *"value": "/) sub(/: ".*"/, ": \"" hidden "\"")
    if (is_secret && $0 ~ /^ *"[^-]/) sub(/".*"/, "\"" hidden "\"")
    is_unread = ($0 ~ /^ *"name": "/ && ($0 !~ "\"(<variables>)\",?$" || tolower($0) ~ /<credential>/))
    is_secret = (tolower($0) ~ "^ *\"<flag>\",?$")
    field = match($0, /^ *"[^"]*": /) ? substr($0, 1, RLENGTH) : ""
    rest = substr($0, length(field) + 1)
    if (length(rest) > longest) sub(/".*"/, "\"" hidden "\"", rest)
    print field (field ~ /"name"/ ? rest : without_credentials(rest))
}
"""
for _mark, _part in _PARTS.items():
    AWK = AWK.replace(_mark, _part)
"""The program. With `is_text` the lines are those of a log; else they are JSON, which stays whole."""


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
            _loop_of_metrics(),
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
_SKIP_HOST = """case "$node" in '' | -* | .* | *..* | *[!a-z0-9.-]*) continue ;; esac; case "$port" in '' | *[!0-9]*) port={port} ;; esac"""
_PLACEHOLDER = pattern(rf"\b(?:{NODE}|NAMESPACE|POD|PORT)\b")


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


def _loop_of_metrics() -> str:
    """The metrics of the exporters that run, through the proxy of the API server, as `--live` reads them."""
    columns = (
        "NAMESPACE:.metadata.namespace,POD:.metadata.name,NODE:.spec.nodeName,PORTS:.spec.containers[*].ports[*].containerPort,"
        "IMAGES:.spec.containers[*].image"
    )
    return "\n".join(
        [
            f"kubectl get pods --all-namespaces --no-headers --field-selector status.phase=Running --output custom-columns={shlex.quote(columns)} |",
            "    grep dcgm-exporter |",
            "    while read -r namespace pod node ports rest; do",
            "        port=${ports%%,*}",
            f"        {_SKIP_POD}",
            f"        {_SKIP_HOST.format(port=EXPORTER_PORT)}",
            f"        {_run(metrics_command(NODE, 'NAMESPACE', 'POD', 'PORT'))}",
            "    done",
        ]
    )
