"""The first process of a namespace of processes: it starts and stops programs for whoever holds its standard input.

A request is a line of JSON: `{"start": NAME, "argv": [...], "env": {...}, "log": FILE}` or `{"stop": NAME}`; the answer
is a line of JSON with the number of the process, or what went wrong. The answer to `{}` has the exit status of each program
that has ended by itself. When standard input ends, so does this process,
and the kernel ends all others of its namespace: a caller that crashed or was killed leaves nothing behind.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
from typing import Any

GRACE = 10.0  # seconds from SIGTERM to SIGKILL


class Supervisor:
    """The programs that run, by name."""

    def __init__(self) -> None:
        self._running: dict[str, int] = {}
        self._ended: dict[str, int] = {}

    def serve(self) -> None:
        """Answer requests until standard input ends."""
        wake, signalled = os.pipe()
        os.set_blocking(signalled, False)
        signal.set_wakeup_fd(signalled)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        pending = b""
        while True:
            ready, _, _ = select.select([0, wake], [], [])
            if wake in ready:
                os.read(wake, 4096)
                self._reap()
            if 0 in ready:
                read = os.read(0, 65536)
                if not read:
                    return
                *lines, pending = (pending + read).split(b"\n")
                for line in lines:
                    answer = self._answer(json.loads(line))
                    os.write(1, json.dumps(answer).encode() + b"\n")

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        try:
            if "start" in request:
                return {"pid": self._start(request["start"], request["argv"], request.get("env", {}), request["log"])}
            return {"pid": self._stop(request["stop"])} if "stop" in request else {"ended": self._ended}
        except OSError as error:
            return {"error": str(error)}

    def _start(self, name: str, argv: list[str], environment: dict[str, str], log: str) -> int:
        if name in self._running:
            raise OSError(f"{name} runs already")
        pid = os.fork()
        if not pid:
            try:
                os.setsid()
                signal.set_wakeup_fd(-1)
                output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
                os.dup2(output, 1)
                os.dup2(output, 2)
                os.closerange(3, 1024)
                os.execve(argv[0], argv, {**os.environ, **environment})  # noqa: S606
            except OSError as error:
                os.write(2, f"{argv[0]}: {error}\n".encode())
            os._exit(127)
        self._running[name] = pid
        self._ended.pop(name, None)
        return pid

    def _stop(self, name: str) -> int:
        pid = self._running.pop(name, 0)
        if not pid:
            raise OSError(f"{name} does not run")
        process = os.pidfd_open(pid)
        os.kill(pid, signal.SIGTERM)
        if not select.select([process], [], [], GRACE)[0]:
            os.kill(pid, signal.SIGKILL)
            select.select([process], [], [])
        os.close(process)
        self._reap()
        return pid

    def _reap(self) -> None:
        try:
            while (ended := os.waitpid(-1, os.WNOHANG))[0] > 0:
                for name in [name for name, pid in self._running.items() if pid == ended[0]]:
                    del self._running[name]
                    self._ended[name] = os.waitstatus_to_exitcode(ended[1])
        except ChildProcessError:
            pass


if __name__ == "__main__":
    sys.stdout.write("{}\n")
    sys.stdout.flush()
    Supervisor().serve()
