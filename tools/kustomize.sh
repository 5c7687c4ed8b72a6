#!/bin/sh
# Put kustomize into a folder for the tests: tools/kustomize.sh [folder, default .tools]. Go builds it once for each machine.
set -eu
version=v5.8.1
folder=${1:-.tools}
built=${XDG_CACHE_HOME:-$HOME/.cache}/kustomize-$version
command -v go > /dev/null || [ -x "$built/kustomize" ] || { echo "kustomize: this needs Go" >&2; exit 1; }
if [ ! -x "$built/kustomize" ]; then
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    (cd "$scratch" && GOBIN="$scratch" CGO_ENABLED=0 go install -ldflags '-s -w' "sigs.k8s.io/kustomize/kustomize/v5@$version")
    mkdir -p "$built"
    mv "$scratch/kustomize" "$built/kustomize"
fi
mkdir -p "$folder"
ln -sf "$built/kustomize" "$folder/kustomize"
echo "kustomize: $version, now in $folder"
