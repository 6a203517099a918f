import type { Treatment } from './treatment.ts';

/** Names by treatment, each behind its namespace and a dot; `.` is the namespace itself. */
type Names = Readonly<Partial<Record<Treatment, string>>>;

/**
 * Attributes of spans, events, links, resources and scopes, by the first parts of their name: the
 * semantic conventions 1.45 with what they replaced, those for generative AI, and what libraries in
 * use add. What is listed stands for everything below it as well, unless something longer is listed.
 * Headers, prompts, tools and parameters are dropped but for the names that are no content; whatever
 * is not listed here or below is scanned.
 */
export const ATTRIBUTES: Readonly<Record<string, Names>> = {
  // What the join and the controls read.
  lineage: {
    identity: 'run_id',
    scan: 'dropped degraded governed actor actor_status derivation completeness .',
  },
  lineage_evidence: { scan: '.' },
  openlineage: {
    identity: 'run job parent root dataset',
    scan: '.',
  },

  // Databases.
  db: {
    sql: 'query statement sql',
    scan: 'system system.name response.status_code query.id query.name query.type query.kind sql.rows redis.database_index redis.flush_all vector.query.top_k mongodb.version',
    drop: 'query.parameter query.parameters query.params query.result query.embeddings query.plan query.explain query.hash statement.parameters statement.params operation.parameter parameter parameters param params bind binds bindings values row rows result response.body vector mongodb redis elasticsearch.path_parts',
    identity:
      'namespace name instance schema catalog database table collection collection.name sql.table sql.tables stored_procedure.name mongodb.collection cassandra.keyspace cassandra.table cosmosdb.container hbase.namespace vector.table_name vector.query.result.namespace',
    pseudonym: 'user username client.user principal',
    url: 'connection_string connection.string url uri dsn jdbc.url jdbc_url',
    error: 'error',
  },
  sql: {
    sql: '.',
    drop: 'parameters params args arguments bindings values',
    identity: 'table tables',
    scan: 'rows method',
    error: 'error',
  },
  jdbc: { sql: 'query', drop: 'params generated-keys', url: 'url datasource.url' },
  'aws.dynamodb': {
    identity: 'table_names index_name exclusive_start_table attributes_to_get',
    expression: 'projection',
    scan: 'attribute_definitions consistent_read consumed_capacity count global_secondary_indexes global_secondary_index_updates limit local_secondary_indexes provisioned_read_capacity provisioned_write_capacity scan_forward scanned_count segment select table_count total_segments',
    drop: '.',
  },
  'aws.s3': { identity: 'bucket key copy_source', drop: 'delete' },
  aws: {
    url: 'sqs.queue.url queue_url',
    identity: 'kinesis.stream_name secretsmanager.secret.arn sns.topic.arn',
  },
  graphql: { scan: 'operation field', drop: '.' },
  faas: { identity: 'document.collection document.name', scan: 'document.time document.operation' },

  // Errors.
  exception: { scan: 'type escaped', error: '.' },
  error: { scan: 'type code kind id', error: '.' },
  otel: { scan: 'status_code', error: 'status_description status_message' },
  status: { scan: 'code' },
  feature_flag: { error: 'error evaluation.error', drop: 'result.value', pseudonym: 'context.id' },

  // URLs, HTTP, RPC and messages. Values in a query are data, whatever their name.
  url: { request: 'full original path', drop: 'query fragment' },
  http: {
    request: 'url target path referer referrer',
    scan: 'method scheme flavor host route status_code status_text user_agent useragent server_name request.method request.method_original request.size request.resend_count request.body.size response.size response.status_code response.body.size request_content_length request_content_length_uncompressed response_content_length response_content_length_uncompressed',
    drop: 'request response query query_string params cookies',
    pseudonym: 'client_ip',
  },
  'http.request.header': {
    scan: 'accept accept-encoding accept-language cache-control connection content-encoding content-length content-type host traceparent user-agent x-request-id',
    request: 'origin referer',
  },
  'http.response.header': {
    scan: 'age allow cache-control connection content-encoding content-length content-type date etag expires last-modified retry-after server transfer-encoding vary x-request-id x-amzn-requestid x-amz-request-id',
  },
  rpc: {
    scan: 'message.id message.type message.compressed_size message.uncompressed_size request.size response.size response.status_code',
    drop: 'request response message grpc.request grpc.response connect_rpc.request connect_rpc.response',
    error: 'jsonrpc.error_message',
  },
  grpc: { drop: 'metadata request response', error: 'error_message' },
  messaging: {
    identity:
      'destination destination_publish rabbitmq.destination.routing_key rabbitmq.routing_key consumer.group kafka.consumer',
    scan: 'destination_kind destination.anonymous destination.temporary destination.partition message.body.size message.envelope.size',
    drop: 'header headers message.body message.header message.headers message.payload kafka.message.key kafka.message_key gcp_pubsub.message.ordering_key rocketmq.message.keys servicebus.message.session_id',
    url: 'url',
  },
  gcp: { drop: 'pubsub.message.ordering_key' },
  'gcp.vertex.agent': {
    scan: 'invocation_id event_id associated_event_ids',
    pseudonym: 'session_id',
    drop: '.',
  },
  baggage: { drop: '.' },

  // People and their machines. Behind one pseudonym stands one person.
  user: { pseudonym: '.', scan: 'roles' },
  user_agent: { scan: '.' },
  enduser: { pseudonym: '.', scan: 'role scope' },
  session: { pseudonym: '.', scan: 'start end' },
  client: {
    pseudonym: 'address mac.address socket.address',
    drop: 'certificate certificate_chain',
  },
  source: { pseudonym: 'address mac.address' },
  peer: { pseudonym: 'address ipv4 ipv6' },
  net: { pseudonym: 'peer.ip sock.peer.addr' },
  network: { pseudonym: 'peer.address peer.mac.address' },
  tls: {
    pseudonym: 'client.subject client.issuer client.hash client.ja3',
    drop: 'client.certificate client.certificate_chain',
  },
  device: { pseudonym: 'id' },
  geo: { drop: 'location postal_code' },
  file: { pseudonym: 'owner' },

  // Processes.
  process: {
    command: 'command command_args command_line title',
    drop: 'environment_variable',
    pseudonym: 'owner user real_user saved_user',
    scan: 'args_count',
  },
  container: { command: 'command command_args command_line' },
  code: { error: 'stacktrace', drop: 'source' },
  log: { drop: 'record.original body', scan: 'record.uid' },

  // Models, agents and their tools.
  gen_ai: {
    scan: 'operation.name system provider.name agent.id agent.name agent.version conversation.id data_source.id embeddings.dimension evaluation.name evaluation.score guardrail.name guardrail.status guardrail.duration guardrail.guard_count guardrail.failed_guard_count memory.record.count memory.record.id memory.store.id openai.request.seed openai.request.service_tier openai.response output.type prompt.name prompt.version request.choice.count request.encoding_formats request.frequency_penalty request.is_stream request.max_tokens request.model request.presence_penalty request.seed request.service_tier request.stream request.temperature request.thinking request.thinking_type request.top_k request.top_p request.type response.finish_reason response.finish_reasons response.id response.model response.service_tier response.time_to_first_chunk server token tool.name tool.type tool.call.id usage workflow.name client.token client.operation',
    drop: '.',
  },
  openai: { scan: 'api request response' },
  mcp: {
    scan: 'method.name protocol.version request.id server.name server.version server.title client.name client.version transport tool.name prompt.name',
    request: 'resource.uri',
    pseudonym: 'session.id',
    drop: '.',
  },
  llm: {
    scan: 'system provider vendor model model_name request.type request.model request.model_name response.model response.model_name response.finish_reason finish_reason token_count token_count.prompt token_count.completion usage cost cost.prompt cost.completion cost.prompt_details.input cost.completion_details.output temperature top_k top_p frequency_penalty presence_penalty is_streaming prompt_template.version',
    drop: '.',
  },
  ai: {
    scan: 'operationId telemetry.functionId model.id model.provider usage settings.maxTokens settings.maxOutputTokens settings.maxRetries settings.temperature settings.topP settings.topK settings.presencePenalty settings.frequencyPenalty settings.seed settings.mode response.id response.model response.finishReason response.timestamp response.msToFirstChunk response.msToFinish response.avgCompletionTokensPerSecond toolCall.id toolCall.name values',
    drop: '.',
  },
  tool: { scan: 'id name version', drop: '.' },
  tool_call: { scan: 'id function.name', drop: '.' },
  message: {
    scan: 'id type role compressed_size uncompressed_size',
    error: '.',
    drop: 'content contents message_content tool_calls function_call_arguments_json',
  },
  input: { scan: 'mime_type', drop: '.' },
  output: { scan: 'mime_type', drop: '.' },
  prompt: { scan: 'id name version vendor', url: 'url', drop: '.' },
  document: { scan: 'id score', drop: '.' },
  embedding: { scan: 'model_name', drop: '.' },
  retrieval: { drop: '.' },
  reranker: { scan: 'model_name top_k', drop: '.' },
  traceloop: {
    scan: 'workflow.name entity.name entity.path entity.version span.kind prompt.key prompt.version',
    drop: '.',
  },
  openinference: { scan: 'span.kind project.name', drop: '.' },
  langfuse: {
    scan: 'environment release version internal trace.name trace.public observation.type observation.level observation.model.name observation.usage_details observation.cost_details observation.prompt.name observation.prompt.version',
    pseudonym: 'user.id session.id',
    error: 'observation.status_message',
    drop: '.',
  },
  langsmith: {
    scan: 'span.kind span.id span.parent_id span.dotted_order trace.id trace.name trace.session_name',
    pseudonym: 'trace.session_id',
    drop: '.',
  },
  mlflow: {
    scan: 'spanType spanFunctionName traceRequestId experimentId chat.tokenUsage llm.model llm.provider',
    drop: '.',
  },
  logfire: { error: 'msg' },
};

