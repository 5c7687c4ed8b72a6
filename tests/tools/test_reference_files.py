"""tools/reference.py: the environment first, then the folder beside the repository, then what upstream publishes, held to its pins."""

import contextlib
import functools
import hashlib
import http.server
import subprocess
import threading
from pathlib import Path

import pytest
import yaml

from conftest import ROOT, needs
from tools.reference import FOLDERS, TOOLS, MissingError, objects_digest, pins, published, settings, users

PINS = pins(ROOT / "tools" / "reference.yaml")
CRD, SCHEMA, INPUT = b"kind: CustomResourceDefinition\n", b"{}\n", {"worker": {}}
TABLE = {
    "crds/a.yaml": {"url": "https://crds.example/v1/a.yaml", "sha256": hashlib.sha256(CRD).hexdigest()},
    "talos/b.json": {"url": "https://talos.example/b.json", "sha256": hashlib.sha256(SCHEMA).hexdigest()},
    "values/c.yaml": {"values": INPUT},
}
COMPLETE = dict.fromkeys(TOOLS, "there")


@pytest.fixture
def mirror(tmp_path):
    """A mirror of the addresses of TABLE, as a folder."""
    folder = tmp_path / "mirror"
    for name, content in (("crds.example/v1/a.yaml", CRD), ("talos.example/b.json", SCHEMA)):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_bytes(content)
    return folder


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served(folder):
    """The address of a folder on this machine."""
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def found(tmp_path, address, **environment):
    """The exported variables and the remarks of a machine with all tools, without a folder beside the repository."""
    exports, remarks = settings(tmp_path / "out", tmp_path / "none", {**COMPLETE, "REFERENCE_MIRROR": address, **environment}, TABLE)
    return dict(line.removeprefix("export ").split("=", 1) for line in exports), remarks


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_published_files_with_the_pinned_content_are_used_and_nothing_may_be_skipped(tmp_path, mirror, scheme):
    with served(mirror) if scheme == "http" else contextlib.nullcontext(mirror.as_uri()) as address:
        exports, remarks = found(tmp_path, address)
    out = tmp_path / "out"

    assert exports == {"CRDS": str(out / "crds"), "TALOS_SCHEMAS": str(out / "talos"), "REFERENCE": str(out), "NO_SKIPS": "1"}
    assert remarks == []
    assert (out / "crds/a.yaml").read_bytes() == CRD
    assert yaml.safe_load((out / "values/c.yaml").read_text()) == INPUT


def test_a_file_with_another_content_is_not_used_and_its_tests_are_named(tmp_path, mirror):
    (mirror / "crds.example/v1/a.yaml").write_bytes(b"kind: Changed\n")
    (tmp_path / "out/crds").mkdir(parents=True)
    (tmp_path / "out/crds/a.yaml").write_bytes(b"of an earlier run")
    exports, remarks = found(tmp_path, mirror.as_uri())

    assert exports.keys() == {"TALOS_SCHEMAS", "REFERENCE"}
    assert not (tmp_path / "out/crds/a.yaml").exists()
    changed = hashlib.sha256(b"kind: Changed\n").hexdigest()
    pinned = hashlib.sha256(CRD).hexdigest()
    assert remarks == [
        f"reference: CRDS is missing: crds/a.yaml: the content has sha256 {changed}, and the pin is {pinned}",
        f"reference: without it, tests of these modules are skipped: {', '.join(users('CRDS'))}",
    ]


def test_a_machine_that_reaches_no_address_gets_the_reason_for_each_file(tmp_path):
    exports, remarks = found(tmp_path, "http://127.0.0.1:9")

    assert exports.keys() == {"REFERENCE"}
    assert [line.split(": ", 3)[1:3] for line in remarks if "is missing" in line] == [
        ["CRDS is missing", "crds/a.yaml"],
        ["TALOS_SCHEMAS is missing", "talos/b.json"],
    ]


def test_a_host_that_does_not_answer_is_asked_once(tmp_path, monkeypatch):
    asked = []

    def no_answer(url, **_):
        asked.append(url)
        raise TimeoutError("timed out")

    monkeypatch.setattr("urllib.request.urlopen", no_answer)
    table = {f"crds/{name}.yaml": {"url": f"https://crds.example/{name}", "sha256": ""} for name in "abc"}
    _, remarks = settings(tmp_path / "out", tmp_path / "none", COMPLETE, table)

    assert asked == ["https://crds.example/a"]
    assert remarks[1] == "reference: CRDS is missing: crds/b.yaml: crds.example does not answer"


def test_a_host_that_lacks_one_file_is_asked_for_the_next(tmp_path, mirror):
    missing = {"url": "https://crds.example/v1/0.yaml", "sha256": ""}
    with served(mirror) as address:
        environment = {**COMPLETE, "REFERENCE_MIRROR": address}
        _, remarks = settings(tmp_path / "out", tmp_path / "none", environment, {"crds/0.yaml": missing, **TABLE})

    assert ["404" in line for line in remarks] == [True, False]
    assert (tmp_path / "out/crds/a.yaml").read_bytes() == CRD


def test_a_tool_that_is_missing_allows_skips(tmp_path, mirror):
    exports, remarks = found(tmp_path, mirror.as_uri(), PROMTOOL="")

    assert "NO_SKIPS" not in exports
    assert remarks[0] == "reference: PROMTOOL is missing: it is not set"
    assert "tests/monitoring/test_dashboard_queries.py" in remarks[1]


