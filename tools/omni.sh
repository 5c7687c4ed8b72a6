#!/bin/sh
# Put omni-validate into a folder: tools/omni.sh [folder, default .tools]. Go builds tools/omni with Omni's client library, once for each machine.
set -eu
version=v1.9.3
folder=${1:-.tools}
source=$(dirname "$0")/omni/main.go
built=${XDG_CACHE_HOME:-$HOME/.cache}/omni-validate-$version-$(cksum < "$source" | cut -d ' ' -f 1)
command -v go > /dev/null || [ -x "$built/omni-validate" ] || { echo "omni-validate: this needs Go" >&2; exit 1; }
if [ ! -x "$built/omni-validate" ]; then
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    cp "$source" "$scratch/main.go"
    printf 'module scratch\n\ngo 1.26\n\nrequire github.com/siderolabs/omni/client %s\n' "$version" > "$scratch/go.mod"
    (cd "$scratch" && timeout 2400 go build -mod=mod -ldflags '-s -w' -o omni-validate .)
    mkdir -p "$built"
    mv "$scratch/omni-validate" "$built/omni-validate"
fi
mkdir -p "$folder"
ln -sf "$built/omni-validate" "$folder/omni-validate"
echo "omni-validate: with Omni $version, now in $folder"
