"""The labels and annotations that Argo CD reads."""

CLUSTER_SECRET = ("argocd.argoproj.io/secret-type", "cluster")
"""The label of every Secret that registers a cluster.

Source: argoproj/argo-cd v3.6.1 docs/operator-manual/applicationset/Generators-Cluster.md (2026-11-22)
"""

GENERATE_PATHS = "argocd.argoproj.io/manifest-generate-paths"
"""The annotation of an Application with the folders that it is rendered from: a commit to other folders renders nothing
again. `.` is its own folder.

Source: argoproj/argo-cd v3.6.1 docs/operator-manual/high_availability.md (2026-11-22)
"""

COMPARE_OPTIONS = "argocd.argoproj.io/compare-options"
"""The annotation of an Application with the options of its comparison.

Source: argoproj/argo-cd v3.6.1 docs/user-guide/diff-strategies.md (2026-11-22)
"""

SERVER_SIDE_DIFF = "ServerSideDiff=true"
"""The comparison with the answer of the API server, which has the default values of CRDs.

Source: argoproj/argo-cd v3.6.1 docs/user-guide/diff-strategies.md (2026-11-22)
"""
