"""The dashboard as Grafana's classic JSON: its variables, and its rows from top to bottom.

Grafana 10.3 and newer read schema version 39. The JSON has no `__inputs`, which only a manual import uses, and no id,
which belongs to one Grafana.
"""

from __future__ import annotations

import re
from typing import Any

from ..arguments.errors import wrong
from ..arguments.keywords import named_arguments
from ..arguments.plain_values import flag, instance, text
from . import dashboard_rows
from .dashboard_queries import CLUSTER, DashboardQueries
from .metrics import Metric
from .panels import datasource, laid_out
from .queries import MetricsSource

DEFAULT_TITLE, DEFAULT_UID = "NVIDIA GPUs", "nvidia-gpus"
# The length of the title column in Grafana's database (pkg/services/sqlstore/migrations).
LONGEST_TITLE = 189
_SCHEMA = 39
# As the value of "All" this pattern also matches series without the label.
_ANY = ".*"


@named_arguments()
def gpu_dashboard(
    *,
    source: MetricsSource = MetricsSource(),  # noqa: B008  # it is frozen
    title: str = DEFAULT_TITLE,
    uid: str = DEFAULT_UID,
    profiling: bool = False,
) -> dict[str, Any]:
    """The dashboard of the cluster's GPUs as Grafana's classic JSON, for a manual import or for another tool.
    `GpuDashboard` installs the same dashboard.

    Args:
        source: The exporter's job and version, and the labels of its series. Default: `MetricsSource()`.
        title: The dashboard's title, at most 189 characters. Default: `NVIDIA GPUs`.
        uid: The dashboard's UID in Grafana, which links contain: at most 40 letters, digits, '-' and '_'. Default:
            `nvidia-gpus`.
        profiling: Whether the dashboard shows profiling metrics: a row, and a column in the table of pods. Default:
            False.

    Returns:
        The JSON as a dict.

    Raises:
        TypeError, ValueError: `'uid' must be …`; likewise for every other argument.

    Example:
        >>> [panel["title"] for panel in gpu_dashboard()["panels"] if panel["type"] == "row"][:2]
        ['Who uses what', 'Overview']

    https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/
    """
    instance("source", source, MetricsSource, "a MetricsSource")
    if len(text("title", title)) > LONGEST_TITLE:
        raise wrong("title", f"at most {LONGEST_TITLE} characters long", title)
    rule = "a uid of Grafana's (at most 40 letters, digits, '-' and '_')"
    if not re.fullmatch(r"[a-zA-Z0-9_-]{1,40}", text("uid", uid, rule)):
        raise wrong("uid", rule, uid)
    flag("profiling", profiling)
    ask = DashboardQueries(source)
    rows = [
        dashboard_rows.who_uses_what(ask, profiling=profiling),
        dashboard_rows.overview(ask),
        dashboard_rows.utilisation(ask),
        dashboard_rows.memory(ask),
        dashboard_rows.power(ask),
        dashboard_rows.temperature(ask),
        dashboard_rows.clocks(ask),
        dashboard_rows.errors(ask),
        dashboard_rows.allocation(ask),
        dashboard_rows.inventory(ask),
        dashboard_rows.media_and_links(ask),
    ]
    if profiling:
        rows.append(dashboard_rows.profiled(ask))
    return {
        "id": None,
        "uid": uid,
        "title": title,
        "tags": ["gpu", "nvidia"],
        "schemaVersion": _SCHEMA,
        "editable": True,
        "graphTooltip": 1,
        "timezone": "browser",
        "time": {"from": "now-6h", "to": "now"},
        "refresh": "1m",
        "annotations": {"list": []},
        "links": [],
        "templating": {"list": _variables(source)},
        "panels": laid_out(rows),
    }


def _variables(source: MetricsSource) -> list[dict[str, Any]]:
    node, node_chosen = source.node_label, f'{source.node_label}=~"$node"'
    # The index of a GPU is unique only on its node, and a UUID is unreadable. The menu shows cluster, node and index;
    # the queries use the UUID.
    placed = f'label_join({source.per_gpu(Metric.GPU_TEMP, CLUSTER, node_chosen)}, "place", " ", "cluster", "{node}")'
    named = f'label_join({placed}, "name", " GPU ", "place", "gpu")'
    return [
        {
            "type": "datasource",
            "name": "datasource",
            "label": "Data source",
            "query": "prometheus",
            "current": {"text": "default", "value": "default"},
            "hide": 0,
            "includeAll": False,
            "multi": False,
            "options": [],
            "refresh": 1,
            "regex": "",
        },
        _variable("cluster", "Cluster", f"label_values({source.series(Metric.GPU_TEMP)}, cluster)", hide=2),
        _variable("node", "Node", f"label_values({source.series(Metric.GPU_TEMP, CLUSTER)}, {node})"),
        _variable("gpu", "GPU", f"query_result({named})", regex='/(?=.*[{,]name=" ?(?<text>[^"]+)").*UUID="(?<value>[^"]+)"/'),
        _variable(
            "namespace", "Namespace of pods", f"label_values({source.series(Metric.GPU_TEMP, CLUSTER, node_chosen)}, {source.namespace})"
        ),
    ]


def _variable(name: str, label: str, query: str, *, regex: str = "", hide: int = 0) -> dict[str, Any]:
    return {
        "type": "query",
        "name": name,
        "label": label,
        "datasource": datasource(),
        "query": query,
        "current": {"text": ["All"], "value": ["$__all"]},
        "allValue": _ANY,
        "hide": hide,
        "includeAll": True,
        "multi": True,
        "options": [],
        "refresh": 2,
        "regex": regex,
        "sort": 1,
    }
