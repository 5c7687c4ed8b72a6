"""The smoke test: its script runs with a nvidia-smi of the test's own, so that each verdict is seen."""

import os
import subprocess
import sys

import pytest

from conftest import env_of, message
from constructs_lib import GpuNodes, TimeSlicing
from constructs_lib.manifests.cuda_proof import is_proof
from constructs_lib.manifests.workload.objects import gpu_workload
from constructs_lib.recipes.cuda_smoke_test import CudaSmokeTestSettings

NODES = GpuNodes(talos_version="1.13", product="RTX 4090")
SHARED = GpuNodes(talos_version="1.13", sharing=TimeSlicing(replicas=4))
PARTED = GpuNodes(talos_version="1.13", product="A100-SXM4-40GB", mig_devices={"1g.5gb": 7})
CARD = "GPU 0: NVIDIA GeForce RTX 4090 (UUID: GPU-1)\n"
SECOND = CARD.replace("0:", "1:")
MIG = CARD + "  MIG 1g.5gb      Device  0: (UUID: MIG-1)\n"


def container(nodes=NODES, **given):
    (job,) = [each for each in gpu_workload(CudaSmokeTestSettings(nodes=nodes, name="smoke", **given)).values() if each["kind"] == "Job"]
    return job["spec"]["template"]["spec"]["containers"][0]


@pytest.fixture
def run(tmp_path):
    """The exit status and the last line of the script, with these answers of nvidia-smi and of the sample."""

    def answer(made, *, listed=CARD, memory="24564", smi=0, sample="Test PASSED", status=0):
        program(tmp_path / "nvidia-smi", f"import sys\nanswers = {{'-L': {listed!r}}}\nsys.stdout.write(answers.get(sys.argv[1], "
                f"{memory!r} if 'memory' in sys.argv[1] else 'NVIDIA GeForce RTX 4090, 580.95.05\\n'))\nsys.exit({smi})")  # fmt: skip
        program(tmp_path / "sample", f"import sys\nprint({sample!r})\nsys.exit({status})")
        command = [*made["command"][:2], made["command"][2].replace("/cuda-samples/sample", str(tmp_path / "sample"))]
        environment = {**env_of(made), "PATH": f"{tmp_path}:{os.environ['PATH']}"}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        return done.returncode, done.stdout.splitlines()

    return answer


def program(path, source):
    path.write_text(f"#!{sys.executable}\n{source}\n")
    path.chmod(0o755)


def test_a_gpu_that_works_passes_and_the_log_says_what_was_proved(run):
    assert run(container()) == (
        0,
        [
            "passed count and isolation: 1 of 1",
            "passed driver: NVIDIA GeForce RTX 4090, 580.95.05 on Talos 1.13",
            "passed memory: 24564 MiB",
            "passed compute: vectorAdd",
            "passed all",
        ],
    )


@pytest.mark.parametrize(
    ("answers", "line"),
    [
        ({"listed": "NVIDIA-SMI has failed", "smi": 9}, "FAILED driver: nvidia-smi says: NVIDIA-SMI has failed"),
        ({"listed": "No devices found.\n"}, "FAILED count: the container sees no GPU: No devices found."),
        ({"listed": CARD + SECOND}, "FAILED isolation: the container sees 2 GPUs and has asked for 1"),
        ({"memory": "11264"}, "FAILED memory: a card has 11264 MiB, and its class of nodes promises about 22118 MiB or more"),
        ({"sample": "CUDA driver version is insufficient", "status": 1}, "FAILED compute: CUDA driver version is insufficient"),
        ({"sample": "Result verification failed"}, "FAILED compute: Result verification failed"),
    ],
)
def test_each_fault_has_its_line(run, answers, line):
    status, lines = run(container(), **answers)

    assert (status, lines[-1]) == (1, line)


def test_fewer_gpus_than_asked_for_fail(run):
    assert run(container(gpus=2)) == (1, ["FAILED count: the container sees 1 GPUs and has asked for 2"])
    assert run(container(gpus=2), listed=CARD + SECOND, memory="24564\n24564")[0] == 0


def test_two_shares_may_be_of_one_card(run):
    assert run(container(SHARED, gpus=2))[0] == 0


def test_a_partition_is_counted_as_one_and_its_card_is_not_measured(run):
    status, lines = run(container(PARTED, profile="1g.5gb"), listed=MIG)

    assert (status, lines[0]) == (0, "passed count and isolation: 1 of 1")
    assert not any("memory" in line for line in lines)


def test_without_a_known_memory_none_is_compared(run):
    assert not any("memory" in line for line in run(container(GpuNodes(talos_version="1.13")))[1])


def test_the_job_ends():
    spec = gpu_workload(CudaSmokeTestSettings(nodes=NODES, name="smoke"))["Resource"]["spec"]

    assert (spec["backoffLimit"], spec["activeDeadlineSeconds"], spec["template"]["spec"]["restartPolicy"]) == (2, 300, "Never")


def test_another_talos_is_another_job():
    jobs = [gpu_workload(CudaSmokeTestSettings(nodes=GpuNodes(talos_version=talos), name="smoke")) for talos in ("1.13", "1.13", "1.14")]
    first, same, other = (each["Resource"]["metadata"]["name"] for each in jobs)

    assert first == same != other


def test_every_night_as_a_cron_job():
    objects = gpu_workload(CudaSmokeTestSettings(nodes=NODES, name="smoke", kind="CronJob", schedule="@daily"))

    assert objects["Resource"]["spec"]["jobTemplate"]["spec"]["activeDeadlineSeconds"] == 300


def test_a_proof_that_ends_is_no_server():
    assert message(lambda: CudaSmokeTestSettings(nodes=NODES, name="smoke", kind="Deployment")) == (
        "'kind' must be 'Job' or 'CronJob' (got 'Deployment'); the program of CudaSmokeTest ends, and a server would start it again for ever; "
        "with a 'command' of your own any kind is right"
    )


def test_the_job_is_known_by_the_end_of_its_script_alone():
    (job,) = [each for each in gpu_workload(CudaSmokeTestSettings(nodes=NODES, name="smoke")).values() if each["kind"] == "Job"]
    other = {"kind": "Job", "spec": {"template": {"spec": {"containers": [{"command": ["sh", "-c", "echo tests passed all of them"]}]}}}}

    assert is_proof(job)
    assert not is_proof(other)
    assert not is_proof({"kind": "Job", "spec": {"template": {"spec": {"containers": "${CONTAINERS}"}}}})
