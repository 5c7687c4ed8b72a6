#!/bin/sh
# Put the CRDs of Flux into a folder: tools/flux.sh [folder, default .tools/flux]. controller-gen, with which Flux makes them, makes them from the types
# of Flux's API. Go builds it, and the CRDs are made once for each machine.
set -eu
version=v1.9.6
generator=v0.21.0
folder=${1:-.tools/flux}
built=${XDG_CACHE_HOME:-$HOME/.cache}/flux-$version-$generator
command -v go > /dev/null || [ -d "$built" ] || { echo "flux: this needs Go" >&2; exit 1; }
if [ ! -d "$built" ]; then
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    source=github.com/fluxcd/source-controller/api apply=github.com/fluxcd/kustomize-controller/api tools=sigs.k8s.io/controller-tools
    printf 'module scratch\n\ngo 1.26\n\nrequire %s %s\nrequire %s %s\nrequire %s %s\n' \
        "$source" "$version" "$apply" "$version" "$tools" "$generator" > "$scratch/go.mod"
    printf 'package scratch\n\nimport (\n\t_ "%s/v1"\n\t_ "%s/v1"\n)\n' "$source" "$apply" > "$scratch/kinds.go"
    export GOFLAGS="${GOFLAGS:-} -mod=mod"
    (cd "$scratch" && CGO_ENABLED=0 go build '-gcflags=all=-N -l' -ldflags '-s -w' -o controller-gen "$tools/cmd/controller-gen")
    (cd "$scratch" && ./controller-gen crd "paths=$source/v1" "paths=$apply/v1" output:crd:dir=crds)
    mkdir -p "$(dirname "$built")"
    mv "$scratch/crds" "$built"
fi
mkdir -p "$(dirname "$folder")"
ln -sfn "$built" "$folder"
echo "flux: the CRDs of Flux's controllers $version, now in $folder"
