"""The errors of the driver, of NVML and of CUDA that a line names."""

import pytest

from constructs_lib.symptoms.error_words import named_errors

FALLEN = "Xid 79 is ROBUST_CHANNEL_GPU_HAS_FALLEN_OFF_THE_BUS; NVIDIA's catalogue asks for RESTART_BM, then CONTACT_SUPPORT"
SYSTEM = "NCCL's error 2 is ncclSystemError: unhandled system error"
MISMATCH = "CUDA's error 803 is cudaErrorSystemDriverMismatch or CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"


@pytest.mark.parametrize(
    ("line", "sentences"),
    [
        ("NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', GPU has fallen off the bus.", [FALLEN]),
        ("XidCriticalError: Xid=79 on Device=GPU-1", [FALLEN]),
        ("NVRM: Xid (PCI:0000:01:00): 172, something", ["Xid 172 is UNCORRECTABLE_SRAM_ERROR"]),
        ("nvml init failed: ERROR_LIBRARY_NOT_FOUND", ["NVML's error 12 is ERROR_LIBRARY_NOT_FOUND"]),
        ("NVML_ERROR_UNKNOWN", ["NVML's error 999 is ERROR_UNKNOWN"]),
        ("CUDA: Check failed (error 803)", [MISMATCH]),
        ("cuda runtime error (803) : system has unsupported driver", [MISMATCH]),
        ('code=803(cudaErrorSystemDriverMismatch) "cudaSetDevice(currentDevice)"', [MISMATCH]),
        ("CUDA_ERROR_NO_DEVICE", ["CUDA's error 100 is cudaErrorNoDevice or CUDA_ERROR_NO_DEVICE"]),
        ("NCCL error in: NCCLUtils.hpp:317, unhandled system error, NCCL version 2.21.5", [SYSTEM]),
        ("Test NCCL failure common.cu:958 'unhandled system error (run with NCCL_DEBUG=INFO for details)'", [SYSTEM]),
        ("ncclSystemError: System call (e.g. socket, malloc) failed", [SYSTEM]),
        ("NCCL WARN socket: 'invalid argument'", []),
        ("NCCL error: the timeout of a collective", []),
        ("the server has error 803", []),
        ("Xid 1000", []),
        ("ERROR_OF_SOMEBODY", []),
    ],
)
def test_an_error_is_named_with_number_and_name(line, sentences):
    assert named_errors(line) == sentences
