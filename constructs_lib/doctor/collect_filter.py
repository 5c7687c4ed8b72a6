"""The filter of the script of `--collect`: an awk program that hides credentials before a line reaches a disk. It needs nothing beyond POSIX."""

from __future__ import annotations

from ..arguments.credentials.names import ENDS, HIDDEN, OWNERS, STRONG
from ..arguments.credentials.texts import MAKERS, SHORT_MAKERS
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
