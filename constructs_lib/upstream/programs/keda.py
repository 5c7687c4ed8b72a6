"""Facts about KEDA, which scales workloads by events, and its HTTP add-on, which wakes them."""

from __future__ import annotations

SCALED_OBJECT_API = "keda.sh/v1alpha1"
"""The API version of a ScaledObject.

Source: https://keda.sh/docs/latest/reference/scaledobject-spec/ (2026-11-22)
"""

INTERCEPTOR_ROUTE_API = "http.keda.sh/v1beta1"
"""The API version of an InterceptorRoute, which is in the HTTP add-on since 0.14, in the place of the HTTPScaledObject.

Source: https://keda.sh/http-add-on/latest/reference/interceptorroute/ (2026-11-22)
"""

KEDA_NAMESPACE = "keda"
"""The namespace in which the guides of KEDA and of its HTTP add-on install both.

Source: https://keda.sh/http-add-on/0.16/getting-started/ (2026-11-22)
"""

INTERCEPTOR_SERVICE = "keda-add-ons-http-interceptor-proxy"
"""The Service of the HTTP add-on's proxy, as its chart names it.

Source: https://keda.sh/http-add-on/0.16/user-guide/configure-ingress/ (2026-11-22)
"""

INTERCEPTOR_PORT = 8080
"""The port of the HTTP add-on's proxy.

Source: https://keda.sh/http-add-on/0.16/user-guide/configure-ingress/ (2026-11-22)
"""

EXTERNAL_SCALER = "keda-add-ons-http-external-scaler.{namespace}:9090"
"""The address at which KEDA asks the HTTP add-on for its counts, with the namespace of the add-on.

Source: https://keda.sh/http-add-on/0.14/reference/httpscaledobject/ (2026-11-22)
"""
