"""The filter of the script of `--collect`: an awk program that hides credentials before a line reaches a disk. It needs nothing beyond POSIX."""

from __future__ import annotations

from ..checks.secret_values import HIDDEN

_NAMES = "(token|passw[a-z]*|passphrase|secret|credential|api[_-]?key|access[_-]?key|private[_-]?key)[a-z0-9_.-]*"
_EIGHT = "[A-Za-z0-9_-]" * 8
_EDGE = "(^|[^A-Za-z0-9_-])"

AWK = (
    r"""
function hide(line, pattern, keep, start, end, out) {
    out = ""
    while (match(tolower(line), tolower(pattern))) {
        start = RSTART
        end = RSTART + RLENGTH
        out = out substr(line, 1, start - 1) kept(substr(line, start, end - start), keep) hidden
        line = substr(line, end)
    }
    return out line
}
function kept(found, keep) {
    if (keep == "edge") return substr(found, 1, 1) ~ /[A-Za-z0-9]/ ? "" : substr(found, 1, 1)
    match(tolower(found), keep)
    return substr(found, 1, RSTART + RLENGTH - 1)
}
BEGIN {
    hidden = "HIDDEN"
    assigned = "NAMES[\"'\\\\]* *= *[\"'\\\\]*"
    quoted = "NAMES\\\\+\" *: *\\\\+\""
    told = "NAMES[\"']* *: *[\"']*"
}
/-----BEGIN [A-Z ]*PRIVATE KEY-----/ && !/-----END [A-Z ]*PRIVATE KEY-----/ { print hidden; is_key = 1 }
is_key { if ($0 ~ /-----END [A-Z ]*PRIVATE KEY-----/) is_key = 0; next }
{
    gsub(/-----BEGIN [A-Z ]*PRIVATE KEY-----.*-----END [A-Z ]*PRIVATE KEY-----/, hidden)
    if ($0 ~ /"kubectl.kubernetes.io\/last-applied-configuration": "/) sub(/: ".*"/, ": \"" hidden "\"")
    if (after_name && $0 ~ /^ *"value": "/) sub(/: ".*"/, ": \"" hidden "\"")
    if (after_flag && $0 ~ /^ *"[^-]/) sub(/".*"/, "\"" hidden "\"")
    after_name = ($0 ~ /^ *"name": "/ && toupper($0) ~ /TOKEN|PASSW|PASSPHRASE|SECRET|CREDENTIAL|KEY/)
    after_flag = (tolower($0) ~ /^ *"--?[a-z0-9._-]*(token|passw|passphrase|secret|credential|key)[a-z0-9_-]*",?$/)
    line = hide($0, assigned "[^][ \"',}&;\\\\({]+", assigned)
    line = hide(line, quoted "[^\"\\\\]+", quoted)
    if (is_text) line = hide(line, told "[^][ \"',}&;({]+", told)
    line = hide(line, "EDGE(hf_|nvapi-|sk-|gh[pousr]_|github_pat_|glpat-|xox[abpr]-|akia|eyj|age-secret-key-1)EIGHT[A-Za-z0-9_.-]*", "edge")
    line = hide(line, "bearer +EIGHT[^ \"',]*", "bearer +")
    line = hide(line, "://[^] /:@\"]+:[^] /@\"]+", "://")
    print line
}
""".replace("HIDDEN", HIDDEN)
    .replace("NAMES", _NAMES)
    .replace("EDGE", _EDGE)
    .replace("EIGHT", _EIGHT)
)
"""The program. With `is_text` the lines are those of a log, where `name: value` is hidden too; in JSON that would break the values of fields."""
