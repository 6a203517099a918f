import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  attributeTreatment,
  isControlAttribute,
  judgeAttribute,
  stricter,
} from '../../../lambdas/domain/redaction/attribute-map.ts';
import { ATTRIBUTE_NAMES, ATTRIBUTES } from '../../../lambdas/domain/redaction/attribute-table.ts';
import { growthOverFourfold } from '../../support/growth.ts';
import { seeded } from '../../support/seeded.ts';

/** Each name of the table with the treatment that it gives. */
const listed = Object.entries(ATTRIBUTES).flatMap(([namespace, names]) =>
  Object.entries(names).flatMap(([treatment, list]) =>
    list
      .split(' ')
      .map((name) => [name === '.' ? namespace : `${namespace}.${name}`, treatment] as const),
  ),
);
const named = Object.entries(ATTRIBUTE_NAMES).flatMap(([treatment, list]) =>
  list.split(' ').map((name) => [name, treatment] as const),
);
const letters = fc.string({
  unit: fc.constantFrom(...'abcdefghijklmnoqrstuvwxyz'),
  minLength: 1,
  maxLength: 8,
});

/** The same name with other capitals and other punctuation within its parts. */
const respelled = (name: string) =>
  fc.infiniteStream(fc.nat(5)).map((stream) =>
    [...name]
      .map((char) => {
        const how = stream.next().value as number;
        if (char === '_' || char === '-') return ['_', '-', '', ' ', '__', '/'][how];
        return how % 2 === 0 ? char.toUpperCase() : char;
      })
      .join(''),
  );

