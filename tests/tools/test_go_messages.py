"""The messages of a source of Go: each form of call, field and constant."""

import subprocess
from pathlib import Path

import pytest

from tools.pins.go_messages import messages


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('return fmt.Errorf("failed to open %s: %w", path, err)', ("failed to open %s: %w", "error")),
        ('var ErrGone = errors.New("device is gone")', ("device is gone", "error")),
        ('return errors.Wrapf(err, "failed to open %s", path)', ("failed to open %s", "error")),
        ('klog.Errorf("Failed to open %v", path)', ("Failed to open %v", "error")),
        ('klog.ErrorS(err, "Failed to open", "path", path)', ("Failed to open", "error")),
        ('logger.Error(err, "failed to open", "path", path)', ("failed to open", "error")),
        ('klog.V(4).InfoS("Waiting for the device", "device", name)', ("Waiting for the device", "info")),
        ('log.G(ctx).WithError(err).Warnf("failed to close %q", id)', ("failed to close %q", "warning")),
        ('slog.Warn("no device", slog.String("path", "a path"))', ("no device", "warning")),
        ('logger.Error("failed to load", zap.Error(err), zap.String("module", "a module"))', ("failed to load", "error")),
        ('log.Fatalf("no device: %v", err)', ("no device: %v", "fatal")),
        (
            'recorder.Eventf(pod, v1.EventTypeWarning, "FailedScheduling", "no node for %v", pod)',
            ("no node for %v", "event"),
        ),
        ('svcrunner.UpdateState(ctx, events.StateWaiting, "Waiting for %s", description)', ("Waiting for %s", "text")),
        ('return PodAdmitResult{Reason: "UnexpectedAdmissionError"}', ("UnexpectedAdmissionError", "status")),
        ('return PodAdmitResult{Message: fmt.Sprintf("no room for %v", pod)}', ("no room for %v", "status")),
        ('func (e e) Error() string { return fmt.Sprintf("Allocate failed due to %v", e.Err) }', ("Allocate failed due to %v", "text")),
        ('const ErrReason = "node(s) had no device"', ("node(s) had no device", "status")),
        ('const ErrReason string = "node(s) had no device"', ("node(s) had no device", "status")),
        ('msg := fmt.Sprintf("Back-off pulling image %q", image)', ("Back-off pulling image %q", "text")),
        ('return p.runtimeError(err, "OCI runtime create failed")', ("OCI runtime create failed", "error")),
        ('return fwk.NewStatus(fwk.Error, fmt.Sprintf("no claim %s", name))', ("no claim %s", "error")),
        ('klog.Errorf(\n\t"failed to open %v",\n\tpath)', ("failed to open %v", "error")),
        ('klog.Error(`device "a" is gone`)', ('device "a" is gone', "error")),
        ('klog.Error("device \\"a\\" is gone")', ('device "a" is gone', "error")),
    ],
)
def test_each_form_is_read_with_its_severity(source, expected):
    assert list(messages(source)) == [expected]


@pytest.mark.parametrize(
    "source",
    [
        'fmt.Println("a text for people")',
        'name := "a name of something"',
        'fmt.Sprintf("a-%s", name)',
        'name := fmt.Sprintf("a-%s", name)',
        'klog.Error(err) // "a comment of words"',
        '/* klog.Error("a comment of words") */',
        'metrics.New("a name of something")',
        'set(`klog.Error("text in a text")`)',
        "klog.Error('\"', err)",
    ],
)
def test_what_is_no_message_is_not_read(source):
    assert list(messages(source)) == []


def test_literals_that_are_added_are_one_message_and_what_is_no_literal_is_a_gap():
    source = 'klog.Error("no device " +\n\t"on " + node(a, b) + " is free", err)'

    assert [said.format for said in messages(source)] == ["no device on %v is free"]


def test_an_error_in_a_message_is_a_message_of_its_own():
    source = 'klog.ErrorS(errors.New("device is gone"), "Failed to start", "pod", "a pod")'

    assert [said.format for said in messages(source)] == ["device is gone", "Failed to start"]


def test_an_event_of_the_newer_recorder_has_its_message_behind_the_action():
    source = 'recorder.Eventf(pod, nil, v1.EventTypeWarning, reason, "Scheduling", "no node for %v", pod)'

    assert list(messages(source)) == [("Scheduling", "event"), ("no node for %v", "event")]


def test_each_call_of_a_file_is_read():
    source = 'package a\nfunc f() error {\n\tif err != nil {\n\t\tklog.Warning("first one")\n\t}\n\treturn fmt.Errorf("second one: %w", err)\n}\n'

    assert list(messages(source)) == [("first one", "warning"), ("second one: %w", "error")]


def test_a_text_that_ends_in_the_middle_is_read_as_far_as_it_goes():
    assert [said.format for said in messages('klog.Error("first one")\nklog.Error("second one" +')] == ["first one", "second one%v"]


MODULE = "github.com/!n!v!i!d!i!a/k8s-device-plugin@v0.19.1/internal/rm/nvml_manager.go"


def test_a_real_file_says_what_a_real_plugin_said():
    try:
        cache = Path(subprocess.run(["go", "env", "GOMODCACHE"], capture_output=True, text=True, check=True).stdout.strip())
    except OSError:
        pytest.skip("go is not here")
    if not (cache / MODULE).exists():
        pytest.skip("the module cache has no k8s-device-plugin 0.19.1")

    assert ("failed to initialize NVML: %v", "error") in list(messages((cache / MODULE).read_text()))
