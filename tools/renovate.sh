#!/bin/sh
# Put Renovate and its validator into a folder: tools/renovate.sh [folder, default .tools]. npm installs it from the lock file, once for each machine. Node 24 is that of
# .venv/synth. No script of a package runs: without its optional module re2 Renovate takes JavaScript's regular expressions.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-.tools}
lock=$here/renovate/package-lock.json
built=${XDG_CACHE_HOME:-$HOME/.cache}/renovate-$(cksum < "$lock" | cut -d ' ' -f 1)
if [ ! -x "$built/node_modules/.bin/renovate" ]; then
    mkdir -p "$(dirname "$built")"
    scratch=$(mktemp -d "$built.XXXXXX")
    trap 'rm -rf "$scratch"' EXIT
    cp "$here/renovate/package.json" "$lock" "$scratch"
    (cd "$scratch" && PATH="$here/../.venv/bin:$PATH" npm ci --ignore-scripts --omit=optional --silent --no-audit --no-fund)
    [ -d "$built" ] || mv "$scratch" "$built"
fi
mkdir -p "$folder"
ln -sfn "$built" "$folder/renovate"
echo "renovate: $("$here/../.venv/node" "$folder/renovate/node_modules/renovate/dist/renovate.js" --version), now in $folder/renovate"
