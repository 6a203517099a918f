"""Drives the OpenLineage client as a governed tool server does: START and a terminal for each run.

Reads the plan from the file named by the first argument; URL, key and transport (http or async_http) from the environment.
"""

from __future__ import annotations

import json
import os
import sys
from datetime import datetime, timedelta, timezone

import attr
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import (
    InputDataset,
    Job,
    OutputDataset,
    Run,
    RunEvent,
    RunState,
    set_producer,
)
from openlineage.client.facet_v2 import (
    RunFacet,
    column_lineage_dataset,
    error_message_run,
    parent_run,
    schema_dataset,
    sql_job,
    tags_run,
)

PRODUCER = "https://github.com/BearingNode/DIO11y-lab/tree/main/mcp-lineage"
# The client gives up on one request after this long; the store has to answer within it.
TIMEOUT_SECONDS = 5.0
# START follows the begin of the span, the terminal precedes its end.
START_DELAY_MICROS = 412
END_LEAD_MICROS = 655


@attr.define
class TraceContextRunFacet(RunFacet):
    """The custom facet that names the span of a run."""

    traceId: str = attr.field()
    spanId: str = attr.field()

    @staticmethod
    def _get_schema() -> str:
        return "https://bearingnode.com/schemas/traceContext.json"


def create_client(gzip: bool) -> OpenLineageClient:
    transport = {
        "type": os.environ["EVIDENCE_TRANSPORT"],
        "url": os.environ["EVIDENCE_URL"],
        "auth": {"type": "api_key", "apiKey": os.environ["EVIDENCE_KEY"]},
        "timeout": TIMEOUT_SECONDS,
    }
    if gzip:
        transport["compression"] = "gzip"
    # In a git checkout the client adds the URL of the remote to every job: not for a recording.
    facets = {"source_code_location": {"disabled": True}}
    return OpenLineageClient(config={"transport": transport, "facets": facets})


def run_facets(run: dict, terminal: bool) -> dict:
    declared = {
        "lineage.derivation": "parsed-intent",
        "lineage.completeness": "not-guaranteed",
        "lineage.actor": run["actor"],
    }
    facets = {
        "tags": tags_run.TagsRunFacet(
            tags=[tags_run.TagsRunFacetFields(k, v, "INTEGRATION") for k, v in declared.items()]
        ),
        "bearingnode_traceContext": TraceContextRunFacet(run["traceId"], run["spanId"]),
    }
    if "parent" in run:
        parent, root = run["parent"]["run"], run["parent"]["root"]
        facets["parent"] = parent_run.ParentRunFacet(
            run=parent_run.Run(parent["runId"]),
            job=parent_run.Job(parent["namespace"], parent["name"]),
            root=parent_run.Root(
                run=parent_run.RootRun(root["runId"]),
                job=parent_run.RootJob(root["namespace"], root["name"]),
            ),
        )
    if terminal and "error" in run:
        error = run["error"]
        facets["errorMessage"] = error_message_run.ErrorMessageRunFacet(
            error["message"], "SQL", error["stackTrace"]
        )
    return facets


def dataset_facets(dataset: dict) -> dict:
    facets = {}
    if "fields" in dataset:
        facets["schema"] = schema_dataset.SchemaDatasetFacet(
            [
                schema_dataset.SchemaDatasetFacetFields(field["name"], field["type"])
                for field in dataset["fields"]
            ]
        )
    if "columnLineage" in dataset:
        facets["columnLineage"] = column_lineage_dataset.ColumnLineageDatasetFacet(
            {
                name: column_lineage_dataset.Fields([input_field(source) for source in sources])
                for name, sources in dataset["columnLineage"].items()
            }
        )
    return facets


def input_field(source: dict) -> column_lineage_dataset.InputField:
    transformation = column_lineage_dataset.Transformation(
        source["type"], source["subtype"], "", masking=False
    )
    return column_lineage_dataset.InputField(
        source["namespace"], source["name"], source["field"], [transformation]
    )


def create_event(plan: dict, run: dict, state: RunState, micros: int) -> RunEvent:
    epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
    return RunEvent(
        eventType=state,
        eventTime=(epoch + timedelta(microseconds=micros)).isoformat(),
        producer=PRODUCER,
        run=Run(run["runId"], run_facets(run, state is not RunState.START)),
        job=Job(
            plan["jobNamespace"],
            run["jobName"],
            {"sql": sql_job.SQLJobFacet(run["sql"], "postgres")},
        ),
        # Named: the third position is inputFacets or outputFacets, not facets.
        inputs=[
            InputDataset(dataset["namespace"], dataset["name"], facets=dataset_facets(dataset))
            for dataset in run["inputs"]
        ],
        outputs=[
            OutputDataset(dataset["namespace"], dataset["name"], facets=dataset_facets(dataset))
            for dataset in run["outputs"]
        ],
    )


def planned_events(plan: dict) -> list[tuple[int, bool, RunEvent]]:
    """Time, compression and event of everything that is sent, in the order of time."""
    events = []
    for run in plan["runs"]:
        states = {RunState.START: run["startedAtMicros"] + START_DELAY_MICROS}
        if run["outcome"] != "KILLED":
            states[RunState(run["outcome"])] = run["endedAtMicros"] - END_LEAD_MICROS
        for state, micros in states.items():
            events.append((micros, run["gzip"], create_event(plan, run, state, micros)))
    return sorted(events, key=lambda event: event[0])


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        plan = json.load(file)
    set_producer(PRODUCER)
    clients = {gzip: create_client(gzip) for gzip in (False, True)}
    for _, gzip, event in planned_events(plan):
        clients[gzip].emit(event)
    # Without close() the asynchronous transport sends nothing at all when the process ends.
    for client in clients.values():
        client.close()


if __name__ == "__main__":
    main()
