kubernetes_version = "v1.34.1"
