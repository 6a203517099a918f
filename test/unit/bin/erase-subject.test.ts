import { Readable, Writable } from 'node:stream';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addEraseSubjectCommand } from '../../../bin/evidence/erase-subject.ts';
import { subjectLookup, subjectPseudonym } from '../../../lambdas/domain/subjects/pseudonym.ts';
import { EPOCH_KEY, NOW, RETENTION } from '../../support/builders.ts';
import { InMemoryVault } from '../../support/fakes/bucket.ts';
import { InMemorySubjectKeys } from '../../support/fakes/keys.ts';

const IDENTITY = 'jane@example.org';

/** Runs `evidence erase-subject` over a table that knows one person. */
async function command() {
  const subjects = new InMemorySubjectKeys();
  const secret = await subjects.secretOf(subjectLookup(EPOCH_KEY, IDENTITY));
  const vault = new InMemoryVault();
  const run = async (input: string, ...args: string[]) => {
    let stdout = '';
    const sink = new Writable({
      write(chunk, _encoding, done) {
        stdout += chunk;
        done();
      },
    });
    const program = new Command('evidence').option('--json').exitOverride();
    const context = { env: {}, stdout: sink, stderr: sink };
    addEraseSubjectCommand(program, context, Readable.from([Buffer.from(input)]), () => ({
      ...{ vault, subjects, retention: RETENTION, clock: () => NOW },
      ...{ epochKeys: async () => [EPOCH_KEY], newErasureId: () => 'erasure-1' },
    }));
    await program.parseAsync(['erase-subject', ...args], { from: 'user' });
    return stdout;
  };
  return { run, subjects, vault, pseudonym: subjectPseudonym(secret as Uint8Array, IDENTITY) };
}

describe('evidence erase-subject', () => {
  it('shows pseudonyms and destroys nothing', async () => {
    const { run, subjects, vault, pseudonym } = await command();
    const before = [...subjects.held];
    expect(await run(`${IDENTITY}\n`, '--show')).toBe(`pseudonym  ${pseudonym}\n`);
    expect([[...subjects.held], vault.versions]).toEqual([before, []]);
  });

  it('erases whoever stands on standard input, with or without a line break', async () => {
    for (const input of [IDENTITY, `${IDENTITY}\n`, `${IDENTITY}\r\n`]) {
      const { run, vault } = await command();
      const out = await run(input, '--reference', 'DSR-1');
      expect(out).toMatch(/erasure erasure-1: keys destroyed 1, reference DSR-1/);
      expect(out).not.toContain(IDENTITY);
      expect(vault.versions.map(({ key }) => key)).toEqual(['erasures/erasure-1.json']);
      expect(await run(input, '--show', '--json')).toBe(
        '{"pseudonyms":[],"erasures":["erasure-1"]}\n',
      );
    }
  });

  it.each([
    ['nothing said', IDENTITY, []],
    ['both said', IDENTITY, ['--show', '--reference', 'x']],
    ['no identity', '\n', ['--show']],
    ['a file by mistake', 'a\nb\n', ['--show']],
    ['too long an identity', 'x'.repeat(1_025), ['--show']],
    ['an empty reference', IDENTITY, ['--reference', ' ']],
    ['too long a reference', IDENTITY, ['--reference', 'x'.repeat(257)]],
    ['a reference that is the identity', 'jane doe', ['--reference', 'jane doe']],
    ['a reference that holds the identity', 'Jane Doe', ['--reference', 'DSR-1 of JANE DOE']],
    ['a reference that names somebody else', IDENTITY, ['--reference', 'for joe@example.org']],
  ])('refuses %s', async (_what, input, args) => {
    const { run, subjects } = await command();
    const before = [...subjects.held];
    const error = await run(input, ...args).catch((thrown) => thrown);
    expect(error).toMatchObject({ exitCode: 2 });
    expect(error.message).not.toMatch(/jane|joe/i);
    expect([...subjects.held]).toEqual(before);
  });

  it('ends with 1 for somebody who was never named', async () => {
    const { run } = await command();
    await expect(run('nobody', '--reference', 'x')).rejects.toMatchObject({ exitCode: 1 });
    await expect(run('nobody', '--show')).rejects.toMatchObject({ exitCode: 1 });
  });
});
