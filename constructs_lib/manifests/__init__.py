"""Pure builders of manifests: a settings value becomes the dicts of Kubernetes objects, without cdk8s and without Node.

Each upstream component has its own module. A construct emits what one builder returns.
"""
