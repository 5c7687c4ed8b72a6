"""GPU pods in other people's objects: charts, operators, Spark, JupyterHub, KubeVirt."""
