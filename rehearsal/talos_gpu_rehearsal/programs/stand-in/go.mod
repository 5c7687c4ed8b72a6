module talos-gpu-rehearsal/stand-in

go 1.24
