module talos-gpu-rehearsal/oci-runtime

go 1.24
