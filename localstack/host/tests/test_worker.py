"""What a function sees and what its caller gets, for each way an invocation can end."""

import json
import os
import sys
import tempfile
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from evidence_host.worker import ERROR, EXIT, FATAL, READY, RESPONSE, TIMEOUT, Outcome, Worker

# Long enough for a busy machine: what ends earlier is not slowed down by it.
PATIENT_SECONDS = 30
SIX_MEGABYTES = 6 * 1024 * 1024


class WorkerTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def worker(self, source: str, handler: str = "index.handler", **variables: str) -> Worker:
        module = Path(self.folder.name, handler.rsplit(".", 1)[0] + ".mjs")
        module.parent.mkdir(parents=True, exist_ok=True)
        module.write_text(source)
        env = {"PATH": os.environ["PATH"], "_HANDLER": handler, **variables}
        worker = Worker({**env, "LAMBDA_TASK_ROOT": self.folder.name}, self.folder.name)
        self.addCleanup(worker.kill)
        return worker

    def started(self, source: str, **options: str) -> Worker:
        worker = self.worker(source, **options)
        self.assertEqual(worker.start(PATIENT_SECONDS), Outcome(READY))
        return worker

    def invoke(self, worker: Worker, event: object = None, limit: float = PATIENT_SECONDS) -> Outcome:
        invocation = {"invoke-id": "one", "trace-id": "Root=1", "payload": json.dumps(event)}
        return worker.invoke({**invocation, "timeout": limit, "invoked-function-arn": "arn"}, limit)

    def error_of(self, outcome: Outcome) -> tuple[str, str]:
        error = json.loads(outcome.payload)
        return error["errorType"], error["errorMessage"]

    def test_answers_with_what_the_function_returns(self):
        worker = self.started("export const handler = async (event) => ({ got: event });")
        self.assertEqual(self.invoke(worker, {"a": [1, "ü\n"]}).payload.decode(), '{"got":{"a":[1,"ü\\n"]}}')
        self.assertEqual(self.invoke(worker, 2), Outcome(RESPONSE, b'{"got":2}'))

    def test_nothing_returned_is_null(self):
        self.assertEqual(self.invoke(self.started("export const handler = async () => {};")), Outcome(RESPONSE, b"null"))

    def test_a_callback_answers_too(self):
        worker = self.started("export const handler = (event, context, done) => { done(null, event); };")
        self.assertEqual(self.invoke(worker, 1), Outcome(RESPONSE, b"1"))

    def test_a_handler_in_a_folder_and_in_commonjs(self):
        Path(self.folder.name, "package.json").write_text('{"type":"commonjs"}')
        Path(self.folder.name, "dist").mkdir()
        Path(self.folder.name, "dist", "main.js").write_text("exports.handler = async () => 'old';")
        env = {"PATH": os.environ["PATH"], "_HANDLER": "dist/main.handler", "LAMBDA_TASK_ROOT": self.folder.name}
        worker = Worker(env, self.folder.name)
        self.addCleanup(worker.kill)
        self.assertEqual(worker.start(PATIENT_SECONDS), Outcome(READY))
        self.assertEqual(self.invoke(worker), Outcome(RESPONSE, b'"old"'))

    def test_what_is_thrown_is_an_error_and_the_process_goes_on(self):
        worker = self.started("let n = 0; export const handler = async () => { if (n++ === 0) throw new TypeError('no'); return n; };")
        outcome = self.invoke(worker)
        self.assertEqual((outcome.kind, self.error_of(outcome)), (ERROR, ("TypeError", "no")))
        self.assertIn("ERROR\tInvoke Error", worker.logs)
        self.assertEqual(self.invoke(worker), Outcome(RESPONSE, b"2"))

    def test_a_timeout_ends_the_process_and_the_next_start_is_clean(self):
        worker = self.started("let n = 0; export const handler = async () => { if (process.env.HANG) await new Promise((r) => setTimeout(r, 1e6)); return ++n; };", HANG="1")
        self.assertEqual(self.invoke(worker, limit=0.2), Outcome(TIMEOUT))
        self.assertFalse(worker.is_running)
        self.assertEqual(worker.start(PATIENT_SECONDS), Outcome(READY))

    def test_a_function_that_never_yields_times_out(self):
        worker = self.started("export const handler = () => { for (;;); };")
        self.assertEqual(self.invoke(worker, limit=0.2), Outcome(TIMEOUT))
        self.assertFalse(worker.is_running)

    def test_an_exit_is_told_and_an_earlier_answer_is_not_lost(self):
        worker = self.started("export const handler = async () => process.exit(3);")
        self.assertEqual(self.invoke(worker), Outcome(EXIT))
        self.assertFalse(worker.is_running)
        worker = self.started("export const handler = async () => { setTimeout(() => process.exit(0), 50); return 1; };")
        self.assertEqual(self.invoke(worker), Outcome(RESPONSE, b"1"))
        while worker.is_running:
            pass
        self.assertEqual(self.invoke(worker), Outcome(EXIT))

    def test_a_killed_process_is_an_exit(self):
        worker = self.started("export const handler = async () => process.kill(process.pid, 'SIGKILL');")
        self.assertEqual(self.invoke(worker), Outcome(EXIT))

    def test_an_uncaught_error_and_a_rejection_are_named(self):
        worker = self.started("export const handler = () => new Promise(() => { setTimeout(() => { throw new RangeError('late'); }, 1); });")
        outcome = self.invoke(worker)
        self.assertEqual((outcome.kind, self.error_of(outcome)), (FATAL, ("RangeError", "late")))
        worker = self.started("export const handler = () => new Promise(() => { Promise.reject(new Error('lost')); });")
        outcome = self.invoke(worker)
        self.assertEqual((outcome.kind, self.error_of(outcome)), (FATAL, ("Runtime.UnhandledPromiseRejection", "lost")))

    def test_a_module_that_throws_does_not_start(self):
        worker = self.worker("console.log('loading'); throw new Error('broken'); export const handler = 1;")
        outcome = worker.start(PATIENT_SECONDS)
        self.assertEqual((outcome.kind, self.error_of(outcome)), (FATAL, ("Error", "broken")))
        self.assertIn("loading", worker.logs)
        self.assertFalse(worker.is_running)

    def test_a_module_that_exits_hangs_or_is_missing_does_not_start(self):
        self.assertEqual(self.worker("process.exit(0);").start(PATIENT_SECONDS), Outcome(EXIT))
        self.assertEqual(self.worker("await new Promise((r) => setTimeout(r, 1e6));").start(0.5), Outcome(TIMEOUT))
        missing = self.worker("export const other = 1;")
        self.assertEqual(self.error_of(missing.start(PATIENT_SECONDS))[0], "Runtime.HandlerNotFound")
        Path(self.folder.name, "index.mjs").unlink()
        self.assertEqual(self.error_of(missing.start(PATIENT_SECONDS))[0], "Runtime.ImportModuleError")

    def test_six_megabytes_pass_and_more_is_refused(self):
        worker = self.started("export const handler = async (length) => 'x'.repeat(length);")
        self.assertEqual(len(self.invoke(worker, SIX_MEGABYTES).payload), SIX_MEGABYTES + 2)
        outcome = self.invoke(worker, SIX_MEGABYTES + 200)
        self.assertEqual((outcome.kind, self.error_of(outcome)[0]), (ERROR, "Function.ResponseSizeTooLarge"))
        self.assertEqual(self.invoke(worker, 1), Outcome(RESPONSE, b'"x"'))

    def test_environments_run_at_once_and_share_nothing(self):
        source = "let n = 0; export const handler = async (id) => { await new Promise((r) => setTimeout(r, 300)); return [id, ++n, process.pid]; };"
        workers = [self.started(source) for _ in range(4)]
        answers: dict[int, list] = {}
        # Each waits for the others inside: one after the other, the barrier would break.
        meet = threading.Barrier(len(workers), timeout=PATIENT_SECONDS)

        def run(position: int) -> None:
            meet.wait()
            answers[position] = json.loads(self.invoke(workers[position], position).payload)

        threads = [threading.Thread(target=run, args=(position,)) for position in range(len(workers))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([answers[position][:2] for position in range(4)], [[position, 1] for position in range(4)])
        self.assertEqual(len({pid for _, _, pid in answers.values()}), 4)

    def test_a_function_sees_its_own_variables_alone(self):
        os.environ["SECRET_OF_THE_EMULATOR"] = "1"
        self.addCleanup(os.environ.pop, "SECRET_OF_THE_EMULATOR")
        worker = self.started("export const handler = async () => Object.keys(process.env).sort();", TABLE="t")
        seen = json.loads(self.invoke(worker).payload)
        self.assertEqual(seen, ["LAMBDA_TASK_ROOT", "PATH", "TABLE", "_HANDLER", "_X_AMZN_TRACE_ID"])

    def test_the_context_names_the_request_and_the_time_left(self):
        worker = self.started("export const handler = async (event, c) => [c.awsRequestId, c.invokedFunctionArn, c.getRemainingTimeInMillis()];")
        request, arn, left = json.loads(self.invoke(worker).payload)
        self.assertEqual((request, arn), ("one", "arn"))
        self.assertTrue(0 < left <= PATIENT_SECONDS * 1000)

    def test_logs_hold_every_line_in_order_until_the_end(self):
        worker = self.started("export const handler = async () => { console.log('first\\nsecond'); process.stdout.write('raw\\n'); console.error('third'); process.stderr.write(Buffer.from('last\\n')); process.exit(1); };")
        worker.clear_logs()
        self.invoke(worker)
        lines = worker.logs.rstrip("\n").split("\n")
        self.assertEqual([line.split("\t")[-1] for line in lines], ["first\rsecond", "raw", "third", "last"])
        self.assertRegex(lines[0], r"^\d{4}-.*Z\tone\tINFO\t")

    def test_what_node_itself_prints_is_logged(self):
        worker = self.started("import { writeSync } from 'node:fs'; export const handler = async () => { writeSync(2, 'from below\\n'); process.abort(); };")
        self.assertEqual(self.invoke(worker), Outcome(EXIT))
        self.assertIn("from below", worker.logs)

    def test_the_process_ends_with_the_emulator(self):
        worker = self.started("export const handler = async () => process.pid;")
        pid = json.loads(self.invoke(worker).payload)
        # A dead emulator shows as the end of the input.
        worker._process._node.stdin.close()
        worker._process._node.wait(PATIENT_SECONDS)
        self.assertRaises(ProcessLookupError, os.kill, pid, 0)


if __name__ == "__main__":
    unittest.main()
