"""The descriptions of the keys of a cluster file that are no arguments of this library."""

from __future__ import annotations

from collections.abc import Mapping

from ..upstream.kubernetes.api import POD_TEMPLATES
from .composer import OBJECT
from .file_requests import CONTAINERS, REQUEST_GPUS
from .file_values import WORKLOAD

KEY_DOCS: Mapping[str, str] = {
    "name": "The name of the cluster. Default: that of the file, without its suffix.",
    "nodes": "A class of GPU nodes with the arguments of GpuNodes, or a list of classes with a name each.",
    "charts": "The files in manifests/, by their names.",
    "talos": "The Talos files of a class of nodes, or a list with an entry for each class. An entry may be empty.",
    "clusters": "Many clusters by their names, each with the values that differ from those beside `clusters`.",
    "delivery": "The engines that bring the folder of each cluster to its cluster.",
    "namespace": "The namespace of the chart's objects. Default: none.",
    "create_namespace": "Whether to make the namespace, without privileges. Default: False.",
    "objects": "An ID for each object, and one construct with its arguments. The ID gives the object its default name.",
    "platform": "The platform of the installer image. Default: metal.",
    "secureboot": "Whether the installer image is that of SecureBoot. Default: False.",
    "talconfig": "The talconfig.yaml of talhelper into which the nodes' values are merged.",
    "file": "The path of the talconfig.yaml, in the folder of the cluster file or below.",
    "apiVersion": "The version of the object's API.",
    "kind": "The kind of the object.",
    "metadata": "The object's name, labels and annotations.",
    OBJECT: "An object of Kubernetes, as it is.",
    REQUEST_GPUS: "An object of Kubernetes whose pods get GPUs of a class of nodes.",
    "workload": f"The object: one of the kinds {', '.join(POD_TEMPLATES)}.",
    CONTAINERS: "The containers that get GPUs, by their names, each with its own request. Default: one container.",
    WORKLOAD: "The ID of a workload above in the same chart, or `chart/id`.",
}
"""The descriptions, by key."""
NAME_DOCS: Mapping[str, str] = {"name": "The name of the object."}
"""The descriptions of the keys in the metadata of an object."""
