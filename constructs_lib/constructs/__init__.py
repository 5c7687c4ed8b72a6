"""The constructs that a cdk8s app imports. Only this package imports cdk8s and jsii."""
