"""Nodes on which every GPU works: the doctor names no cause."""

from __future__ import annotations

from agent_states import NO_GPU, ready
from dump_clusters import standalone, workload
from node_scene import NodeScene
from states import CDI, LEGACY, NEWEST, state


def works(scene: NodeScene) -> None:
    """The standalone device plugin, and Ollama on its GPU."""
    ready(scene)
    scene.apply(workload(scene.talos))
    scene.until(lambda: scene.runs("ollama"), "a running Ollama")


state("healthy-legacy-standalone", LEGACY, form="bundle", live=False)(works)
state("healthy-pasted-outputs", LEGACY, form="stream", live=False)(works)
state("healthy-cdi-standalone", CDI, form="list")(works)
state("healthy-support-bundle", CDI, form="support", live=False)(works)
state("healthy-newest-standalone", NEWEST, form="json", live=False)(works)
state("healthy-idle", CDI, form="bundle", live=False)(ready)


@state("healthy-shared-card", CDI, form="list", only=("cluster",), live=False)
def shared(scene: NodeScene) -> None:
    """A card that four pods share, and three pods on it."""
    ready(scene, 4, replicas=4)
    deployment = workload(CDI)
    deployment[1]["spec"]["replicas"] = 3
    scene.apply(deployment)
    scene.until(lambda: len(scene.pods("ollama")) == 3 and scene.runs("ollama"))


@state("healthy-after-a-reboot", CDI, form="list", live=False)
def after_a_reboot(scene: NodeScene) -> None:
    """Ollama has waited for the plugin, and runs now: the event of the scheduler is still there."""
    plugin = standalone(CDI)
    scene.apply([each for each in plugin if each["kind"] == "RuntimeClass"])
    scene.apply(workload(CDI))
    scene.until(lambda: scene.pending("ollama", NO_GPU))
    scene.apply(plugin)
    scene.until(lambda: scene.runs("ollama"))
    scene.keep_old_events = True
