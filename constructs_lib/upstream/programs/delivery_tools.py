"""The words of the tools that write and deliver manifests: Argo CD, KRM functions, cdk8s, and languages that render to YAML."""

from __future__ import annotations

CLUSTER_SECRET = ("argocd.argoproj.io/secret-type", "cluster")  # The label of every Secret that registers a cluster
# The annotation of an Application with the folders that it is rendered from: a commit to other folders renders nothing
# again. `.` is its own folder.
GENERATE_PATHS = "argocd.argoproj.io/manifest-generate-paths"
# The annotation of an Application with the options of its comparison.
COMPARE_OPTIONS = "argocd.argoproj.io/compare-options"
# The comparison with the answer of the API server, which has the default values of CRDs.
SERVER_SIDE_DIFF = "ServerSideDiff=true"
"""The labels and annotations that Argo CD reads.

Source: argoproj/argo-cd v3.6.1 docs/operator-manual/applicationset/Generators-Cluster.md,
docs/operator-manual/high_availability.md, docs/user-guide/diff-strategies.md (2026-11-22)
"""

KRM_API, RESOURCE_LIST = "config.kubernetes.io/v1", "ResourceList"  # The type of the list
# The annotations of an object with its file, and with its place in the file.
KRM_PATH, KRM_INDEX = "config.kubernetes.io/path", "config.kubernetes.io/index"
# The severities of a result. A function with an error ends with an exit status that is not 0.
KRM_ERROR, KRM_WARNING, KRM_INFO = "error", "warning", "info"
"""The words of KRM functions: programs that take a ResourceList and give it back with more objects.

Source: kubernetes-sigs/kustomize kyaml/kio/byteio_reader.go, kyaml/kio/kioutil/kioutil.go,
kyaml/fn/framework/result.go (2026-11-22)
"""

RENDERED_BY = {
    ".cue": "cue export --out yaml FILE",
    ".jsonnet": "jsonnet FILE",
    ".libsonnet": "jsonnet FILE",
    ".pkl": "pkl eval --format yaml FILE",
    ".k": "kcl run FILE",
    ".nix": "nix eval --json --file FILE",
}
# The projects whose programs make manifests: the file of the project, and what renders it.
PROJECTS = {
    "cdk8s.yaml": "cdk8s synth",
    "Pulumi.yaml": "pulumi up, with renderYamlToDirectory in the Kubernetes provider",
}
PROGRAMS = (".ts", ".js", ".mjs", ".go", ".py", ".java", ".cs", ".fs")
"""The commands that print YAML or JSON for files of other languages, by the end of the file's name.

Source: cuelang.org/docs/reference/command, jsonnet.org/learning/tools.html, pkl-lang.org/main/current/pkl-cli,
kcl-lang.io/docs/tools/cli/kcl/run, nix.dev/manual/nix/stable/command-ref, cdk8s.io/docs/latest/cli/synth,
pulumi.com/registry/packages/kubernetes/api-docs/provider (2026-11-24)
"""

RESERVED_IDS = frozenset(
    {
        "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__", "__proto__", "constructor",
        "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf",
    }
)  # fmt: skip
"""The attributes of every object of JavaScript. A scope keeps its children in an object, and looks there for the id of
a new child.

Source: aws/constructs src/construct.ts (addChild) (2026-11-22)
"""
