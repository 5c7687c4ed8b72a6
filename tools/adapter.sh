#!/bin/sh
# Put adapter-validate into a folder: tools/adapter.sh [folder, default .tools]. Go builds tools/adapter with the packages of the prometheus-adapter, once for each machine.
set -eu
version=v0.12.0
folder=${1:-.tools}
source=$(dirname "$0")/adapter/main.go
built=${XDG_CACHE_HOME:-$HOME/.cache}/adapter-validate-$version-$(cksum < "$source" | cut -d ' ' -f 1)
command -v go > /dev/null || [ -x "$built/adapter-validate" ] || { echo "adapter-validate: this needs Go" >&2; exit 1; }
if [ ! -x "$built/adapter-validate" ]; then
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    cp "$source" "$scratch/main.go"
    printf 'module scratch\n\ngo 1.26\n\nrequire sigs.k8s.io/prometheus-adapter %s\n' "$version" > "$scratch/go.mod"
    (cd "$scratch" && timeout 2400 go build -mod=mod -ldflags '-s -w' -o adapter-validate .)
    mkdir -p "$built"
    mv "$scratch/adapter-validate" "$built/adapter-validate"
fi
mkdir -p "$folder"
ln -sf "$built/adapter-validate" "$folder/adapter-validate"
echo "adapter-validate: with the prometheus-adapter $version, now in $folder"
