"""One execution environment of a function: a Node process that takes invocations on stdin and answers on a pipe of its own.

Knows nothing of LocalStack, so that it can be tested with any Python.
"""

import contextlib
import json
import os
import queue
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

BOOTSTRAP = str(Path(__file__).with_name("bootstrap.mjs"))

# How an invocation, or the start of an environment, can end. The first four are said by the bootstrap.
READY, RESPONSE, ERROR, FATAL = "ready", "response", "error", "fatal"
EXIT, TIMEOUT = "exit", "timeout"

# A killed process is gone at once; its pipes close with it.
DRAIN_SECONDS = 2


@dataclass(frozen=True)
class Outcome:
    """How something ended. `payload` is JSON: the answer, or `{errorType, errorMessage, ...}`; empty when nobody said."""

    kind: str
    payload: bytes = b""


class Worker:
    """Runs invocations one after the other, as an execution environment of Lambda does."""

    def __init__(self, env: Mapping[str, str], task_root: str):
        """`env` is all the function sees: nothing of the emulator's own environment reaches it."""
        self._env = dict(env)
        self._task_root = task_root
        self._logs: list[str] = []
        self._process: _Process | None = None

    def start(self, limit_seconds: float) -> Outcome:
        """Loads the function. Anything but `ready` means that it did not load, and the process is gone."""
        self._process = _Process(self._env, self._task_root, self._logs)
        outcome = self._process.wait(limit_seconds)
        if outcome.kind != READY:
            self.kill()
        return outcome

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.is_running

    def invoke(self, invocation: Mapping[str, object], limit_seconds: float) -> Outcome:
        """Runs one invocation. After a timeout, an exit or an uncaught error the process is gone: start again."""
        process = self._process
        outcome = process.send(invocation, limit_seconds) if process else Outcome(EXIT)
        if outcome.kind not in (RESPONSE, ERROR):
            self.kill()
        return outcome

    def kill(self) -> None:
        process, self._process = self._process, None
        if process:
            process.kill()

    def log(self, line: str) -> None:
        self._logs.append(line)

    def clear_logs(self) -> None:
        self._logs.clear()

    @property
    def logs(self) -> str:
        return "".join(self._logs)


class _Process:
    """One life of the Node process."""

    def __init__(self, env: Mapping[str, str], task_root: str, logs: list[str]):
        self._logs = logs
        self._outcomes: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
        reading, writing = os.pipe()
        try:
            # In the emulator's process group, so that whoever ends the group ends the functions, too.
            self._node = subprocess.Popen(
                ["node", BOOTSTRAP, str(writing)],
                env=env,
                cwd=task_root,
                pass_fds=[writing],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
        except BaseException:
            os.close(reading)
            raise
        finally:
            os.close(writing)
        self._readers = [
            threading.Thread(target=self._read_answers, args=(os.fdopen(reading, "rb"),), daemon=True),
            threading.Thread(target=self._read_output, daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    @property
    def is_running(self) -> bool:
        return self._node.poll() is None

    def send(self, invocation: Mapping[str, object], limit_seconds: float) -> Outcome:
        try:
            self._node.stdin.write(json.dumps(invocation).encode() + b"\n")
            self._node.stdin.flush()
        except OSError:
            return Outcome(EXIT)
        return self.wait(limit_seconds)

    def wait(self, limit_seconds: float) -> Outcome:
        """The next thing that the process says; the last one is `exit`."""
        try:
            return self._outcomes.get(timeout=limit_seconds)
        except queue.Empty:
            return Outcome(TIMEOUT)

    def kill(self) -> None:
        self._node.kill()
        self._node.wait()
        with contextlib.suppress(OSError):  # an invocation that it never read
            self._node.stdin.close()
        # What it said before its end belongs into the log.
        for reader in self._readers:
            reader.join(DRAIN_SECONDS)

    def _read_answers(self, channel) -> None:
        with channel:
            for line in channel:
                kind, _, body = line.rstrip(b"\n").partition(b" ")
                if kind == b"log":
                    self._logs.append(json.loads(body))
                else:
                    self._outcomes.put(Outcome(kind.decode(), body))
        self._outcomes.put(Outcome(EXIT))

    def _read_output(self) -> None:
        """What Node itself prints, for example when it runs out of memory; the function's output comes as answers."""
        with self._node.stdout as output:
            for line in output:
                self._logs.append(line.decode(errors="replace"))