/**
 * What a name means in any namespace, by its last part or its last two: `app.sql`, `acme.user.email`.
 * What is dropped is so with everything below it. Compared in lower case without punctuation.
 */
export const ATTRIBUTE_NAMES: Names = {
  sql: 'query sql sqltext sqlquery statement querytext viewtext vieworiginaltext viewexpandedtext rawsql rawcode compiledsql compiledcode dbstatement dbquery',
  expression:
    'transformationdescription filterdescription inputcondition outputcondition condition predicate incrementalpredicates',
  error:
    'message errormessage errormsg msg statusmessage statusdescription stack stacktrace traceback exception error errordetail errordescription exceptionmessage exceptionstacktrace detail details hint cause',
  command: 'command commandline commandargs cmd cmdline bashcommand',
  request: 'url uri urlfull href referer referrer endpoint',
  url: 'dsn jdbcurl connectionurl connectionuri databaseurl',
  identity: 'runid parentrunid rootrunid',
  pseudonym:
    'owner user username installationid useremail email emailaddress userid runasuser dbuser enduserid actor clientip sessionid fullname firstname lastname phone phonenumber',
  drop: 'sourcecode script pythoncallable env environ environmentvariable environmentvariables environmentproperties plan queryplan logicalplan physicalplan optimizedplan explain conf runconf param params parameter parameters arg args kwargs argument arguments opargs opkwargs templatesdict executorconfig properties batchkwargs batchspec binds bindings variables header headers body payload requestbody responsebody formdata querystring credential credentials secret secrets cookie cookies input inputs output outputs prompt prompts completion completions messages allmessages allmessagesevents chathistory toolarguments toolresponse tooldefinitions modelrequestparameters finalresult',
};

/** Namespaces of the semantic conventions whose other attributes name machines, versions and settings. */
export const KNOWN_NAMESPACES =
  'android aspnetcore aws az azure cassandra cicd cloud cloudevents cloudfoundry code container cpu cpython db deployment disk dns dotnet elasticsearch faas gcp go heroku host http hw ios jsonrpc jvm k8s linux mainframe messaging net network nfs nodejs oci onc_rpc opentracing oracle oracle_cloud os otel peer process rabbitmq rocketmq rpc server service signalr system telemetry thread tls url v8js vcs webengine webjs zos';
