"""The constructs: what a cdk8s app imports. Only this room knows cdk8s and jsii."""
