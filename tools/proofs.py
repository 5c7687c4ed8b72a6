"""How each rule of the checks is proven: by a control plane, by another program of upstream's in a test, or by nothing that a test can run.

tests/lab/test_rules_reproduced.py holds that every rule stands here once. `tools/docs.py` writes these classes into docs/rules.md.
"""

from collections.abc import Mapping, Sequence


def _ids(text: str) -> tuple[str, ...]:
    return tuple(text.split())


REPRODUCED: Sequence[str] = _ids(
    "TG007 TG014 TG015 TG034 TG036 TG041 TG045 TG047 TG048 TG049 TG052 TG053 TG054 TG055 TG056 TG058 TG079 TG093 TG094 TG095 TG096 TG098 TG110 TG122 TG123"
)
"""The rules whose failing example shows the symptom on a control plane, and whose passing example does not."""

_DECODER = "tests/talos/test_omni_judge.py::test_the_decoders_of_talos_and_omni_say_the_words_of_the_rule"
JUDGED: Mapping[str, str] = dict.fromkeys(_ids("TG084 TG087 TG102 TG126"), _DECODER)
"""The test in which another program of upstream's says the words of a rule, by the rule."""

UNPROVEN: Mapping[str, Sequence[str]] = {
    "a node: Talos, the kubelet or containerd shows the symptom": _ids(
        "TG003 TG010 TG011 TG020 TG021 TG026 TG037 TG042 TG046 TG061 TG064 TG070 TG071 TG073 TG074 TG075 TG077 TG081 TG082 TG083 TG085 TG086 TG088 "
        "TG090 TG105 TG106 TG107 TG119 TG130 TG131 TG134"
    ),
    "a card: NVIDIA's driver, or a program that uses a GPU, shows the symptom": _ids(
        "TG006 TG008 TG018 TG019 TG025 TG033 TG035 TG038 TG040 TG043 TG044 TG050 TG051 TG060 TG065 TG076 TG078 TG080 TG091 TG097 TG103 TG104 TG108 "
        "TG109 TG111 TG112 TG115 TG118 TG120"
    ),
    "a program in the cluster: the GPU operator, a device plugin, the DRA driver, NFD, a DCGM exporter, Prometheus or KubeVirt shows the symptom": _ids(
        "TG001 TG002 TG004 TG005 TG009 TG012 TG013 TG017 TG022 TG023 TG024 TG030 TG031 TG059 TG100 TG113 TG114 TG116 TG117 TG125 TG129 TG135"
    ),
    "a tool or a service: Helm with the chart, a chart repository, the Image Factory, Argo CD, Flux or Omni shows the symptom": _ids(
        "TG016 TG027 TG028 TG029 TG032 TG039 TG072 TG089 TG124 TG127 TG128 TG132"
    ),
    "this library: the rule is about its own input or tables": _ids("TG099 TG101 TG133"),
}
"""The other rules, by what shows their symptom."""
