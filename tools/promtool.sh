#!/bin/sh
# Put the real promtool into a folder, on Debian or Ubuntu: tools/promtool.sh [folder, default .tools].
#
# It comes out of the package `prometheus`, which is unpacked and not installed: no root, no service. apt checks its signature.
set -eu
folder=${1:-.tools}
if [ -x "$folder/promtool" ]; then
    echo "promtool: it is in $folder already"
    exit
fi
command -v apt-get >/dev/null || { echo "promtool: this needs apt-get; install promtool yourself (it comes with Prometheus)" >&2; exit 1; }
mkdir -p "$folder"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
download() { (cd "$scratch" && apt-get -qq -o APT::Sandbox::User="$(id -un)" "$@" download prometheus); }
# A machine whose package lists were removed, as in most images, gets lists in the scratch folder.
if ! download 2>/dev/null; then
    mkdir -p "$scratch/lists/partial" "$scratch/cache/archives/partial"
    private="-o Dir::State::Lists=$scratch/lists -o Dir::Cache=$scratch/cache"
    # shellcheck disable=SC2086 # several words
    apt-get -qq -o APT::Sandbox::User="$(id -un)" $private update
    # shellcheck disable=SC2086 # likewise
    download $private
fi
dpkg -x "$scratch"/prometheus_*.deb "$scratch/unpacked"
mv "$scratch/unpacked/usr/bin/promtool" "$folder/promtool"
echo "promtool: $("$folder/promtool" --version 2>&1 | head -n 1), now in $folder"
