"""A rehearsal of GPU manifests: a real control plane, kubelet, containerd and NVIDIA's own programs on mock cards, in
namespaces of this machine.
"""
