"""Plays: how the example of a rule comes onto a real node, and what is asked of its pods."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import operands
import yaml
from example_scene import ExampleScene
from machine_states import without_toolkit
from node_scene import GPU
from rule_objects import documents

from constructs_lib.checks.rule import Example
from nodes import card_files
from talos_gpu_rehearsal.cards import RTX_4090, placed

Play = Callable[[ExampleScene, Example], None]
RUNTIME_CLASS = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia"}, "handler": "nvidia"}
_PLUGIN = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: nvidia-device-plugin, namespace: kube-system}
spec:
  chart: {spec: {chart: nvidia-device-plugin, version: 0.20.0}}
  values: {runtimeClassName: nvidia, affinity: null, nodeSelector: {kubernetes.io/hostname: gpu-1}}
"""
"""The device plugin that serves the pods of an example without one."""
_PRESENT = {"machine": {"nodeLabels": {"nvidia.com/gpu.present": "true"}}}
"""The label that feature discovery sets, and that the chart of the plugin selects."""


def pod(name: str = "ollama", *, gpus: int = 0, **spec: Any) -> dict[str, Any]:
    """A pod in the namespace ollama; `container` has fields of its container."""
    limits = {"resources": {"limits": {GPU: gpus}}} if gpus else {}
    container = {"name": "main", "image": "ollama/ollama:0.32.15", **limits, **spec.pop("container", {})}
    metadata = {"name": name, "namespace": "ollama", **spec.pop("metadata", {})}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container], **spec}}


def applied(scene: ExampleScene, example: Example) -> None:
    """The example as it is."""
    scene.bring(example)


def served(scene: ExampleScene, example: Example) -> None:
    """The example beside a device plugin."""
    scene.configure([_PRESENT])
    if "HelmRelease" not in example.yaml:
        scene.add([RUNTIME_CLASS])
        scene.bring(Example(_PLUGIN))
        scene.until(lambda: any(map(int, scene.gpus("allocatable").values())), "a device")
    scene.bring(example)


def asked(question: Callable[[ExampleScene], str]) -> Play:
    """A play that asks the running pod of the example, beside a device plugin."""

    def play(scene: ExampleScene, example: Example) -> None:
        served(scene, example)
        scene.notes.append(question(scene))

    return play


def with_one_card(play: Play) -> Play:
    """A play on a node with one card in place of two."""

    def alone(scene: ExampleScene, example: Example) -> None:
        scene.set_cards(RTX_4090)
        play(scene, example)

    return alone


def with_a_pod(scene: ExampleScene, example: Example) -> None:
    """The example, and a pod of its RuntimeClass."""
    scene.bring(example)
    scene.add([pod(runtimeClassName="nvidia")])


def with_a_gpu_pod(scene: ExampleScene, example: Example) -> None:
    """The plugin of the example, and a pod with a GPU."""
    scene.bring(example)
    scene.until(lambda: any(map(int, scene.gpus("allocatable").values())), "a device")
    scene.add([pod(runtimeClassName="nvidia", gpus=1)])


def with_the_config_map(scene: ExampleScene, example: Example) -> None:
    """The example with the name of its ConfigMap where a variable of Flux stands."""
    scene.bring(replace(example, yaml=example.yaml.replace("${CONFIG_MAP}", "device-plugin-config")))


def nvidia_smi(scene: ExampleScene) -> str:
    """What nvidia-smi says when a shell starts it."""
    return scene.execute("ollama", "sh", "-c", "nvidia-smi")


def cards_seen(scene: ExampleScene) -> str:
    """How many cards a pod sees, by its limit and by the cards of the node."""
    seen, has = len(card_files(scene.report("ollama"))), len(scene.node.spec.cards)
    limit = scene.pods("ollama")[0]["spec"]["containers"][0].get("resources", {}).get("limits", {}).get(GPU, 0)
    every = "nvidia-smi in a pod shows every GPU of the node; " if seen == has > int(limit) else ""
    return f"{every}nvidia-smi lists {'one GPU' if seen == 1 else f'{seen} GPUs'}, in a pod with {GPU}: {limit}"


def with_its_cards(scene: ExampleScene, example: Example) -> None:
    """A pod whose variable names the cards of the node by their UUIDs."""
    text = example.yaml
    for digit, card in zip("12", placed(scene.node.spec.cards, scene.name), strict=True):
        text = text.replace(f"GPU-{digit * 8}-0000-0000-0000-000000000000", card.uuid)
    asked(cards_seen)(scene, replace(example, yaml=text))


def with_its_image(scene: ExampleScene, example: Example) -> None:
    """A pod on the node of a talconfig: without NVIDIA's container toolkit where the schematic has none."""
    (node,) = documents(example.yaml)[0]["nodes"]
    if not any("container-toolkit" in each for each in node["schematic"]["customization"]["systemExtensions"]["officialExtensions"]):
        without_toolkit(scene)
    scene.add([RUNTIME_CLASS, pod(runtimeClassName="nvidia")])


def without_a_class(scene: ExampleScene, example: Example) -> None:
    """A pod without a RuntimeClass that asks for every card, on a node with the configuration of the example."""
    scene.bring(example)
    scene.add([pod(container={"env": [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}]})])
    if not card_files(scene.report("ollama")):
        scene.notes.append("pods without runtimeClassName see no GPU although default_runtime_name is nvidia")