describe('the attribute map', () => {
  it.each([
    // Statements and what is bound to them.
    ['db.query.text', 'sql'],
    ['db.statement', 'sql'],
    ['db.query.summary', 'sql'],
    ['sql.query', 'sql'],
    ['jdbc.query[0]', 'sql'],
    ['app.sql', 'sql'],
    ['acme.last_query', 'scan'],
    ['db.query.parameter.user_name', 'drop'],
    ['db.query.parameter.0', 'drop'],
    ['db.operation.parameter.id', 'drop'],
    ['jdbc.params[3]', 'drop'],
    ['db.statement.parameters', 'drop'],
    ['db.query.result.document', 'drop'],
    ['db.redis.key', 'drop'],
    ['aws.dynamodb.key_condition_expression', 'drop'],
    ['aws.dynamodb.projection', 'expression'],
    ['graphql.variables.email', 'drop'],
    ['graphql.document', 'drop'],
    ['graphql.operation.name', 'scan'],
    // Names that lineage is joined on.
    ['db.collection.name', 'identity'],
    ['db.namespace', 'identity'],
    ['db.sql.table', 'identity'],
    ['messaging.destination.name', 'identity'],
    ['aws.dynamodb.table_names', 'identity'],
    ['aws.s3.key', 'identity'],
    ['db.system.name', 'scan'],
    ['db.response.status_code', 'scan'],
    // Errors.
    ['exception.message', 'error'],
    ['exception.stacktrace', 'error'],
    ['exception.cause.text', 'error'],
    ['error.message', 'error'],
    ['otel.status_description', 'error'],
    ['detail', 'error'],
    ['lineage.detail', 'error'],
    ['exception.type', 'scan'],
    ['exception.escaped', 'scan'],
    ['error.type', 'scan'],
    ['otel.status_code', 'scan'],
    // The join.
    ['lineage.run_id', 'identity'],
    ['acme.run_id', 'identity'],
    ['openlineage.run.id', 'identity'],
    ['lineage.dropped', 'scan'],
    ['lineage.dropped.note', 'scan'],
    ['lineage.actor_status', 'scan'],
    ['lineage.anything', 'scan'],
    ['lineage.query', 'sql'],
    ['lineage.api_key', 'drop'],
    ['lineage_evidence.exactly', 'scan'],
    ['reason', 'scan'],
    // URLs and HTTP.
    ['url.full', 'request'],
    ['url.path', 'request'],
    ['http.url', 'request'],
    ['http.target', 'request'],
    ['cicd.pipeline.run.url.full', 'request'],
    ['db.connection_string', 'url'],
    ['mcp.resource.uri', 'request'],
    ['url.query', 'drop'],
    ['url.fragment', 'drop'],
    ['http.request.header.authorization', 'drop'],
    ['http.request.header.x-customer', 'drop'],
    ['http.request.header.content-type', 'scan'],
    ['http.request.header.content_type', 'scan'],
    ['http.response.header.set-cookie', 'drop'],
    ['http.request.body.content', 'drop'],
    ['http.request.body.size', 'scan'],
    ['http.request.method', 'scan'],
    ['rpc.grpc.request.metadata.tenant', 'drop'],
    ['rpc.request.header.x', 'drop'],
    ['rpc.message.id', 'scan'],
    ['messaging.message.body', 'drop'],
    ['messaging.message.body.size', 'scan'],
    ['messaging.kafka.message.key', 'drop'],
    ['messaging.message.id', 'scan'],
    // People.
    ['db.user', 'pseudonym'],
    ['enduser.id', 'pseudonym'],
    ['user.email', 'pseudonym'],
    ['acme.user.email', 'pseudonym'],
    ['client.address', 'pseudonym'],
    ['network.peer.address', 'pseudonym'],
    ['session.id', 'pseudonym'],
    ['mcp.session.id', 'pseudonym'],
    ['vendor.session.id', 'pseudonym'],
    ['user.roles', 'scan'],
    ['user_agent.original', 'scan'],
    // Processes.
    ['process.command_args', 'command'],
    ['process.command_line', 'command'],
    ['process.environment_variable.HOME', 'drop'],
    ['process.user.name', 'pseudonym'],
    ['container.command_args', 'command'],
    // Models and tools.
    ['gen_ai.input.messages', 'drop'],
    ['gen_ai.prompt.0.content', 'drop'],
    ['gen_ai.tool.call.arguments', 'drop'],
    ['gen_ai.anything.new', 'drop'],
    ['gen_ai.request.model', 'scan'],
    ['gen_ai.usage.input_tokens', 'scan'],
    ['gen_ai.tool.name', 'scan'],
    ['gen_ai.response.finish_reasons', 'scan'],
    ['mcp.method.name', 'scan'],
    ['mcp.tool.arguments', 'drop'],
    ['llm.input_messages.0.message.content', 'drop'],
    ['llm.token_count.prompt', 'scan'],
    ['ai.prompt.messages', 'drop'],
    ['ai.toolCall.args', 'drop'],
    ['ai.model.id', 'scan'],
    ['input.value', 'drop'],
    ['output.value', 'drop'],
    ['tool.parameters', 'drop'],
    ['retrieval.documents.0.document.content', 'drop'],
    ['traceloop.entity.input', 'drop'],
    ['traceloop.workflow.name', 'scan'],
    ['langfuse.observation.input', 'drop'],
    ['langsmith.metadata.customer', 'drop'],
    ['gcp.vertex.agent.llm_request', 'drop'],
    ['all_messages_events', 'drop'],
    ['app.request.body', 'drop'],
    ['app.params.id', 'drop'],
    // Credentials.
    ['app.db_password_old', 'drop'],
    ['app.client_secret.value', 'drop'],
    ['app.api.key', 'drop'],
    ['x.access.token', 'drop'],
    ['token', 'drop'],
    // The rest.
    ['service.name', 'scan'],
    ['k8s.pod.name', 'scan'],
    ['code.function.name', 'scan'],
    ['deployment.environment.name', 'scan'],
    ['', 'scan'],
  ])('%s: %s', (name, expected) => expect(attributeTreatment(name)).toBe(expected));

  it('lists no name twice', () => {
    const names = listed.map(([name]) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    const words = named.map(([name]) => name);
    expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
  });

  it('reads a listed name however it is spelled, with an index behind it or not', () => {
    const spelled = fc
      .constantFrom(...listed)
      .chain(([name, treatment]) =>
        fc.tuple(respelled(name), fc.constantFrom('', '.0', '[12]'), fc.constant(treatment)),
      );
    fc.assert(
      fc.property(spelled, ([name, index, treatment]) => {
        expect(attributeTreatment(name + index)).toBe(treatment);
      }),
      seeded(3_000),
    );
  });

  it('knows a listed name without its dots', () => {
    for (const [name, treatment] of listed) {
      const found = attributeTreatment(name.replaceAll('.', '_'));
      expect(stricter(found, treatment as typeof found)).toBe(found);
    }
  });

  it('is no milder below a listed name', () => {
    fc.assert(
      fc.property(fc.constantFrom(...listed), letters, ([name, treatment], part) => {
        const below = `${name}.zz${part}`;
        fc.pre(!listed.some(([other]) => other.toLowerCase() === below));
        const found = attributeTreatment(below);
        expect(stricter(found, treatment as typeof found)).toBe(found);
      }),
      seeded(2_000),
    );
  });

  it('knows what a name means in any namespace', () => {
    fc.assert(
      fc.property(letters, fc.constantFrom(...named), (space, [name, treatment]) => {
        expect(attributeTreatment(`zz${space}.${name}`)).toBe(treatment);
      }),
      seeded(1_000),
    );
  });

  it('drops a credential in any namespace, wherever the dots stand', () => {
    const credentials = ['password', 'apikey', 'accesstoken', 'clientsecret', 'privatekey'];
    fc.assert(
      fc.property(
        letters,
        fc.constantFrom(...credentials),
        fc.nat(8),
        fc.constantFrom('.', '_', '-', ''),
        (space, word, at, gap) => {
          const name = `zz${space}.${word.slice(0, at)}${gap}${word.slice(at)}`;
          expect(attributeTreatment(name)).toBe('drop');
        },
      ),
      seeded(1_000),
    );
  });

  it('forgets nothing and learns nothing when it has seen more names than it remembers', () => {
    for (let count = 0; count < 5_000; count++) attributeTreatment(`name.${count}x`);
    expect(attributeTreatment('name.4999x')).toBe('scan');
    expect(attributeTreatment('db.query.text')).toBe('sql');
    expect(attributeTreatment('late.password')).toBe('drop');
  });

  it.each(['.', 'a.', '_', '[1]', 'db.', 'query.'])('takes linear time over %j', (piece) => {
    const growth = growthOverFourfold(50_000, (size) => {
      const name = piece.repeat(size);
      return () => attributeTreatment(name);
    });
    expect(growth).toBeLessThan(10);
  });
});

describe('stricter', () => {
  it('takes the one that leaves less, in any order', () => {
    expect(stricter('keep', 'scan')).toBe('scan');
    expect(stricter('drop', 'sql')).toBe('drop');
    expect(stricter('identity', 'pseudonym')).toBe('pseudonym');
  });
});

describe('judgeAttribute', () => {
  it.each([
    ['service.name', true],
    ['db.query.text', true],
    ['gen_ai.new.member', true],
    ['any.password', true],
    ['acme.sql', true],
    ['acme.note', false],
    ['note', false],
  ])('knows %s: %s', (name, expected) => expect(judgeAttribute(name).isKnown).toBe(expected));

  it('tells a credential from content', () => {
    expect(judgeAttribute('a.api_key')).toMatchObject({ treatment: 'drop', isCredential: true });
    expect(judgeAttribute('gen_ai.prompt')).toMatchObject({
      treatment: 'drop',
      isCredential: false,
    });
  });
});

describe('isControlAttribute', () => {
  it.each([
    ['lineage.run_id', true],
    ['lineage.dropped', true],
    ['LINEAGE.actor', true],
    ['lineage_evidence.x', true],
    ['lineage.detail', false],
    ['lineage.query', false],
    ['lineage.password', false],
    ['exception.type', false],
    ['service.name', false],
    ['my.lineage.x', false],
  ])('%s: %s', (name, expected) => expect(isControlAttribute(name)).toBe(expected));
});
