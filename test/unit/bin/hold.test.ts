import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CliError } from '../../../bin/evidence/cli.ts';
import { addHoldCommand } from '../../../bin/evidence/hold.ts';

const fetched = vi.fn<typeof fetch>();
let printed = '';

const HOLD = {
  ...{ runId: 'r', reference: 'case\u001b[2J', reason: 'why', by: 'p', at: '2026-01-01T00:00:00Z' },
  ...{ status: 'active', released: null },
};
const OUTCOME = {
  hold: HOLD,
  status: 'complete',
  missing: [],
  failed: [],
  unsealed: 0,
  pending: 0,
};

async function run(...args: string[]): Promise<string> {
  printed = '';
  const write = (text: string) => {
    printed += text;
  };
  const context = {
    ...{ env: {}, stdout: { write }, stderr: { write } },
  } as unknown as Parameters<typeof addHoldCommand>[1];
  const program = new Command('evidence').option('--url <url>').option('--key <key>');
  program.option('--json').exitOverride().configureOutput({ writeErr: write });
  addHoldCommand(program, context);
  const global = ['--url', 'http://a', '--key', 'k'];
  await program.parseAsync([...global, 'hold', ...args], { from: 'user' });
  return printed;
}

const answer = (body: object, status = 200) =>
  fetched.mockImplementation(async () => new Response(JSON.stringify(body), { status }));

beforeEach(() => {
  fetched.mockReset();
  vi.stubGlobal('fetch', fetched);
  process.exitCode = undefined;
});
afterEach(() => {
  vi.unstubAllGlobals();
  process.exitCode = undefined;
});

describe('evidence hold', () => {
  it('sets a hold and says what it is on', async () => {
    answer({ ...OUTCOME, held: 3, unsealed: 1 });
    const text = await run(
      'set',
      'run 1',
      '--reference',
      'case',
      '--reason',
      'why',
      '--submitter',
      'g',
    );
    const [url, init] = fetched.mock.calls[0] ?? [];
    expect([url, init?.method]).toEqual(['http://a/api/v1/hold?runId=run+1&submitter=g', 'PUT']);
    expect(JSON.parse(init?.body as string)).toEqual({ reference: 'case', reason: 'why' });
    expect(text).toContain('is held under case: 3 versions');
    expect(text).toContain('Reason as stored: why\n');
    expect(text).toContain('1 versions are in no digest yet');
    expect(process.exitCode).toBeUndefined();
  });

  it.each([
    [
      { status: 'partial', failed: [{ key: 'k', versionId: 'v', code: 'access_denied' }] },
      'failed (access_denied)  k version v',
    ],
    [{ status: 'partial', pending: 2 }, '2 versions were not got to'],
    [{ missing: [{ key: 'k', versionId: 'v' }] }, 'missing  k version v'],
  ])('ends with 1 where something is not held: %j', async (outcome, said) => {
    answer({ ...OUTCOME, held: 0, ...outcome });
    expect(await run('set', 'r', '--reference', 'c', '--reason', 'w')).toContain(said);
    expect(process.exitCode).toBe(1);
  });

  it('releases a hold and says what becomes deletable, when, and what is kept', async () => {
    const note = 'the hold was released before for another reason, which stands';
    const deletable = [{ key: 'a', versionId: '1', at: '2027-01-01T00:00:00Z' }];
    const stillHeld = [{ key: 'b', versionId: '2', by: ['other'] }];
    const released = { reason: 'settled', by: 'p', at: '2026-01-02T00:00:00Z' };
    const hold = { ...HOLD, status: 'released', released };
    answer({ ...OUTCOME, hold, unsealed: 1, note, released: 1, deletable, stillHeld });
    const text = await run('release', 'r', '--reference', 'c', '--reason', 'w');
    expect(fetched.mock.calls[0]?.[1]?.method).toBe('DELETE');
    expect(text).toContain('deletable from 2027-01-01T00:00:00Z  a version 1');
    expect(text).toContain('still held by other  b version 2');
    expect(text).toContain('Reason as stored: settled\n');
    expect(text).toContain(`Note: ${note}`);
    expect(text).not.toContain('the daily run holds it');
  });

  it('lists holds, of one run or all, and lets none steer the terminal', async () => {
    answer({ items: [HOLD], cursor: 'next' });
    const text = await run('list', '--run', 'r');
    expect(fetched.mock.calls[0]?.[0]).toBe('http://a/api/v1/holds?runId=r');
    expect(text).not.toContain('\u001b');
    expect(text).toContain('more: --cursor next');
    expect(JSON.parse(await run('list', '--json'))).toMatchObject({ items: [{ runId: 'r' }] });
  });

  it('says which rule a refused request breaks', async () => {
    const errors = [{ path: '$.reason', rule: 'required' }];
    answer({ detail: 'the request breaks a rule; see errors', errors }, 400);
    const refused = run('set', 'r', '--reference', 'c', '--reason', '');
    await expect(refused).rejects.toThrow(CliError);
    await expect(refused).rejects.toMatchObject({
      ...{ exitCode: 2, sentence: expect.stringContaining('$.reason: required') },
    });
  });

  it('wants a reference and a reason', async () => {
    await expect(run('set', 'r', '--reference', 'c')).rejects.toThrow('--reason');
    expect(fetched).not.toHaveBeenCalled();
  });
});
