"""Which queries of PromQL have one element as their answer, whatever the number of pods."""

import pytest

from constructs_lib.manifests.workload.scaling import has_one_element


@pytest.mark.parametrize(
    "query",
    [
        "sum(a)",
        ' SUM ( rate(a{pod=~"x-(a|b)}("}[5m]) ) ',
        "(sum(a)) + 1",
        "2 * max(a) / sum(b) - 1e-3",
        "sum(sum(a) by (pod) > 1)",
        "quantile(0.9, a)",
        "sum(a) or vector(0)",
        "sum(a) or (vector(0))",
        "sum(a) / scalar(count(b))",
        "vector(scalar(a))",
        "ceil(sum(a) / 4)",
        "log2(sum(a))",
        "clamp_max(sum(a), 10)",
        "histogram_quantile(0.9, sum(rate(a[5m])) by (le))",
        "histogram_quantile(0.9, sum by (le) (rate(a[5m])))",
        'sum(a{b="it\'s ) by (pod)"})',
        "sum(a) # all pods",
    ],
)
def test_aggregations_over_everything_and_arithmetic_with_them_have_one_element(query):
    assert has_one_element(query)


@pytest.mark.parametrize(
    "query",
    [
        "a",
        "rate(a[5m])",
        "sum(x) / on(pod) y",
        "sum(x) / y",
        "y / sum(x)",
        "sum(x) by (pod)",
        "sum(x) by (pod) > 1",
        "sum by (pod) (x)",
        "sum(x) by (le)",
        "sum without (pod) (x)",
        "sum(x) or y",
        "sum(x) or (y)",
        "(sum(x) by (pod))",
        "ceil(x)",
        "topk(2, x)",
        "histogram_quantile(0.9, rate(x_bucket[5m]))",
        "histogram_quantile(0.9, sum(rate(x_bucket[5m])) by (le, pod))",
        "avg_over_time(x[5m])",
        "1",
        "scalar(x)",
        "sum(x",
        "sum(x) sum(y)",
        "sum(x) + on(pod) group_left() y",
        "",
    ],
)
def test_a_query_that_may_have_several_elements_or_is_a_scalar_is_none(query):
    assert not has_one_element(query)
