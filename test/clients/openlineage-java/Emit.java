import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.openlineage.client.OpenLineage;
import io.openlineage.client.OpenLineageClient;
import io.openlineage.client.transports.ApiKeyTokenProvider;
import io.openlineage.client.transports.HttpConfig;
import io.openlineage.client.transports.HttpTransport;
import java.io.File;
import java.net.URI;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Drives the OpenLineage client as a governed tool server does: START and a terminal for each run. Reads the
 * plan from the file named by the first argument, URL, key, compression and a further Authorization line from
 * the environment. Prints `NOT SENT <run id> <event type>` for each emit that throws.
 */
public class Emit {
  static final OpenLineage OL =
      new OpenLineage(URI.create("https://github.com/BearingNode/DIO11y-lab/tree/main/mcp-lineage"));
  // START follows the begin of the span, the terminal precedes its end.
  static final long START_DELAY_MICROS = 412;
  static final long END_LEAD_MICROS = 655;

  public static void main(String[] args) throws Exception {
    JsonNode plan = new ObjectMapper().readTree(new File(args[0]));
    List<OpenLineage.RunEvent> events = new ArrayList<>();
    for (JsonNode run : plan.get("runs")) {
      events.add(event(plan, run, "START", run.get("startedAtMicros").asLong() + START_DELAY_MICROS));
      String outcome = run.get("outcome").asText();
      if (!outcome.equals("KILLED")) {
        events.add(event(plan, run, outcome, run.get("endedAtMicros").asLong() - END_LEAD_MICROS));
      }
    }
    events.sort(Comparator.comparing(OpenLineage.RunEvent::getEventTime));
    try (OpenLineageClient client = client()) {
      for (OpenLineage.RunEvent event : events) {
        try {
          client.emit(event);
        } catch (RuntimeException refused) {
          System.out.println("NOT SENT " + event.getRun().getRunId() + " " + event.getEventType());
        }
      }
    }
  }

  static OpenLineageClient client() {
    ApiKeyTokenProvider key = new ApiKeyTokenProvider();
    key.setApiKey(System.getenv("EVIDENCE_KEY"));
    HttpConfig config = new HttpConfig();
    config.setUrl(URI.create(System.getenv("EVIDENCE_URL")));
    config.setAuth(key);
    if ("gzip".equals(System.getenv("EVIDENCE_COMPRESSION"))) {
      config.setCompression(HttpConfig.Compression.GZIP);
    }
    // The client keeps both lines: this one first, the bearer key last.
    String authorization = System.getenv("EVIDENCE_AUTHORIZATION");
    if (authorization != null) config.setHeaders(Map.of("Authorization", authorization));
    return OpenLineageClient.builder().transport(new HttpTransport(config)).build();
  }

  static OpenLineage.RunEvent event(JsonNode plan, JsonNode run, String state, long micros) {
    ZonedDateTime time =
        Instant.ofEpochSecond(micros / 1_000_000, micros % 1_000_000 * 1_000).atZone(ZoneOffset.UTC);
    OpenLineage.JobFacets job =
        OL.newJobFacetsBuilder().sql(OL.newSQLJobFacet(run.get("sql").asText(), "postgres")).build();
    return OL.newRunEventBuilder()
        .eventType(OpenLineage.RunEvent.EventType.valueOf(state))
        .eventTime(time)
        .run(OL.newRun(uuid(run, "runId"), runFacets(run, !state.equals("START"))))
        .job(OL.newJob(plan.get("jobNamespace").asText(), run.get("jobName").asText(), job))
        .inputs(inputs(run.get("inputs")))
        .outputs(outputs(run.get("outputs")))
        .build();
  }

  static OpenLineage.RunFacets runFacets(JsonNode run, boolean terminal) {
    OpenLineage.RunFacet trace = OL.newRunFacet();
    trace.getAdditionalProperties().put("traceId", run.get("traceId").asText());
    trace.getAdditionalProperties().put("spanId", run.get("spanId").asText());
    OpenLineage.RunFacetsBuilder facets =
        OL.newRunFacetsBuilder().put("bearingnode_traceContext", trace);
    if (run.has("parent")) {
      JsonNode parent = run.get("parent").get("run");
      JsonNode root = run.get("parent").get("root");
      facets.parent(
          OL.newParentRunFacet(
              OL.newParentRunFacetRun(uuid(parent, "runId"), null),
              OL.newParentRunFacetJob(text(parent, "namespace"), text(parent, "name"), null),
              OL.newParentRunFacetRoot(
                  OL.newRootRun(uuid(root, "runId"), null),
                  OL.newRootJob(text(root, "namespace"), text(root, "name"), null))));
    }
    if (terminal && run.has("error")) {
      JsonNode error = run.get("error");
      facets.errorMessage(
          OL.newErrorMessageRunFacet(text(error, "message"), "SQL", text(error, "stackTrace")));
    }
    return facets.build();
  }

  static List<OpenLineage.InputDataset> inputs(JsonNode datasets) {
    List<OpenLineage.InputDataset> inputs = new ArrayList<>();
    for (JsonNode dataset : datasets) {
      inputs.add(
          OL.newInputDatasetBuilder()
              .namespace(text(dataset, "namespace"))
              .name(text(dataset, "name"))
              .facets(facets(dataset))
              .build());
    }
    return inputs;
  }

  static List<OpenLineage.OutputDataset> outputs(JsonNode datasets) {
    List<OpenLineage.OutputDataset> outputs = new ArrayList<>();
    for (JsonNode dataset : datasets) {
      outputs.add(
          OL.newOutputDatasetBuilder()
              .namespace(text(dataset, "namespace"))
              .name(text(dataset, "name"))
              .facets(facets(dataset))
              .build());
    }
    return outputs;
  }

  static OpenLineage.DatasetFacets facets(JsonNode dataset) {
    List<OpenLineage.SchemaDatasetFacetFields> fields = new ArrayList<>();
    for (JsonNode field : dataset.path("fields")) {
      fields.add(
          OL.newSchemaDatasetFacetFieldsBuilder()
              .name(text(field, "name"))
              .type(text(field, "type"))
              .build());
    }
    OpenLineage.DatasetFacetsBuilder facets = OL.newDatasetFacetsBuilder();
    if (!fields.isEmpty()) facets.schema(OL.newSchemaDatasetFacet(fields));
    return facets.build();
  }

  static UUID uuid(JsonNode node, String name) {
    return UUID.fromString(text(node, name));
  }

  static String text(JsonNode node, String name) {
    return node.get(name).asText();
  }
}
