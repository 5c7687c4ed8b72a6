"""The messages of a source of C: each form of call."""

import pytest

from tools.pins.c_messages import messages


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('error_setx(err, "unknown device");', ("unknown device", "error")),
        ('error_set(err, "file open failed: %s", path);', ("file open failed: %s", "error")),
        ('error_set_nvml(err, ctx->nvml_dl, rv, "nvml error");', ("nvml error", "error")),
        ('log_warnf("missing library %s", name);', ("missing library %s", "warning")),
        ('log_infof("skipping %s", path);', ("skipping %s", "info")),
        ('warnx("initialization error: %s", err.msg);', ("initialization error: %s", "error")),
        ('NV_PRINTF(LEVEL_ERROR, "unexpected state\\n");', ("unexpected state\n", "error")),
        ('NV_PRINTF_EX(NV_PRINTF_MODULE, LEVEL_FATAL, "out of memory");', ("out of memory", "fatal")),
        ('nv_printf(NV_DBG_ERRORS, "NVRM: no memory for %s", name);', ("no memory for %s", "error")),
        ('nv_printf(NV_DBG_ERRORS, "NVRM: %s: invalid context!", __FUNCTION__);', ("invalid context!", "error")),
        ('NV_DEV_PRINTF(NV_DBG_ERRORS, nv, "no interrupt %d", irq);', ("no interrupt %d", "error")),
        (
            'nvErrorLog_va((void *)pGpu, ROBUST_CHANNEL_GPU_HAS_FALLEN_OFF_THE_BUS, "GPU has fallen off");',
            ("GPU has fallen off", "error"),
        ),
        ('nv_printf(NV_DBG_ERRORS,\n  "NVRM: size " NvU64_FMT\n  " is " "wrong", size);', ("size %s is wrong", "error")),
        ('error_setx(err, "the \\"device\\" (%d)", f(a));', ('the "device" (%d)', "error")),
    ],
)
def test_each_form_is_read_with_its_severity(source, expected):
    assert list(messages(source)) == [expected]


@pytest.mark.parametrize(
    "source",
    [
        'NV_PRINTF(LEVEL_INFO, "not printed");',
        'nv_printf(NV_DBG_WARNINGS, "not printed");',
        "int error_setx(struct error *, const char *, ...)",
        'snprintf(text, sizeof(text), "no message");',
        '// error_setx(err, "a comment");',
        '/* error_setx(err, "a comment"); */',
        "log_errf(fmt, value);",
        "NV_PRINTF(",
    ],
)
def test_what_is_not_printed_as_a_message_is_not_read(source):
    assert list(messages(source)) == []


def test_the_first_literal_of_a_call_is_its_message_and_each_call_is_read():
    source = 'if (log_err("first one") < 0) { error_setx(err, "second one: %s", f("a value")); } g("a text");'

    assert [said.format for said in messages(source)] == ["first one", "second one: %s"]
