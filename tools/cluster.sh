#!/bin/sh
# Put the control plane of the laboratory into a folder: tools/cluster.sh [folder, default .tools/cluster]. etcd, the API server, the scheduler and the
# controllers are those of a rehearsal; kwok, which plays the kubelets, is built from tools/kwok. Go builds each once for each machine.
set -eu
folder=${1:-.tools/cluster}
here=$(cd "$(dirname "$0")" && pwd)
kwok=${XDG_CACHE_HOME:-$HOME/.cache}/kwok-$(cat "$here"/kwok/* | cksum | cut -d ' ' -f 1)
command -v go > /dev/null || [ -x "$kwok/kwok" ] || { echo "cluster: this needs Go" >&2; exit 1; }
etcd=$(PYTHONPATH=$here/../rehearsal python3 -m talos_gpu_rehearsal.build etcd)
kubernetes=$(PYTHONPATH=$here/../rehearsal python3 -m talos_gpu_rehearsal.build kubernetes)
if [ ! -x "$kwok/kwok" ]; then
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    (cd "$here/kwok" && CGO_ENABLED=0 GOFLAGS='-mod=readonly -buildvcs=false' go build -o "$scratch/kwok" -ldflags '-s -w' tool)
    mkdir -p "$kwok"
    mv "$scratch/kwok" "$kwok/"
fi
if [ -L "$folder" ]; then rm "$folder"; fi
mkdir -p "$folder"
ln -sf "$etcd/etcd" "$kubernetes/kube-apiserver" "$kubernetes/kube-scheduler" "$kubernetes/kube-controller-manager" "$kwok/kwok" "$folder/"
echo "cluster: $("$folder/kube-apiserver" --version), now in $folder"
