"""Drives the OpenTelemetry SDK as a governed tool server does: one span for each run that ended, each exported alone.

Reads the plan from the file named by the first argument; endpoint, key, compression and protocol come from the OTEL_*
variables, as for any user. Prints what the exporter is told as `TOLD <OTLP/JSON>`.
"""

from __future__ import annotations

import base64
import json
import os
import sys

from google.protobuf import json_format
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.trace import SpanKind, Status, StatusCode

ID_FIELDS = ("traceId", "spanId", "parentSpanId")


class PlannedIds(IdGenerator):
    """The ids of the plan, which the run's trace context facet names too."""

    trace_id = 0
    span_id = 0

    def generate_trace_id(self) -> int:
        return self.trace_id

    def generate_span_id(self) -> int:
        return self.span_id


class TellingProcessor(BatchSpanProcessor):
    """Prints each span that is handed over to be exported."""

    def on_end(self, span):
        request = json_format.MessageToDict(encode_spans([span]))
        print("TOLD", json.dumps(with_hex_ids(request)), flush=True)
        super().on_end(span)


def with_hex_ids(value):
    """OTLP/JSON has ids in hex where protobuf's own JSON has base64."""
    if isinstance(value, list):
        return [with_hex_ids(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: base64.b64decode(item).hex() if key in ID_FIELDS else with_hex_ids(item)
        for key, item in value.items()
    }


def emit_span(tracer, run: dict, parent) -> object:
    context = trace.set_span_in_context(parent) if parent else None
    span = tracer.start_span(
        "mcp.execute_sql",
        context=context,
        kind=SpanKind.SERVER,
        start_time=run["startedAtMicros"] * 1000,
        attributes={
            "lineage.run_id": run["runId"],
            "lineage.actor_status": run["actor"],
            "db.system.name": "postgresql",
            "db.query.text": run["sql"],
            # Over 2**53: exact only where nothing parses it into a double.
            "db.response.returned_rows": 9007199254740993,
        },
    )
    if "error" in run:
        error = run["error"]
        attributes = {
            "exception.type": error["type"],
            "exception.message": error["message"],
            "exception.stacktrace": error["stackTrace"],
        }
        span.add_event("exception", attributes, (run["endedAtMicros"] - 900) * 1000)
        span.set_status(Status(StatusCode.ERROR, error["message"]))
    span.end(run["endedAtMicros"] * 1000)
    return span


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        plan = json.load(file)
    ids = PlannedIds()
    resource = Resource.create({"service.name": "mcp-server-ol"})
    provider = TracerProvider(id_generator=ids, resource=resource)
    grpc = os.environ.get("OTEL_EXPORTER_OTLP_PROTOCOL") == "grpc"
    provider.add_span_processor(TellingProcessor(GrpcExporter() if grpc else HttpExporter()))
    tracer = provider.get_tracer("lineage-evidence-workload", "1.0.0")
    spans: dict[str, object] = {}
    for run in plan["runs"]:
        if run["outcome"] == "KILLED":
            continue
        ids.trace_id, ids.span_id = int(run["traceId"], 16), int(run["spanId"], 16)
        spans[run["spanId"]] = emit_span(tracer, run, spans.get(run.get("parentSpanId", "")))
        provider.force_flush()
    provider.shutdown()


if __name__ == "__main__":
    main()
