"""The words of KRM functions: programs that take a ResourceList and give it back with more objects."""

API_VERSION, KIND = "config.kubernetes.io/v1", "ResourceList"
"""The type of the list.

Source: kubernetes-sigs/kustomize kyaml/kio/byteio_reader.go (2026-11-22)
"""

PATH, INDEX = "config.kubernetes.io/path", "config.kubernetes.io/index"
"""The annotations of an object with its file, and with its place in the file.

Source: kubernetes-sigs/kustomize kyaml/kio/kioutil/kioutil.go (2026-11-22)
"""

ERROR, WARNING, INFO = "error", "warning", "info"
"""The severities of a result. A function with an error ends with an exit status that is not 0.

Source: kubernetes-sigs/kustomize kyaml/fn/framework/result.go (2026-11-22)
"""
