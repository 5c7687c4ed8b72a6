import copy
import operator
import pickle

import attrs
import pytest

from conftest import message
from constructs_lib import GpuNodes, Taint, TalosGpuWarning, TimeSlicing
from constructs_lib.nodes.taints import TaintEffect
from constructs_lib.upstream.nvidia.driver_branches import DriverTrack, KernelModules
from constructs_lib.upstream.nvidia.plugin_words import MigStrategy
from constructs_lib.upstream.talos import releases as talos_releases
from constructs_lib.upstream.talos.generations import Generation

NVIDIA_TOLERATION = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
CONFIG_LABEL = "nvidia.com/device-plugin.config"
LABEL_KEY = "a label key ('name' or 'prefix/name', the name of at most 63 letters, digits, '-', '_' and '.')"
LABEL_VALUE = "a label value (at most 63 letters, digits, '-', '_' and '.', as a string)"


def made(**given):
    return GpuNodes(**{"talos_version": "1.12", **given})


def test_defaults_are_open_modules_whole_gpus_and_an_unknown_track_which_is_production_in_the_image():
    nodes = made()

    assert str(nodes.talos_version) == "1.12"
    assert (nodes.kernel_modules, nodes.track, nodes.mig_strategy) == (KernelModules.OPEN, DriverTrack.PRODUCTION, MigStrategy.NONE)
    assert (nodes.driver_track, nodes.labels, nodes.extra_labels, nodes.taints) == (None, {}, {}, ())
    assert (nodes.gpus_per_node, nodes.memory_per_gpu, nodes.count, nodes.sharing, nodes.name) == (None,) * 5
    assert (nodes.node_labels, nodes.resource_name, nodes.advertised_per_node) == ({}, "nvidia.com/gpu", None)


@pytest.mark.parametrize(
    ("argument", "written", "member"),
    [
        ("kernel_modules", "proprietary", KernelModules.PROPRIETARY),
        ("driver_track", "lts", DriverTrack.LTS),
        ("mig_strategy", "mixed", MigStrategy.MIXED),
    ],
)
def test_a_choice_takes_the_member_or_its_string_and_gives_the_member(argument, written, member):
    assert getattr(made(**{argument: written}), argument) is member
    assert getattr(made(**{argument: member}), argument) is member
    assert f"{member}" == str(member) == written


@pytest.mark.parametrize(
    ("argument", "value"),
    [("gpus_per_node", 8), ("count", 3), ("memory_per_gpu", "16Gi"), ("name", "rtx"), ("sharing", TimeSlicing(replicas=5))],
)
def test_an_argument_is_held_as_given(argument, value):
    assert getattr(made(**{argument: value}), argument) == value


@pytest.mark.parametrize(("talos", "generation"), [("1.8", "legacy"), ("1.12", "legacy"), ("1.13", "cdi"), ("1.14", "cdi")])
def test_pods_need_the_runtime_class_up_to_talos_1_14(talos, generation):
    nodes = made(talos_version=talos)

    assert (nodes.generation, nodes.runtime_class) == (Generation(generation), "nvidia")


def test_the_preview_warns_and_needs_no_runtime_class():
    with pytest.warns(TalosGpuWarning) as caught:
        nodes = made(talos_version="1.15")

    assert (nodes.generation, nodes.runtime_class) == (Generation.NRI, None)
    assert [str(each.message) for each in caught] == [
        "Talos 1.15 is a beta: the manifests follow the documentation of the beta, and may change before the release"
    ]
    assert caught[0].filename == __file__


