from .alert import AlertThresholds as AlertThresholds
from .alert_rules import AlertRules as AlertRules
from .counters import Counter as Counter
from .counters import default_counters as default_counters
from .grafana_dashboard import gpu_dashboard as gpu_dashboard
from .metrics import Metric as Metric
from .queries import MetricsSource as MetricsSource
from .scraping import operator_exporter_values as operator_exporter_values
