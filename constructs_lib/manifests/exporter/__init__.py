"""The DCGM exporter, and what Prometheus and Grafana read of it."""
