"""The message of a line, and the file that the line names."""

import pytest

from constructs_lib.symptoms.log_message import message_of
from constructs_lib.symptoms.phrase_index import words_of


@pytest.mark.parametrize(
    ("line", "message", "file"),
    [
        ("no device is here", "no device is here", ""),
        ("E1122 10:00:00.000000       1 main.go:198] no device is here", "no device is here", "main.go"),
        ('{"level":"error","caller":"internal/health.go:12","msg":"no device","node":"a b"}', "no device", "health.go"),
        ('time="2026-11-22T10:00:00Z" level=error msg="no device" pod=a/b', "no device", ""),
        ('level=error msg="no device \\"GPU-1\\": gone" error="rpc failed"', 'no device "GPU-1\\": gone rpc failed', ""),
        ("10.0.0.1: user: warning: [2026-11-22T10:00:00Z]: [talos] boot failed", "boot failed", ""),
        (
            '[talos] controller failed {"component": "controller-runtime", "controller": "runtime.KernelModuleSpecController", "error": "no module"}',
            "no module",
            "kernel_module_spec.go",
        ),
        ("[pod/a-b/c] no device is here", "no device is here", ""),
        ("[   18.1] NVRM: GPU0 _kgspBoot: no device", "no device", ""),
        ("10.0.0.5: kern: warning: [2026-11-22T10:00:00Z]: NVRM: GPU 0000:01:00.0: no device", "GPU 0000:01:00.0: no device", ""),
        ("run failed: nvidia-container-cli: device error: no device", "run failed: no device", ""),
        (r'msg="no device\n\nPlug one in."', "no device", ""),
    ],
)
def test_the_message_stands_without_what_the_logger_adds(line, message, file):
    text, named = message_of(line)

    assert words_of(text) == words_of(message)
    assert named == file