def test_a_warning_of_changed_nodes_names_the_line_that_changed_them():
    with pytest.warns(TalosGpuWarning) as caught:
        attrs.evolve(made(talos_version="1.14"), talos_version="1.15")

    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("taint", "toleration"),
    [
        (Taint("dedicated", "ai"), {"key": "dedicated", "operator": "Equal", "value": "ai", "effect": "NoSchedule"}),
        (Taint("gpu", "", "NoExecute"), {"key": "gpu", "operator": "Equal", "value": "", "effect": "NoExecute"}),
        (
            Taint("example.com/gpu", effect="PreferNoSchedule"),
            {"key": "example.com/gpu", "operator": "Exists", "effect": "PreferNoSchedule"},
        ),
    ],
)
def test_a_taint_is_tolerated_after_nvidias_own(taint, toleration):
    assert taint.toleration == toleration
    assert made(taints=[taint]).tolerations == [NVIDIA_TOLERATION, toleration]


def test_a_taint_is_no_schedule_of_any_value_unless_said_otherwise():
    taint = Taint("dedicated")

    assert (taint.key, taint.value, taint.effect) == ("dedicated", None, TaintEffect.NO_SCHEDULE)


@pytest.mark.parametrize(
    "covered",
    [[Taint("nvidia.com/gpu")], [Taint("nvidia.com/gpu", "present")], [Taint("nvidia.com/gpu"), Taint("nvidia.com/gpu", "true")]],
)
def test_what_nvidias_toleration_covers_is_not_tolerated_twice(covered):
    assert made(taints=covered).tolerations == [NVIDIA_TOLERATION]


def test_nvidias_key_with_another_effect_is_tolerated_too():
    assert made(taints=[Taint("nvidia.com/gpu", effect="NoExecute")]).tolerations[1:] == [{**NVIDIA_TOLERATION, "effect": "NoExecute"}]


def test_a_taint_that_is_given_twice_is_tolerated_once():
    assert len(made(taints=[Taint("a", "b"), Taint("a", "b")]).tolerations) == 2


def test_taints_may_come_from_a_generator_and_are_held_as_a_tuple():
    assert made(taints=(Taint(key) for key in "ab")).taints == (Taint("a"), Taint("b"))


def test_labels_are_the_selector_and_leave_no_affinity():
    nodes = made(labels={"role": "gpu"})

    assert (nodes.node_labels, nodes.node_selector, nodes.node_affinity) == ({"role": "gpu"}, {"role": "gpu"}, None)


def test_a_name_is_the_selector_where_no_labels_are_given():
    assert made(name="rtx").node_selector == {CONFIG_LABEL: "rtx"}
    assert made(name="rtx").node_affinity is None


def test_a_name_beside_labels_is_a_label_of_the_nodes_and_not_the_selector():
    nodes = made(name="rtx", labels={"role": "gpu"})

    assert nodes.node_labels == {"role": "gpu", CONFIG_LABEL: "rtx"}
    assert nodes.node_selector == {"role": "gpu"}


def test_nodes_without_a_label_are_found_by_what_talos_itself_sets_or_a_mark_by_hand():
    terms = made().node_affinity["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]

    assert made().node_selector == {}
    assert terms == [
        {"matchExpressions": [{"key": "extensions.talos.dev/nvidia-container-toolkit-lts", "operator": "Exists"}]},
        {"matchExpressions": [{"key": "extensions.talos.dev/nvidia-container-toolkit-production", "operator": "Exists"}]},
        {"matchExpressions": [{"key": "nvidia.com/gpu.present", "operator": "In", "values": ["true"]}]},
    ]


def test_a_known_track_is_the_only_one_that_is_selected():
    terms = made(driver_track="lts").node_affinity["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]

    assert terms == [
        {"matchExpressions": [{"key": "extensions.talos.dev/nvidia-container-toolkit-lts", "operator": "Exists"}]},
        {"matchExpressions": [{"key": "nvidia.com/gpu.present", "operator": "In", "values": ["true"]}]},
    ]


@pytest.mark.parametrize("own", [{}, {"name": "rtx"}, {"labels": {"role": "gpu"}}])
def test_extra_labels_are_on_the_nodes_and_select_none(own):
    with_extra, without = made(**own, extra_labels={"example.com/rack": "a"}), made(**own)

    assert with_extra.node_labels == {**without.node_labels, "example.com/rack": "a"}
    assert (with_extra.node_selector, with_extra.node_affinity) == (without.node_selector, without.node_affinity)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            {"labels": {"a": "b"}, "extra_labels": {"a": "c"}},
            "'extra_labels' must be without another a than in 'labels', 'b' (got 'c'); a node has one value for each label",
        ),
        (
            {"name": "rtx", "extra_labels": {CONFIG_LABEL: "h100"}},
            f"'extra_labels' must be without another {CONFIG_LABEL} than the 'name' 'rtx' (got {{'{CONFIG_LABEL}': 'h100'}})",
        ),
    ],
)
def test_extra_labels_contradict_no_other_label(given, expected):
    assert message(lambda: made(**given)) == expected


