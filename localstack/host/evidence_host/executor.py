"""`LAMBDA_RUNTIME_EXECUTOR=process`: functions run as Node processes of this machine instead of Docker containers."""

import json
import os
import shutil

from localstack import config
from localstack.services.lambda_.invocation.executor_endpoint import (
    ShutdownDuringStartup,
    StatusErrorException,
)
from localstack.services.lambda_.invocation.lambda_models import FunctionVersion, InvocationResult
from localstack.services.lambda_.invocation.plugins import RuntimeExecutorPlugin
from localstack.services.lambda_.invocation.runtime_executor import RuntimeExecutor

from evidence_host.worker import EXIT, READY, RESPONSE, TIMEOUT, Outcome, Worker

HOST = "127.0.0.1"


class ProcessExecutorPlugin(RuntimeExecutorPlugin):
    name = "process"

    def load(self, *args, **kwargs):
        return ProcessRuntimeExecutor


class ProcessRuntimeExecutor(RuntimeExecutor):
    """One execution environment; LocalStack starts another one for each concurrent invocation."""

    def __init__(self, id: str, function_version: FunctionVersion) -> None:
        super().__init__(id, function_version)
        self._worker: Worker | None = None
        self._stopped = False

    def start(self, env_vars: dict[str, str]) -> None:
        task_root = str(self.function_version.config.code.get_unzipped_code_location())
        env = {
            # Everything a function sees of this machine.
            "PATH": os.environ["PATH"],
            "HOME": os.environ["TMPDIR"],
            "TMPDIR": os.environ["TMPDIR"],
            "LANG": "en_US.UTF-8",
            # Functions run on the machine's own Node, which the SDK may call old.
            "AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED": "true",
            **{name: str(value) for name, value in env_vars.items()},
            "LAMBDA_TASK_ROOT": task_root,
        }
        self._worker = Worker(env, task_root)
        outcome = self._worker.start(config.LAMBDA_RUNTIME_ENVIRONMENT_TIMEOUT)
        if outcome.kind == READY:
            return
        if self._stopped:
            raise ShutdownDuringStartup("stopped during startup")
        raise StatusErrorException("Environment startup failed", payload=_init_error(outcome))

    def stop(self) -> None:
        self._stopped = True
        if self._worker:
            self._worker.kill()

    def invoke(self, payload: dict[str, str]) -> InvocationResult:
        worker, request_id = self._worker, payload["invoke-id"]
        function = self.function_version
        timeout = function.config.timeout
        worker.clear_logs()
        worker.log(f"START RequestId: {request_id} Version: {function.id.qualifier}\n")
        # After a timeout or a crash the same environment is initialised again.
        if not worker.is_running:
            outcome = worker.start(config.LAMBDA_RUNTIME_ENVIRONMENT_TIMEOUT)
            if outcome.kind != READY:
                return InvocationResult(request_id, _init_error(outcome), True, worker.logs)
        outcome = worker.invoke({**payload, "timeout": timeout}, timeout)
        if outcome.kind == EXIT and self._stopped:
            raise ShutdownDuringStartup("environment stopped")
        body = _payload_of(outcome, request_id, timeout)
        if outcome.kind == TIMEOUT:
            worker.log(f"{request_id} Task timed out after {timeout}.00 seconds\n")
        worker.log(f"END RequestId: {request_id}\n")
        worker.log(f"REPORT RequestId: {request_id}\tMemory Size: {function.config.memory_size} MB\n")
        return InvocationResult(request_id, body, outcome.kind != RESPONSE, worker.logs)

    def get_logs(self) -> str:
        return self._worker.logs if self._worker else ""

    def get_address(self) -> str:
        return HOST

    def get_endpoint_from_executor(self) -> str:
        return HOST

    def get_runtime_endpoint(self) -> str:
        return ""  # nothing calls back over HTTP

    @classmethod
    def prepare_version(cls, function_version: FunctionVersion) -> None:
        if function_version.config.code:
            function_version.config.code.prepare_for_execution()

    @classmethod
    def cleanup_version(cls, function_version: FunctionVersion) -> None:
        pass

    @classmethod
    def validate_environment(cls) -> bool:
        return shutil.which("node") is not None


def _init_error(outcome: Outcome) -> bytes:
    return outcome.payload or _error("Runtime.ExitError", "Error: Runtime exited during init")


def _payload_of(outcome: Outcome, request_id: str, timeout: int) -> bytes:
    """Errors that the function could not name itself, in the words of AWS."""
    if outcome.kind == TIMEOUT:
        return _error(
            "Sandbox.Timedout", f"RequestId: {request_id} Error: Task timed out after {timeout}.00 seconds"
        )
    if outcome.kind == EXIT:
        return _error(
            "Runtime.ExitError", f"RequestId: {request_id} Error: Runtime exited without providing a reason"
        )
    return outcome.payload


def _error(kind: str, message: str) -> bytes:
    return json.dumps({"errorType": kind, "errorMessage": message}).encode()
