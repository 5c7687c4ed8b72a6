#!/bin/sh
# Put the charts that nobody may copy into a repository of ours into a folder: tools/charts.sh [folder, default .tools/charts].
#
# Each comes out of the Go module of its project, at the chart's `default_version` in constructs_lib/upstream/charts; the sum is that of the whole module.
set -eu
folder=${1:-.tools/charts}
command -v go >/dev/null || { echo "charts: this needs go; or put the charts there yourself (helm pull --untar)" >&2; exit 1; }
mkdir -p "$folder"
chart() { # module, version, sum, folder of the chart
    found=$(GOFLAGS=-mod=mod go mod download -json "$1@$2")
    said() { printf '%s' "$found" | sed -n "s/^[[:space:]]*\"$1\": \"\(.*\)\",\{0,1\}\$/\1/p"; }
    [ "$(said Sum)" = "$3" ] || { echo "charts: $1@$2 has the sum $(said Sum), and is to have $3" >&2; exit 1; }
    name=$(basename "$4")
    rm -rf "${folder:?}/$name"
    cp -R "$(said Dir)/$4" "$folder/$name"
    chmod -R u+w "$folder/$name"
    echo "charts: $name $2, now in $folder"
}
chart sigs.k8s.io/node-feature-discovery v0.19.0 h1:9CYm16vjSIbNO5Z1Y67rcrfy51YWmy3+6wjiWzJbrC4= deployment/helm/node-feature-discovery
chart sigs.k8s.io/dra-driver-nvidia-gpu v0.5.0 h1:CjUBJwemlt4kYy5AN+I7Ce4mMp9V4VKR97EBogSoDus= deployments/helm/dra-driver-nvidia-gpu