@pytest.mark.parametrize(("devices", "strategy"), [(None, "none"), ({"1g.10gb": 7}, "mixed")])
def test_partitions_are_mixed_by_default(devices, strategy):
    assert made(mig_devices=devices).mig_strategy == strategy


@pytest.mark.parametrize(("sharing", "advertised"), [(None, 2), (TimeSlicing(replicas=5), 10)])
def test_a_node_advertises_its_gpus_or_their_shares(sharing, advertised):
    assert made(gpus_per_node=2, sharing=sharing).advertised_per_node == advertised


@pytest.mark.parametrize(
    ("one", "other", "overlap"),
    [
        ({"labels": {"role": "rtx"}}, {"labels": {"role": "h100"}}, False),
        ({"name": "rtx"}, {"name": "h100"}, False),
        ({"name": "rtx"}, {"labels": {"role": "h100"}}, True),
        ({"labels": {"role": "gpu", "zone": "a"}}, {"labels": {"role": "gpu"}}, True),
        ({}, {"name": "rtx"}, True),
    ],
)
def test_two_classes_overlap_unless_a_label_tells_them_apart(one, other, overlap):
    assert made(**one).may_overlap(made(**other)) is overlap
    assert made(**other).may_overlap(made(**one)) is overlap


def test_is_equal_by_value_hashable_and_frozen():
    nodes = made(labels={"role": "gpu"}, taints=[Taint("a")])

    assert nodes == made(labels={"role": "gpu"}, taints=[Taint("a")])
    assert nodes != made(labels={"role": "other"}, taints=[Taint("a")])
    assert hash(nodes) == hash(made(labels={"role": "gpu"}, taints=[Taint("a")]))
    assert message(lambda: setattr(nodes, "count", 3), attrs.exceptions.FrozenInstanceError) == "can't set attribute"


def test_labels_can_be_changed_neither_from_within_nor_from_without():
    given = {"role": "gpu"}
    nodes = made(labels=given)
    given["role"] = "other"

    assert nodes.node_selector == {"role": "gpu"}
    assert "item assignment" in message(lambda: operator.setitem(nodes.labels, "role", "other"), TypeError)
    nodes.node_selector["role"] = "other"
    nodes.node_labels["role"] = "other"
    assert nodes.node_selector == {"role": "gpu"}


def test_a_changed_copy_keeps_the_rest():
    changed = attrs.evolve(made(name="rtx", taints=[Taint("a")], sharing=TimeSlicing(replicas=5)), count=3)

    assert changed == made(name="rtx", taints=[Taint("a")], sharing=TimeSlicing(replicas=5), count=3)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda nodes: pickle.loads(pickle.dumps(nodes))], ids=["deepcopy", "pickle"])