def by_default(scene: ExampleScene, example: Example) -> None:
    """A pod without a RuntimeClass on the node of a talconfig. Where containerd does not know its default runtime, nothing starts a pod."""
    (node,) = documents(example.yaml)[0]["nodes"]
    if "schematic" not in node:
        without_toolkit(scene)
    log = scene.node.folder / "var/log/containerd.log"
    scene.watches.append(lambda: log.read_text(errors="replace").replace('\\"', '"'))
    scene.watches.append(lambda: "\n".join(str(each.get("message")) for each in scene.body["status"]["conditions"]))
    scene.configure(yaml.safe_load(each) for each in node["patches"])
    if "no corresponding runtime configured" not in log.read_text(errors="replace"):
        scene.add([pod()])


def opened(scene: ExampleScene, example: Example) -> None:
    """The pod of the example opens the device file."""
    scene.bring(example)
    scene.notes.append(scene.execute("ollama", "cat", "/dev/nvidia0").replace("cat: ", ""))


def first_one_ends(scene: ExampleScene, example: Example) -> None:
    """One plugin, then the other one. If both are on the node, the first one ends. A pod asks for a GPU."""
    scene.undo(scene.restart_kubelet)
    *first, _, other = example.yaml.split("---\n")
    scene.bring(replace(example, yaml="---\n".join(first)))
    scene.until(lambda: scene.offers(2), "a device plugin")
    scene.bring(replace(example, yaml=other))
    scene.kubectl("rollout", "status", "daemonset/other-nvidia-device-plugin", "--namespace=kube-system")
    if scene.pods("other"):
        scene.until(lambda: "Could not register device plugin" in scene.log("other"), "a plugin that is refused")
        scene.kubectl("delete", "daemonset", "--namespace=kube-system", "one-nvidia-device-plugin", "--cascade=foreground")
    scene.add([pod(gpus=1)])


def linked(scene: ExampleScene, example: Example) -> None:
    """The variable of the Service, with the address that the rule has for it."""
    served(scene, example)
    port = scene.report("vllm")["environment"].get("VLLM_PORT", "")
    address = scene.cluster.get("Service", "vllm", "vllm")["spec"]["clusterIP"]
    scene.notes.append(f"VLLM_PORT '{port}'".replace(address, "10.96.0.10"))


def filled(scene: ExampleScene, example: Example) -> None:
    """A pod of the Deployment fills its volume in memory, once; with a sixteenth of the amounts, and without a GPU."""
    text = example.yaml.replace("2Gi", "128Mi").replace("6Gi", "384Mi").replace("nvidia.com/gpu: 1, ", "")
    (deployment,) = (each for each in documents(text) if each["kind"] == "Deployment")
    (container,), volumes = (deployment["spec"]["template"]["spec"][key] for key in ("containers", "volumes"))
    container["command"] = ["sh", "-c", "exec head -c 128m /dev/zero > /dev/shm/all"]
    scene.add([pod(container=container, volumes=volumes, restartPolicy="Never")])


def mounting(folder: Callable[[dict[str, Any]], str]) -> Play:
    """A play with a pod that mounts a folder of the host, which the first document of the example names."""

    def play(scene: ExampleScene, example: Example) -> None:
        volume = {"name": "host", "hostPath": {"path": folder(documents(example.yaml)[0])}}
        scene.add([pod(volumes=[volume], container={"volumeMounts": [{"name": "host", "mountPath": "/host"}]})])

    return play


def by_the_operator(scene: ExampleScene, example: Example) -> None:
    """The operator's device plugin by the values of the example, on a node with the toolkit's marker file, and a pod with a GPU."""
    folder = _validations(scene)
    (folder / "toolkit-ready").touch()
    scene.add([RUNTIME_CLASS, operands.waiting_plugin(documents(example.yaml)[0]), pod(runtimeClassName="nvidia", gpus=1)])


def waiting_for_markers(scene: ExampleScene, example: Example) -> None:
    """The operator's device plugin, beside the bridge if the example has one."""
    _validations(scene)
    values, *bridge = documents(example.yaml)
    scene.add([RUNTIME_CLASS, operands.waiting_plugin(values), *bridge])
    scene.watches.append(lambda: _init_of(scene))


def validated_again(scene: ExampleScene, example: Example) -> None:
    """The bridge of the example; the validator starts again and removes the marker files; then comes a new pod of the plugin."""
    folder = _validations(scene)
    bridge = yaml.safe_load(json.dumps(documents(example.yaml)[0]).replace("sleep 30", "sleep 1"))
    scene.add([bridge])
    scene.until((folder / "toolkit-ready").exists, "the marker file")
    for each in folder.iterdir():
        each.unlink(missing_ok=True)
    scene.add([RUNTIME_CLASS, operands.waiting_plugin({"cdi": {"enabled": False}})])
    scene.watches.append(lambda: _init_of(scene).replace(" of", " again of"))


def _validations(scene: ExampleScene) -> Any:
    """The empty folder of the operator's marker files."""
    folder = scene.node.view / operands.VALIDATIONS.lstrip("/")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    scene.undo(lambda: shutil.rmtree(folder))
    return folder


def _init_of(scene: ExampleScene) -> str:
    """The status column of the plugin's pod, as kubectl prints it while the first container has not ended."""
    pods = scene.pods("nvidia-device-plugin-daemonset")
    waits = any("running" in one["state"] for each in pods for one in each["status"].get("initContainerStatuses", ()))
    return "Init:0/1 of nvidia-device-plugin-daemonset" if waits else ""
