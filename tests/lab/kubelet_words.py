"""What a kubelet writes of a container that does not run: the statuses of its pod, and the events. kwok says of every pod that it runs.

The reasons are those of kubernetes/kubernetes v1.36 pkg/kubelet/{kubelet_pods.go,container/sync_result.go,events/event.go,images/types.go}.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sentences as words
from dump_scene import Scene

MOMENT = "2026-11-22T10:00:00Z"


def crash(scene: Scene, pod: Mapping[str, Any], message: str = "", *, code: int = 1, reason: str = "Error", restarts: int = 7) -> None:
    """A container that ends soon after each start: CrashLoopBackOff."""
    name = pod["spec"]["containers"][0]["name"]
    ended = {"exitCode": code, "reason": reason, "startedAt": MOMENT, "finishedAt": MOMENT, "containerID": f"containerd://{'7' * 64}"}
    waiting = {"reason": "CrashLoopBackOff", "message": words.BACK_OFF("5m0s", name, _title(pod))}
    last = ended | ({"message": message} if message else {})
    _write(scene, pod, "Running", {"waiting": waiting}, restarts=restarts, lastState={"terminated": last}, started=False)
    scene.event(pod, "BackOff", words.RESTARTING(name, _title(pod)), count=42)


def cannot_create(scene: Scene, pod: Mapping[str, Any], message: str) -> None:
    """A container whose task the runtime refuses: StartError (containerd internal/cri/server/helpers.go)."""
    crash(scene, pod, message, code=128, reason="StartError")
    scene.event(pod, "Failed", words.ERROR(message), count=9)


def no_sandbox(scene: Scene, pod: Mapping[str, Any], message: str) -> None:
    """A pod without a sandbox: ContainerCreating for ever."""
    _write(scene, pod, "Pending", {"waiting": {"reason": "ContainerCreating"}}, started=False)
    scene.event(pod, "FailedCreatePodSandBox", words.NO_SANDBOX(message), count=23)


def no_image(scene: Scene, pod: Mapping[str, Any], message: str, container: int = 0) -> None:
    """A pod whose image can't be pulled: ImagePullBackOff."""
    image = pod["spec"]["containers"][container]["image"]
    waiting = {"reason": "ImagePullBackOff", "message": words.PULLED_BEFORE(image, message)}
    _write(scene, pod, "Pending", {"waiting": waiting}, started=False)
    scene.event(pod, "Failed", words.NOT_PULLED(image, message), count=5)
    scene.event(pod, "BackOff", words.PULLING_AGAIN(image), kind="Normal", count=21)


def init_waits(scene: Scene, pod: Mapping[str, Any]) -> None:
    """A pod whose first init container runs and never ends: Init:0/1."""
    first, *others = pod["spec"]["initContainers"]
    statuses = [_status(first, {"running": {"startedAt": MOMENT}}, started=True)]
    statuses += [_status(each, {"waiting": {"reason": "PodInitializing"}}, started=False) for each in others]
    _write(scene, pod, "Pending", {"waiting": {"reason": "PodInitializing"}}, started=False, initContainerStatuses=statuses)


def initialized(scene: Scene, pod: Mapping[str, Any]) -> None:
    """A pod with init containers that have ended; kwok does not speak of them."""
    done = {"terminated": {"exitCode": 0, "reason": "Completed", "startedAt": MOMENT, "finishedAt": MOMENT}}
    statuses = [_status(each, done, started=False) | {"ready": True} for each in pod["spec"]["initContainers"]]
    scene.patch(
        "pod",
        pod["metadata"]["name"],
        {"status": {"initContainerStatuses": statuses}},
        pod["metadata"]["namespace"],
        "--subresource=status",
    )


def _title(pod: Mapping[str, Any]) -> str:
    metadata = pod["metadata"]
    return f"{metadata['name']}_{metadata['namespace']}({metadata['uid']})"


def _status(container: Mapping[str, Any], state: Mapping[str, Any], *, started: bool) -> dict[str, Any]:
    image = container["image"]
    return {"name": container["name"], "image": image, "imageID": "", "ready": False, "restartCount": 0, "started": started, "state": state}


def _write(
    scene: Scene, pod: Mapping[str, Any], phase: str, state: Mapping[str, Any], *, started: bool, restarts: int = 0, **more: Any
) -> None:
    """The status as the kubelet writes it: the first container in the state, the others running if the phase says so."""
    first, *others = pod["spec"]["containers"]
    statuses = [_status(first, state, started=started) | {"restartCount": restarts}]
    if "lastState" in more:
        statuses[0]["lastState"] = more.pop("lastState")
    running = {"running": {"startedAt": MOMENT}} if phase == "Running" else state
    statuses += [_status(each, running, started=phase == "Running") | {"ready": phase == "Running"} for each in others]
    ready = {"status": "False", "reason": "ContainersNotReady", "lastTransitionTime": MOMENT}
    unready = f"containers with unready status: [{' '.join(each['name'] for each in pod['spec']['containers'])}]"
    initialized = "False" if "initContainerStatuses" in more else "True"
    conditions = [
        {"type": "PodReadyToStartContainers", "status": "False" if phase == "Pending" else "True", "lastTransitionTime": MOMENT},
        {"type": "Initialized", "status": initialized, "lastTransitionTime": MOMENT},
        {"type": "Ready", **ready, "message": unready},
        {"type": "ContainersReady", **ready, "message": unready},
        {"type": "PodScheduled", "status": "True", "lastTransitionTime": MOMENT},
    ]
    status = {"phase": phase, "containerStatuses": statuses, "conditions": conditions, **more}
    scene.patch("pod", pod["metadata"]["name"], {"status": status}, pod["metadata"]["namespace"], "--subresource=status")
