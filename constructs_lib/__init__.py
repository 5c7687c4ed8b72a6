"""cdk8s constructs that run NVIDIA GPUs on Talos Linux.

Describe a class of GPU nodes once. The constructs derive the cluster's GPU stack and the workloads from the
description::

    from cdk8s import App, Chart
    from constructs_lib import GpuNodes, GpuWorkload, NvidiaRuntimeClass, Persistent, StandaloneDevicePlugin, Taint, TimeSlicing, attach

    app = App()
    attach(app)
    chart = Chart(app, "gpu")
    nodes = GpuNodes(talos_version="1.14", taints=[Taint("dedicated", "ai")], sharing=TimeSlicing(replicas=5))
    NvidiaRuntimeClass(chart, "runtime-class")
    StandaloneDevicePlugin(chart, "device-plugin", nodes=nodes)
    GpuWorkload(chart, "ollama", nodes=nodes, image="ollama/ollama:0.32.15", port=11434, volumes={"/root/.ollama": Persistent("100Gi")})
    app.synth()

Recipes are in `constructs_lib.recipes`, the OS layer in `constructs_lib.talos`, metrics and alerts in
`constructs_lib.monitoring`. Every name is imported on first use, so that a program without cdk8s constructs never
starts Node.
"""

from __future__ import annotations

from .arguments.public_names import lazy

__getattr__, __dir__ = lazy(__name__, globals())
