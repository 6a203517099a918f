import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { entryPoint } from '../../../lambdas/shared/entry-point.ts';
import { quotingErrors } from './errors.ts';
import { call, FUNCTIONS, type Sabotage } from './functions.ts';

const CANARY = `zq${randomBytes(7).toString('hex')}`;

const FATAL = ['uncaughtException', 'unhandledRejection'] as const;
const listeners = FATAL.map(
  (event) => [event, process.listeners(event as 'uncaughtException')] as const,
);

/** Everything that a port was asked for, and the one call that throws. */
class Saboteur {
  readonly asked = new Set<string>();
  hits = 0;
  readonly #target: string | undefined;
  readonly #thrown: unknown;

  constructor(target?: string, thrown?: unknown) {
    this.#target = target;
    this.#thrown = thrown;
  }

  readonly sabotage: Sabotage = (ports) =>
    Object.fromEntries(
      Object.entries(ports).map(([name, port]) => [name, this.#between(name, port)]),
    ) as typeof ports;

  #between(name: string, port: object): object {
    return new Proxy(port, {
      get: (target, member) => {
        const value = Reflect.get(target, member);
        if (typeof value !== 'function') return value;
        return (...input: unknown[]) => {
          const asked = `${name}.${String(member)}`;
          this.asked.add(asked);
          if (asked !== this.#target) return value.apply(target, input);
          this.hits++;
          throw this.#thrown;
        };
      },
    });
  }
}

/** What a function says to the world: standard output and error, answers, and what the runtime makes of what it throws. */
async function saidBy(name: string, saboteur: Saboteur): Promise<string> {
  const said: string[] = [];
  const write = (text: unknown) => said.push(String(text)) > 0;
  vi.spyOn(process.stdout, 'write').mockImplementation(write);
  vi.spyOn(process.stderr, 'write').mockImplementation(write);
  const output = { logger: new Logger(), metrics: new Metrics() };
  const { handler, events } = await (FUNCTIONS[name] as (typeof FUNCTIONS)[string])(
    saboteur.sabotage,
    output,
  );
  for (const event of events) {
    const answered = await call({ handler: entryPoint(handler) }, event).catch(
      (error: unknown) => error,
    );
    said.push(inspect(answered, { depth: null, showHidden: true }), JSON.stringify(answered));
    if (answered instanceof Error) said.push(String(answered.stack));
  }
  vi.restoreAllMocks();
  return said.join('\n');
}

beforeEach(() => {
  vi.stubEnv('POWERTOOLS_SERVICE_NAME', 'test');
  vi.stubEnv('POWERTOOLS_METRICS_NAMESPACE', 'test');
  // Powertools then writes to the streams, as in Lambda, and not past them.
  vi.stubEnv('POWERTOOLS_DEV', 'false');
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});
afterAll(() => {
  for (const [event, before] of listeners) {
    process.removeAllListeners(event);
    for (const listener of before) process.on(event, listener as () => void);
  }
});

/** Of each adapter to AWS at least one call that fails in these tests. */
const PROVED = [
  ...['archiver.archive', 'directory.list', 'directory.put', 'epochKeys.at', 'epochKeys.byEpoch'],
  ...['index.putDelivery', 'index.runEvents', 'inspector.list', 'limiter.admit', 'probe.ask'],
  ...['publisher.publish', 'reader.read', 'registry.findByKeyId', 'rejections.count'],
  ...['rejections.ofHour', 'staging.putObject', 'stream.readRange', 'vault.putDocument'],
  'vault.putObject',
];

describe('of an error that quotes what it was given', () => {
  const proved = new Set<string>();

  it.each(Object.keys(FUNCTIONS))('%s says nothing but the code', async (name) => {
    const unharmed = new Saboteur();
    expect(await saidBy(name, unharmed)).toContain('"level":"INFO"');
    expect(unharmed.asked.size).toBeGreaterThan(0);
    for (const asked of unharmed.asked) {
      for (const [what, thrown] of Object.entries(quotingErrors(CANARY))) {
        const saboteur = new Saboteur(asked, thrown);
        expect(await saidBy(name, saboteur), `${asked}, an error ${what}`).not.toContain(CANARY);
        expect(saboteur.hits, asked).toBeGreaterThan(0);
      }
      proved.add(asked);
    }
  });

  it('every port was proved', () => {
    expect(PROVED.filter((call) => !proved.has(call))).toEqual([]);
  });

  it('every error quotes the canary', () => {
    for (const error of Object.values(quotingErrors(CANARY))) {
      expect(inspect(error, { depth: null })).toContain(CANARY);
    }
  });
});