def test_a_copy_is_equal(copied):
    assert copied(made(labels={"role": "gpu"})) == made(labels={"role": "gpu"})


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"kernel_modules": "opn"}, "'kernel_modules' must be one of 'open', 'proprietary' (got 'opn'); did you mean 'open'?"),
        ({"driver_track": "beta"}, "'driver_track' must be one of 'lts', 'production', 'new-feature' (got 'beta')"),
        ({"mig_strategy": "mix"}, "'mig_strategy' must be one of 'none', 'single', 'mixed' (got 'mix'); did you mean 'mixed'?"),
        ({"labels": {"role": "a b"}}, f"'labels[role]' must be {LABEL_VALUE} (got 'a b')"),
        ({"gpus_per_node": 0}, "'gpus_per_node' must be a whole number of at least 1 (got 0)"),
        ({"count": -1}, "'count' must be a whole number of at least 1 (got -1)"),
        (
            {"memory_per_gpu": "16 GB"},
            "'memory_per_gpu' must be a Kubernetes quantity above zero such as '16Gi' (got '16 GB'); did you mean '16Gi'?",
        ),
        (
            {"name": "RTX 4090"},
            "'name' must be a DNS label (lower-case letters, digits and '-', starting with a letter, at most 36 characters) (got 'RTX 4090'); did you mean 'rtx-4090'?",
        ),
    ],
)
def test_a_wrong_value_is_refused(given, expected):
    assert message(lambda: made(**given)) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"kernel_modules": 1}, "'kernel_modules' must be one of 'open', 'proprietary' (got 1)"),
        ({"driver_track": 1}, "'driver_track' must be one of 'lts', 'production', 'new-feature' (got 1)"),
        ({"mig_strategy": 1}, "'mig_strategy' must be one of 'none', 'single', 'mixed' (got 1)"),
        ({"labels": ["role"]}, "'labels' must be a mapping of label keys to label values (got ['role'])"),
        ({"labels": {"role": True}}, f"'labels[role]' must be {LABEL_VALUE} (got True); did you mean 'true'?"),
        ({"taints": "dedicated"}, "'taints' must be a list of Taints (got 'dedicated'); such as [Taint(\"dedicated\", \"ai\")]"),
        ({"taints": None}, '\'taints\' must be a list of Taints (got None); such as [Taint("dedicated", "ai")]'),
        ({"taints": ["dedicated=ai"]}, "'taints[0]' must be a Taint (got 'dedicated=ai'); did you mean Taint(\"dedicated\", \"ai\")?"),
        (
            {"taints": [Taint("a"), "gpu:NoExecute"]},
            "'taints[1]' must be a Taint (got 'gpu:NoExecute'); did you mean Taint(\"gpu\", effect=\"NoExecute\")?",
        ),
        ({"taints": [5]}, '\'taints[0]\' must be a Taint (got 5); such as Taint("dedicated", "ai")'),
        ({"taints": Taint("a")}, f"'taints' must be a list of Taints (got {Taint('a')!r}); put the taint into a list: [Taint(…)]"),
        ({"gpus_per_node": True}, "'gpus_per_node' must be a whole number of at least 1 (got True)"),
        ({"memory_per_gpu": 16}, "'memory_per_gpu' must be a Kubernetes quantity above zero such as '16Gi' (got 16); did you mean '16Gi'?"),
        ({"sharing": 5}, "'sharing' must be a TimeSlicing or an Mps (got 5); such as TimeSlicing(replicas=4)"),
        (
            {"sharing": TimeSlicing},
            "'sharing' must be a TimeSlicing or an Mps (got the class TimeSlicing); such as TimeSlicing(replicas=4)",
        ),
    ],
)
def test_the_wrong_kind_is_refused(given, expected):
    assert message(lambda: made(**given), TypeError) == expected


@pytest.mark.parametrize("labels", [[], "", 0, False])
def test_an_empty_thing_is_no_mapping_either(labels):
    assert message(lambda: made(labels=labels), TypeError) == f"'labels' must be a mapping of label keys to label values (got {labels!r})"


@pytest.mark.parametrize(
    ("call", "error", "expected"),
    [
        (lambda: Taint("a", "b", "NoSchedul"), ValueError, "(got 'NoSchedul'); did you mean 'NoSchedule'?"),
        (lambda: Taint("a", effect="Evict"), ValueError, "(got 'Evict')"),
        (lambda: Taint("a", effect=None), TypeError, "(got None)"),
    ],
)
def test_an_effect_that_does_not_exist_is_refused(call, error, expected):
    assert message(call, error) == f"'effect' must be one of 'NoSchedule', 'PreferNoSchedule', 'NoExecute' {expected}"


