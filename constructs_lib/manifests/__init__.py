"""Pure builders: a value becomes the dicts of Kubernetes objects, with nothing of cdk8s and no Node.

One module for each upstream component. A construct is the name of what one of these functions returns.
"""
