import { Readable, Writable } from 'node:stream';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addRedactCommand } from '../../../bin/evidence/redact.ts';

/** Runs `evidence redact` on some input. */
async function redact(input: string | Iterable<string>, ...args: string[]) {
  const written = { stdout: '', stderr: '' };
  const sink = (name: 'stdout' | 'stderr') =>
    new Writable({
      write(chunk, _encoding, done) {
        written[name] += chunk;
        done();
      },
    });
  const program = new Command('evidence').exitOverride();
  const context = { env: {}, stdout: sink('stdout'), stderr: sink('stderr') };
  addRedactCommand(program, context, Readable.from(typeof input === 'string' ? [input] : input));
  await program.parseAsync(['redact', ...args], { from: 'user' });
  return {
    ...written,
    lines: written.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  };
}

describe('evidence redact', () => {
  it('answers each statement with one line of JSON', async () => {
    const { lines, stderr } = await redact(
      "SELECT a FROM t WHERE b = 'hush' LIMIT 5\n\r\nSET k = hush\n",
      '--dialect',
      'postgres',
    );
    expect(lines).toEqual([
      {
        text: 'SELECT a FROM t WHERE b = ? LIMIT ?',
        mode: 'full',
        rules: ['literal'],
        facts: expect.objectContaining({ verbs: ['SELECT'], limit: { kind: 'constant', rows: 5 } }),
      },
      { text: 'SET k = ?', mode: 'full', rules: ['bare_value'], facts: expect.anything() },
    ]);
    expect(stderr).toBe('');
  });

  it('takes a dialect with each statement', async () => {
    const line = (dialect?: string) => JSON.stringify({ sql: 'SELECT "a"', dialect });
    const { lines } = await redact(
      [line('mysql'), line('postgres'), line()].join('\n'),
      '--ndjson',
    );
    expect(lines.map(({ text }) => text)).toEqual(['SELECT ?', 'SELECT "a"', 'SELECT ?']);
  });

  it('gives the same pseudonym for the same name', async () => {
    const { lines } = await redact('SELECT "a@b" FROM "a@b"', '--dialect', 'postgres');
    expect(lines[0].text).toMatch(/^SELECT ("id_[a-p]{16}") FROM \1$/);
  });

  it.each([
    ['{"sql": "SELECT 1"}\nhush', 'Line 2 is no JSON object with a member sql.'],
    ['"hush"', 'Line 1 is no JSON object with a member sql.'],
    ['{"sql": ["hush"]}', 'Line 1: sql must be a string.'],
    ['{"sql": "SELECT 1", "dialect": {"hush": 1}}', 'Line 1: dialect must be a string.'],
  ])('names the line that it cannot read and repeats nothing of it: %s', async (input, message) => {
    await expect(redact(input, '--ndjson')).rejects.toMatchObject({ exitCode: 2, message });
  });

  it('writes before it has read everything', async () => {
    const seen: number[] = [];
    let written = 0;
    const stdout = new Writable({
      write(chunk, _encoding, done) {
        written += chunk.length;
        done();
      },
    });
    const input = Readable.from(
      (function* () {
        for (let i = 0; i < 3_000; i++) {
          yield `SELECT a FROM t WHERE b = ${i}\n`;
          seen.push(written);
        }
      })(),
    );
    const program = new Command('evidence').exitOverride();
    addRedactCommand(program, { env: {}, stdout, stderr: stdout }, input);
    await program.parseAsync(['redact'], { from: 'user' });
    expect(seen.at(-1)).toBeGreaterThan(0);
    expect(seen.at(-1)).toBeLessThan(written);
  });

  it.each([
    [['--policy', 'p.json'], '--policy'],
    [['--event', 'e.json', '--dialect', 'postgres'], '--dialect'],
    [['--event', 'e.json', '--ndjson'], '--ndjson'],
  ])('refuses options that would change nothing: %j', async (args, named) => {
    await expect(redact('', ...args)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining(named),
    });
  });
});