def test_the_environment_is_left_as_it_is_and_the_folder_beside_the_repository_comes_next(tmp_path):
    shared = tmp_path / "reference"
    for part in ("crds", "talos"):
        (shared / part).mkdir(parents=True)
    exports, remarks = settings(tmp_path / "out", shared, {**COMPLETE, "CRDS": "/mine"}, TABLE)

    assert exports == [f"export TALOS_SCHEMAS={shared / 'talos'}", f"export REFERENCE={shared}", "export NO_SKIPS=1"]
    assert remarks == []
    assert not (tmp_path / "out").exists()


def test_a_file_that_nobody_publishes_is_missing_with_the_reason():
    with pytest.raises(MissingError, match="no registry has"):
        published({"unpublished": "no registry has it"}, {})


def test_a_path_for_the_shell_is_quoted(tmp_path):
    shared = tmp_path / "a b; c" / "reference"
    (shared / "crds").mkdir(parents=True)

    assert f"export CRDS='{shared / 'crds'}'" in settings(tmp_path / "out", shared, COMPLETE, {})[0]


# Charts


def packaged(helm, folder, image, version="1.2.0"):
    """A repository with one chart, as upstream's are."""
    chart = folder / "source" / "plugin"
    (chart / "templates").mkdir(parents=True)
    (chart / "Chart.yaml").write_text(f"apiVersion: v2\nname: plugin\nversion: {version}\n")
    (chart / "templates" / "a.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\n  namespace: {{ .Release.Namespace }}\n"
        "  labels: {helm.sh/chart: '{{ .Chart.Name }}-{{ .Chart.Version }}'}\n"
        f"data: {{image: {image}, replicas: '{{{{ .Values.replicas }}}}'}}\n"
    )
    repository = folder / "charts.example" / "stable"
    repository.mkdir(parents=True)
    for command in (["package", str(chart), "--destination", str(repository)], ["repo", "index", str(repository)]):
        subprocess.run([helm, *command], capture_output=True, check=True)
    return folder


def chart_pin(image="a:1"):
    rendered = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "gpus", "namespace": "gpu", "labels": {"helm.sh/chart": "plugin-0.0.0-dev"}},
        "data": {"image": image, "replicas": "5"},
    }
    source = {"repository": "oci://charts.example/stable", "chart": "plugin", "version": "1.2.0", "release": "gpus", "namespace": "gpu"}
    return {**source, "with": {"replicas": 5}, "sha256": objects_digest(yaml.safe_dump(rendered).encode())}


def test_a_chart_is_pulled_and_rendered_with_the_values_of_its_pin(tmp_path):
    helm = needs("HELM", "the path of a Helm")
    with served(packaged(helm, tmp_path, "a:1")) as address:
        content = published(chart_pin(), {"HELM": helm, "REFERENCE_MIRROR": address})

    assert yaml.safe_load(content)["data"] == {"image": "a:1", "replicas": "5"}


def test_a_chart_that_renders_other_objects_than_the_pinned_ones_is_not_used(tmp_path):
    helm = needs("HELM", "the path of a Helm")
    with served(packaged(helm, tmp_path, "evil:1")) as address, pytest.raises(MissingError, match="the content has sha256"):
        published(chart_pin(), {"HELM": helm, "REFERENCE_MIRROR": address})


def test_a_chart_that_cannot_be_pulled_is_missing_with_helms_words(tmp_path):
    helm = needs("HELM", "the path of a Helm")
    with (
        served(packaged(helm, tmp_path, "a:1", version="1.3.0")) as address,
        pytest.raises(MissingError, match=r"helm pull plugin: .*1\.2\.0"),
    ):
        published(chart_pin(), {"HELM": helm, "REFERENCE_MIRROR": address})


def test_without_helm_a_chart_is_missing():
    with pytest.raises(MissingError, match="HELM is not set"):
        published(chart_pin(), {})


# The pins


def test_every_reference_file_that_the_tests_compare_with_is_pinned_to_its_content():
    folders = {variable: Path(needs(variable, "the reference files")) for variable in FOLDERS}
    for name, pin in PINS.items():
        part, _, base = name.partition("/")
        path = {"crds": folders["CRDS"], "talos": folders["TALOS_SCHEMAS"]}.get(part, folders["REFERENCE"] / part) / base
        if "values" in pin:
            assert yaml.safe_load(path.read_text()) == pin["values"], name
        elif "unpublished" not in pin:
            assert (objects_digest if "chart" in pin else lambda content: hashlib.sha256(content).hexdigest())(path.read_bytes()) == pin[
                "sha256"
            ], name
    rendered = folders["REFERENCE"] / "rendered"
    assert {f"rendered/{path.relative_to(rendered)}" for path in rendered.rglob("*.yaml")} == {
        name for name in PINS if name.startswith("rendered/")
    }


def test_every_address_is_https_and_of_a_tag_or_a_commit():
    for name, pin in PINS.items():
        if "url" in pin:
            assert pin["url"].startswith("https://raw.githubusercontent.com/"), name
            assert pin["url"].split("/")[5] not in ("main", "master", "HEAD", "refs"), name


def test_the_users_of_a_variable_are_test_modules_also_by_a_helper():
    assert "tests/test_api_server.py" in users("KUBEBUILDER_ASSETS")
    assert "tests/observed/read/test_kustomize_parity.py" in users("KUBECTL")
    assert "tests/talos/test_leftovers.py" in users("REFERENCE")
