"""README.md: its example runs, and makes the YAML that it shows."""

import re
import subprocess
import sys
from pathlib import Path

import yaml

import constructs_lib
from test_clusters import CLUSTERS

README = (Path(__file__).resolve().parent.parent / "README.md").read_text()
ROOT = Path(__file__).resolve().parent.parent


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def within(part: object, whole: object) -> bool:
    """Whether everything in `part` stands in `whole`; the shown YAML leaves out what any pod has."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and within(value, whole[key]) for key, value in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) == len(whole) and all(within(*pair) for pair in zip(part, whole, strict=True))
    return part == whole


def test_the_example_runs_and_makes_the_yaml_that_is_shown(tmp_path):
    (example,), (_, shown) = blocks("python"), blocks("yaml")
    subprocess.run([sys.executable, "-W", "error", "-c", example], cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, check=True)

    made = list(yaml.safe_load_all((tmp_path / "dist" / "gpu.k8s.yaml").read_text()))
    deployment = next(each for each in made if each["kind"] == "Deployment")
    assert within(yaml.safe_load(shown)["spec"], deployment["spec"]["template"]["spec"])
    assert sorted(each["kind"] for each in made) == [
        "ConfigMap", "DaemonSet", "Deployment", "PersistentVolumeClaim", "RuntimeClass", "Service", "ServiceAccount",
    ]  # fmt: skip


def test_the_cluster_file_is_synthesized_with_its_page(tmp_path):
    (tmp_path / "home.yaml").write_text(blocks("yaml")[0])
    subprocess.run([sys.executable, "-m", "constructs_lib", "synth", "home.yaml"], cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, check=True)

    assert "nvidia-smi" in (tmp_path / "dist/home/README.md").read_text()


def test_the_example_is_ten_lines():
    assert len([line for line in blocks("python")[0].splitlines() if line.strip()]) <= 10


def test_the_example_of_the_package_is_the_readme_s_in_names():
    names = re.compile(r"^from constructs_lib import (.*)$", re.MULTILINE)
    assert names.findall(str(constructs_lib.__doc__).replace("    from", "from")) == names.findall(README)


def test_every_construct_is_in_the_table():
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", README, re.MULTILINE)
    table = {name.strip("`") for row in rows for name in row.split(", ")}
    constructs = {
        name
        for name in dir(constructs_lib)
        if name.startswith(("Nvidia", "Gpu", "Standalone", "Validation", "Privileged", "Dcgm", "NodeFeature"))
    }

    around = {"expose", "scrape", "isolate", "autoscale", "Companion", "OpenWebUI"}
    assert table == constructs | around | {"DraDriver", "KueueQueue", "gpu_pod", "gpu_values", "request_gpus"}


def test_the_number_of_clusters_is_the_one_that_is_told():
    assert "seven clusters" in README
    assert len(CLUSTERS) == 7


def test_it_is_a_page_and_a_half():
    assert len(README.splitlines()) <= 120
