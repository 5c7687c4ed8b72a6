"""Rules about the DCGM exporter and the monitors of its metrics."""
