#!/bin/sh
# Put Argo CD's ApplicationSet controller into a folder for the laboratory: tools/argocd.sh [folder, default .tools/argocd]. Go builds tools/argocd
# with Argo CD's packages, once for each machine. Without optimization this takes four minutes of one core, and five with it.
set -eu
# The newest version that its module alone can build with Go 1.26: those of 3.3 to 3.5 need a folder that the module leaves out, and 3.6 needs Go 1.27.
version=v3.2.12
folder=${1:-.tools/argocd}
source=$(dirname "$0")/argocd/main.go
built=${XDG_CACHE_HOME:-$HOME/.cache}/argocd-$version-$(cksum < "$source" | cut -d ' ' -f 1)
command -v go > /dev/null || [ -x "$built/applicationset-controller" ] || { echo "argocd: this needs Go" >&2; exit 1; }
if [ ! -x "$built/applicationset-controller" ]; then
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    module=github.com/argoproj/argo-cd/v3
    (cd "$scratch" && go mod download "$module@$version")  # with -json an error is no text on stderr
    engine=$(cd "$scratch" && go mod download -json "$module@$version" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
    mkdir "$scratch/bin"
    cp "$source" "$scratch/main.go"
    # The versions of everything else are those with which Argo CD is released.
    { sed 's/^module .*/module scratch/' "$engine/go.mod"; echo "require $module $version"; } > "$scratch/go.mod"
    cp "$engine/go.sum" "$scratch/go.sum"
    chmod u+w "$scratch/go.sum"
    (cd "$scratch" && CGO_ENABLED=0 go build -mod=mod '-gcflags=all=-N -l' -ldflags '-s -w' -o bin/applicationset-controller .)
    for kind in application applicationset appproject; do echo ---; cat "$engine/manifests/crds/$kind-crd.yaml"; done > "$scratch/bin/crds.yaml"
    mkdir -p "$(dirname "$built")"
    rm -rf "$built"
    mv "$scratch/bin" "$built"
fi
mkdir -p "$(dirname "$folder")"
ln -sfn "$built" "$folder"
echo "argocd: the ApplicationSet controller of Argo CD $version, now in $folder"
