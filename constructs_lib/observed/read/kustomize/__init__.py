"""kustomize's builds."""