@pytest.mark.parametrize(
    ("call", "error", "expected"),
    [
        (lambda: Taint("dedicated=ai"), ValueError, f"'key' must be {LABEL_KEY} (got 'dedicated=ai')"),
        (lambda: Taint(5), TypeError, f"'key' must be {LABEL_KEY} (got 5)"),
        (lambda: Taint("dedicated", "ai:NoSchedule"), ValueError, f"'value' must be {LABEL_VALUE} (got 'ai:NoSchedule')"),
        (lambda: Taint("dedicated", value=True), TypeError, f"'value' must be {LABEL_VALUE} (got True); did you mean 'true'?"),
    ],
)
def test_a_taint_that_kubernetes_refuses_is_refused(call, error, expected):
    assert message(call, error) == expected


def test_a_name_that_contradicts_the_labels_is_refused():
    assert message(lambda: made(name="rtx", labels={CONFIG_LABEL: "h100"})) == (
        f"'labels' must be without another {CONFIG_LABEL} than the 'name' 'rtx' (got {{'{CONFIG_LABEL}': 'h100'}})"
    )
    assert made(name="rtx", labels={CONFIG_LABEL: "rtx"}).node_selector == {CONFIG_LABEL: "rtx"}


@pytest.mark.parametrize(
    ("written", "taint"),
    [
        ("dedicated", Taint("dedicated")),
        ("dedicated=ai", Taint("dedicated", "ai")),
        ("dedicated:NoExecute", Taint("dedicated", effect="NoExecute")),
        ("dedicated=ai:PreferNoSchedule", Taint("dedicated", "ai", "PreferNoSchedule")),
        ("gpu=:NoSchedule", Taint("gpu", "")),
        ("gpu=", Taint("gpu", "")),
        ("example.com/gpu=true:NoSchedule", Taint("example.com/gpu", "true")),
    ],
)
def test_a_taint_is_read_as_kubectl_writes_it(written, taint):
    assert Taint.parse("taint", written) == taint


A_TAINT = "'gpu_taint' must be a taint such as 'dedicated=ai:NoSchedule'"
EFFECTS = "'effect' must be one of 'NoSchedule', 'PreferNoSchedule', 'NoExecute'"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("", f"{A_TAINT} (got '')"),
        ("  ", f"{A_TAINT} (got '  ')"),
        ("=ai", f"{A_TAINT} (got '=ai'); 'key' must be {LABEL_KEY} (got '')"),
        (":NoSchedule", f"{A_TAINT} (got ':NoSchedule'); 'key' must be {LABEL_KEY} (got '')"),
        ("a b", f"{A_TAINT} (got 'a b'); 'key' must be {LABEL_KEY} (got 'a b')"),
        ("dedicated-", f"{A_TAINT} (got 'dedicated-'); 'key' must be {LABEL_KEY} (got 'dedicated-')"),
        ("a=b=c", f"{A_TAINT} (got 'a=b=c'); 'value' must be {LABEL_VALUE} (got 'b=c')"),
        ("a=b:Evict", f"{A_TAINT} (got 'a=b:Evict'); {EFFECTS} (got 'Evict')"),
        ("a:noschedule", f"{A_TAINT} (got 'a:noschedule'); {EFFECTS} (got 'noschedule'); did you mean 'NoSchedule'?"),
        ("a:NoSchedule:b", f"{A_TAINT} (got 'a:NoSchedule:b'); {EFFECTS} (got 'NoSchedule:b'); did you mean 'NoSchedule'?"),
    ],
)
def test_a_taint_that_kubectl_would_not_take_is_refused_as_it_was_written(written, expected):
    assert message(lambda: Taint.parse("gpu_taint", written)) == expected


@pytest.mark.parametrize("written", [None, 5, ["a=b"], Taint("a")])
def test_what_is_no_written_taint_is_refused(written):
    then = "; did you mean 'a=b'?" if written == ["a=b"] else ""
    assert message(lambda: Taint.parse("gpu_taint", written), TypeError) == f"{A_TAINT} (got {written!r}){then}"


