#!/bin/sh
# Put the control plane of the laboratory into a folder: tools/cluster.sh [folder, default .tools/cluster]. It is etcd, the API server, the scheduler and
# the controllers of Kubernetes in one program, and kwok, which plays the kubelets. Go builds them once for each machine, from tools/cluster.
set -eu
folder=${1:-.tools/cluster}
here=$(cd "$(dirname "$0")" && pwd)
version=$(awk '$1 == "k8s.io/kubernetes" { print $2; exit }' "$here/cluster/kubernetes/go.mod")
built=${XDG_CACHE_HOME:-$HOME/.cache}/cluster-$version-$(cat "$0" "$here"/cluster/*/* | cksum | cut -d ' ' -f 1)
command -v go > /dev/null || [ -x "$built/kwok" ] || { echo "cluster: this needs Go" >&2; exit 1; }
etcd=$(PYTHONPATH=$here/../rehearsal python3 -m talos_gpu_rehearsal.build etcd)
if [ ! -x "$built/kwok" ]; then
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    mkdir "$scratch/bin"
    stamp="-X k8s.io/component-base/version"
    build() { (cd "$here/cluster/$1" && CGO_ENABLED=0 GOFLAGS='-mod=readonly -buildvcs=false' go build -o "$scratch/bin/$1" -ldflags "-s -w $2" "$3"); }
    build kubernetes "$stamp.gitVersion=$version $stamp.gitMajor=1 $stamp.gitMinor=$(echo "$version" | cut -d . -f 2)" .
    build kwok "" tool
    for name in kube-apiserver kube-scheduler kube-controller-manager; do ln -s kubernetes "$scratch/bin/$name"; done
    mkdir -p "$(dirname "$built")"
    rm -rf "$built"
    mv "$scratch/bin" "$built"
fi
ln -sf "$etcd/etcd" "$built/etcd"
mkdir -p "$(dirname "$folder")"
ln -sfn "$built" "$folder"
echo "cluster: Kubernetes $version, now in $folder"
