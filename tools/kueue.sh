#!/bin/sh
# Put Kueue, JobSet, LeaderWorkerSet and the CRD of ComputeDomains into a folder for the laboratory: tools/kueue.sh [folder, default .tools/kueue]. Go
# builds them once for each machine, with the versions of everything else with which Kueue is released.
set -eu
kueue=v0.19.2
jobset=v0.12.0
lws=v0.9.0
dra=v0.4.1
folder=${1:-.tools/kueue}
built=${XDG_CACHE_HOME:-$HOME/.cache}/kueue-$kueue-jobset-$jobset-lws-$lws
domains=$built/computedomains-$dra.yaml
source_of() {
    (cd "${TMPDIR:-/tmp}" && go mod download "sigs.k8s.io/$1")  # with -json an error is no text on stderr
    (cd "${TMPDIR:-/tmp}" && go mod download -json "sigs.k8s.io/$1") | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p'
}
command -v go > /dev/null || [ -f "$domains" ] || { echo "kueue: this needs Go" >&2; exit 1; }
if [ ! -x "$built/lws" ]; then
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    for module in kueue@$kueue jobset@$jobset lws@$lws; do
        cp -r "$(source_of "$module")" "$scratch/${module%@*}"
    done
    chmod -R u+w "$scratch"
    # Kueue reads the certificate of its metrics from a folder in /etc. In the laboratory it takes that of its webhooks.
    sed -i 's#metricsCertPath := "/etc/kueue/metrics/certs"#metricsCertPath := cfg.Webhook.CertDir#' "$scratch/kueue/cmd/kueue/main.go"
    build() { (cd "$scratch/kueue" && CGO_ENABLED=0 go build -mod=mod -ldflags '-s -w' -o "$scratch/bin/$1" "$2"); }
    build kueue ./cmd/kueue
    build jobset sigs.k8s.io/jobset
    build lws sigs.k8s.io/lws/cmd
    for name in kueue jobset lws; do
        parts=$scratch/$name/config/components
        [ -d "$parts/crd" ] || parts=$scratch/$name/config
        for crd in "$parts"/crd/bases/*.yaml; do echo ---; cat "$crd"; done > "$scratch/bin/$name-crds.yaml"
        cp "$parts/webhook/manifests.yaml" "$scratch/bin/$name-webhooks.yaml"
    done
    mkdir -p "$(dirname "$built")"
    rm -rf "$built"
    mv "$scratch/bin" "$built"
fi
if [ ! -f "$domains" ]; then
    source=$(source_of dra-driver-nvidia-gpu@$dra)
    install -m 644 "$source/deployments/helm/dra-driver-nvidia-gpu/crds/resource.nvidia.com_computedomains.yaml" "$domains"
fi
mkdir -p "$(dirname "$folder")"
ln -sfn "$built" "$folder"
echo "kueue: Kueue $kueue, JobSet $jobset and LeaderWorkerSet $lws, and the CRD of ComputeDomains $dra, now in $folder"