def test_a_colon_without_an_effect_is_refused():
    assert message(lambda: Taint.parse("gpu_taint", "a=b:")).startswith(f"{A_TAINT} (got 'a=b:')")


def test_a_card_is_held_as_it_was_written_and_shown():
    nodes = made(product="NVIDIA-GeForce-RTX-3090")

    assert nodes.product == "NVIDIA-GeForce-RTX-3090"
    assert repr(nodes) == "GpuNodes(talos_version='1.12', product='NVIDIA-GeForce-RTX-3090')"
    assert made().product is None
    assert nodes != made()
    assert copy.deepcopy(nodes) == nodes


def test_a_card_that_nobody_knows_is_taken_with_any_modules():
    with pytest.warns(TalosGpuWarning, match="'product' 'RTX 9999' is not known"):
        assert made(product="RTX 9999", kernel_modules="proprietary").product == "RTX 9999"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            {"product": "RTX 5070 Ti", "kernel_modules": "proprietary"},
            (
                "'kernel_modules' must be 'open' with product='RTX 5070 Ti' (got 'proprietary'); Blackwell needs the open modules; "
                'with the proprietary modules the driver reports "No devices were found"'
            ),
        ),
        (
            {"product": "GTX 1080", "kernel_modules": "open"},
            (
                "'kernel_modules' must be 'proprietary' with product='GTX 1080' (got 'open'); the open modules need a Turing card or newer, and this is "
                "a Pascal card"
            ),
        ),
        (
            {"product": "GTX 1080", "driver_track": "production", "talos_version": "1.13"},
            (
                "'driver_track' must be 'lts' on Talos 1.13 with product='GTX 1080' (got 'production'); this card needs a driver of at most "
                "580, and the 'production' driver is 595.91.07"
            ),
        ),
        (
            {"product": "B200", "talos_version": "1.9"},
            (
                "'talos_version' must be one of 1.10, 1.11, 1.12, 1.13, 1.14, 1.15 with product='B200' (got '1.9'); this card needs a driver of at "
                "least 570, and the 'production' driver is 550.144.03"
            ),
        ),
        ({"product": ""}, "'product' must be the name of a card, such as 'RTX 4090' (got '')"),
    ],
)
def test_modules_and_drivers_that_can_not_run_the_card_are_refused(given, expected):
    assert message(lambda: made(**given)) == expected


def test_a_card_is_a_name():
    assert message(lambda: made(product=4090), TypeError) == "'product' must be the name of a card, such as 'RTX 4090' (got 4090)"


def test_a_card_is_checked_again_when_the_talos_changes():
    nodes = made(product="GTX 1080", driver_track="production")

    assert message(lambda: attrs.evolve(nodes, talos_version="1.13")).startswith("'driver_track' must be 'lts' on Talos 1.13 with ")
    assert attrs.evolve(nodes, talos_version="1.13", driver_track="lts").product == "GTX 1080"


