#!/bin/sh
# Put Kueue and JobSet into a folder for the laboratory: tools/kueue.sh [folder, default .tools/kueue]. Go builds both once for each machine.
set -eu
kueue=v0.19.2
jobset=v0.12.0
folder=${1:-.tools/kueue}
built=${XDG_CACHE_HOME:-$HOME/.cache}/kueue-$kueue-jobset-$jobset
command -v go > /dev/null || [ -x "$built/kueue" ] || { echo "kueue: this needs Go" >&2; exit 1; }
if [ ! -x "$built/kueue" ]; then
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    for module in kueue@$kueue jobset@$jobset; do
        (cd "$scratch" && go mod download "sigs.k8s.io/$module")  # with -json an error is no text on stderr
        source=$(cd "$scratch" && go mod download -json "sigs.k8s.io/$module" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
        cp -r "$source" "$scratch/${module%@*}"
    done
    chmod -R u+w "$scratch"
    # Kueue reads the certificate of its metrics from a folder in /etc. In the laboratory it takes that of its webhooks.
    sed -i 's#metricsCertPath := "/etc/kueue/metrics/certs"#metricsCertPath := cfg.Webhook.CertDir#' "$scratch/kueue/cmd/kueue/main.go"
    (cd "$scratch/kueue" && CGO_ENABLED=0 go build -mod=mod -ldflags '-s -w' -o "$scratch/bin/kueue" ./cmd/kueue)
    (cd "$scratch/kueue" && CGO_ENABLED=0 go build -mod=mod -ldflags '-s -w' -o "$scratch/bin/jobset" sigs.k8s.io/jobset)
    for name in kueue jobset; do
        for crd in "$scratch/$name"/config/components/crd/bases/*.yaml; do echo ---; cat "$crd"; done > "$scratch/bin/$name-crds.yaml"
        cp "$scratch/$name/config/components/webhook/manifests.yaml" "$scratch/bin/$name-webhooks.yaml"
    done
    mkdir -p "$(dirname "$built")"
    rm -rf "$built"
    mv "$scratch/bin" "$built"
fi
mkdir -p "$(dirname "$folder")"
ln -sfn "$built" "$folder"
echo "kueue: Kueue $kueue and JobSet $jobset, now in $folder"
