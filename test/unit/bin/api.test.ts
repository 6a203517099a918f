import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readApi } from '../../../bin/evidence/api.ts';
import {
  CliError,
  ExitCode,
  exitCodeOf,
  type GlobalOptions,
  sentenceOf,
} from '../../../bin/evidence/cli.ts';

let localDir: string;
const fetched = vi.fn<typeof fetch>();
const read = (options: GlobalOptions = {}, env: NodeJS.ProcessEnv = {}) =>
  readApi('/api/v1/run?runId=r', options, {
    env: { LOCAL_DIR: localDir, ...env },
    stdout: process.stdout,
    stderr: process.stderr,
  });
const failure = (...args: Parameters<typeof read>) =>
  read(...args).then(
    () => expect.unreachable(),
    (error: unknown) => [exitCodeOf(error), sentenceOf(error)] as const,
  );
const asked = () => {
  const [url, init] = fetched.mock.calls[0] ?? [];
  return [url, new Headers(init?.headers).get('authorization')];
};

beforeEach(() => {
  localDir = mkdtempSync(join(tmpdir(), 'evidence-'));
  fetched.mockReset().mockImplementation(async () => new Response('{"n":9007199254740993}'));
  vi.stubGlobal('fetch', fetched);
});

afterEach(() => {
  vi.unstubAllGlobals();
  rmSync(localDir, { recursive: true });
});

const record = (file: string, apiUrl: string) =>
  writeFileSync(join(localDir, file), JSON.stringify({ apiUrl, keys: { read: 'local-key' } }));

describe('readApi', () => {
  it('gives the answer as text, so that no number is rounded', async () => {
    expect(await read({ url: 'http://a', key: 'k' })).toBe('{"n":9007199254740993}');
  });

  it('takes options before the environment, and the environment before what npm start wrote', async () => {
    record('environment.json', 'http://local');
    const env = { EVIDENCE_URL: 'http://env', EVIDENCE_KEY: 'env-key' };
    await read({ url: 'http://option/', key: 'option-key' }, env);
    expect(asked()).toEqual(['http://option/api/v1/run?runId=r', 'Bearer option-key']);
    fetched.mockClear();
    await read({}, env);
    expect(asked()).toEqual(['http://env/api/v1/run?runId=r', 'Bearer env-key']);
    fetched.mockClear();
    await read();
    expect(asked()).toEqual(['http://local/api/v1/run?runId=r', 'Bearer local-key']);
  });

  it('never sends the local key to another store', async () => {
    record('environment.json', 'http://local');
    expect((await failure({ url: 'http://elsewhere' }))[0]).toBe(ExitCode.usage);
    expect((await failure({}, { EVIDENCE_URL: 'http://elsewhere' }))[0]).toBe(ExitCode.usage);
    expect(fetched).not.toHaveBeenCalled();
  });

  it('finds a stage that was deployed', async () => {
    record('trial.json', 'http://trial');
    await read({ stage: 'trial' });
    expect(asked()[0]).toBe('http://trial/api/v1/run?runId=r');
  });

  it.each(['store.example', 'ftp://store.example', 'http://'])(
    'takes no request to %s, which is no address of a store',
    async (url) => {
      const [exitCode, sentence] = await failure({ url, key: 'k' });
      expect([exitCode, sentence]).toEqual([ExitCode.usage, expect.stringMatching(/http:\/\//)]);
      expect(fetched).not.toHaveBeenCalled();
    },
  );

  it('says what to do when no store is named', async () => {
    expect(await failure()).toEqual([ExitCode.usage, expect.stringMatching(/--url.*npm start/)]);
  });

  it.each([
    [404, ExitCode.finding],
    [400, ExitCode.usage],
    [409, ExitCode.usage],
    [401, ExitCode.cannotLook],
    [403, ExitCode.cannotLook],
    [503, ExitCode.cannotLook],
    [500, ExitCode.cannotLook],
  ])('turns %i into exit code %i and the sentence of the store', async (status, code) => {
    fetched.mockImplementation(async () => new Response('{"detail":"do this"}', { status }));
    expect(await failure({ url: 'http://a', key: 'k' })).toEqual([code, `${status}: do this`]);
  });

  it.each(['<html>', '', 'null'])(
    'is not confused by the answer %j of something else',
    async (body) => {
      fetched.mockImplementation(async () => new Response(body, { status: 502 }));
      expect(await failure({ url: 'http://a', key: 'k' })).toEqual([
        ExitCode.cannotLook,
        expect.stringMatching(/not from this store/),
      ]);
    },
  );

  it('says so when nothing answers, and shows no key', async () => {
    fetched.mockRejectedValue(new TypeError('fetch failed'));
    const [code, sentence] = await failure({ url: 'http://a', key: 'secret-key' });
    expect(code).toBe(ExitCode.cannotLook);
    expect(sentence).toMatch(/http:\/\/a does not answer/);
    expect(sentence).not.toContain('secret-key');
  });
});

describe('an unforeseen error', () => {
  it('is "cannot look" and shows nothing but its name', () => {
    const error = Object.assign(new RangeError('canary-7f3e9d01'), { code: 'canary-7f3e9d01' });
    expect(exitCodeOf(error)).toBe(ExitCode.cannotLook);
    expect(sentenceOf(error)).not.toContain('canary');
    expect(exitCodeOf(new CliError(ExitCode.usage, 'x'))).toBe(2);
  });
});