@pytest.mark.parametrize(
    ("product", "talos", "modules", "track"),
    [
        ("P40", "1.12", "proprietary", "production"),
        ("P40", "1.13", "proprietary", "lts"),
        ("GTX 1080", "1.14", "proprietary", "lts"),
        ("Tesla V100-SXM2-16GB", "1.14", "proprietary", "lts"),
        ("GB10", "1.12", "open", "lts"),
        ("GB10", "1.13", "proprietary", "production"),
        ("RTX 3060", "1.13", "open", "production"),
        (None, "1.13", "open", "production"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*GB10")
def test_kernel_modules_and_track_that_are_not_given_follow_from_the_card(product, talos, modules, track):
    nodes = made(product=product, talos_version=talos)

    assert (nodes.kernel_modules, nodes.track, nodes.driver_track) == (modules, track, None)
    assert copy.deepcopy(nodes) == nodes
    assert "kernel_modules" not in repr(nodes)


def test_given_kernel_modules_and_a_given_track_stay():
    with pytest.warns(TalosGpuWarning, match="disagree about the kernel modules of GB10 on Talos 1.13"):
        spark = made(product="GB10", kernel_modules="open", talos_version="1.13")

    assert (spark.kernel_modules, spark.track) == ("open", "production")
    assert "kernel_modules=" in repr(spark)
    assert made(product="RTX 3060", kernel_modules="proprietary", driver_track="lts").track == "lts"


def test_the_new_feature_track_keeps_open_modules_with_every_card():
    with pytest.warns(TalosGpuWarning) as caught:
        nodes = made(product="GB10", driver_track="new-feature", talos_version="1.15")

    assert nodes.kernel_modules == "open"
    assert "disagree about the kernel modules of GB10 on Talos 1.15" in str(caught[0].message)


def test_only_the_new_feature_track_of_talos_1_15_runs_a_rubin_card():
    with pytest.warns(TalosGpuWarning, match="beta"):
        nodes = made(product="VR200", talos_version="1.15")

    assert (nodes.kernel_modules, nodes.track) == ("open", "new-feature")


def test_a_release_after_the_betas_that_the_tables_have_is_newer_than_the_tables(monkeypatch):
    monkeypatch.setitem(talos_releases.TALOS, "1.15", talos_releases.TALOS["1.15"]._replace(newest="1.15.0-beta.0"))
    monkeypatch.setattr(talos_releases, "PREVIEW", "1.15")
    with pytest.warns(TalosGpuWarning, match=r"^Talos 1\.15\.0 is newer than this library's tables"):
        GpuNodes(talos_version="1.15.0")
    with pytest.warns(TalosGpuWarning, match=r"^Talos 1\.15\.0-beta\.0 is a beta"):
        GpuNodes(talos_version="1.15.0-beta.0")


def test_a_beta_of_1_13_with_the_old_library_paths_is_a_warning():
    with pytest.warns(TalosGpuWarning, match=r"^Talos 1\.13\.0-beta\.0 has the driver's libraries under /usr/local/glibc"):
        GpuNodes(talos_version="1.13.0-beta.0")


def test_the_memory_is_that_of_the_card_unless_it_is_given():
    assert made(product="RTX 4090").memory_per_gpu == "24Gi"
    assert made(product="RTX 4090", memory_per_gpu="48Gi").memory_per_gpu == "48Gi"
    assert made(product="NVIDIA-A100-SXM4-40GB").memory_per_gpu == "40Gi"
    assert made(product="A100").memory_per_gpu is None


def test_a_changed_copy_has_the_memory_of_its_own_card():
    nodes = made(product="RTX 4090")

    assert attrs.evolve(nodes, product="RTX 5090").memory_per_gpu == "32Gi"
    assert attrs.evolve(nodes, product=None).memory_per_gpu is None
    assert attrs.evolve(made(product="RTX 4090", memory_per_gpu="48Gi"), product="RTX 5090").memory_per_gpu == "48Gi"
    assert repr(nodes) == "GpuNodes(talos_version='1.12', product='RTX 4090')"
    assert pickle.loads(pickle.dumps(nodes)) == nodes == eval(repr(nodes))


@pytest.mark.parametrize(("name", "value"), [(None, "default"), ("rtx", "rtx")])
def test_pods_are_labelled_with_the_class(name, value):
    assert made(name=name).pod_labels == {"talos-gpu/class": value}


@pytest.mark.parametrize("argument", ["labels", "extra_labels"])
def test_the_label_of_the_control_plane_has_no_value(argument):
    label = "node-role.kubernetes.io/control-plane"

    assert getattr(GpuNodes(talos_version="1.13", **{argument: {label: ""}}), argument) == {label: ""}
    assert message(lambda: GpuNodes(talos_version="1.13", **{argument: {label: "true"}})) == (
        f"'{argument}[{label}]' must be empty (got 'true'); Talos sets this label without a value on every control-plane node"
    )
