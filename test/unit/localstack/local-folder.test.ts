import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UserError } from '../../../localstack/errors.ts';
import { removeLocal, resetLocal, stopLocal } from '../../../localstack/local-end.ts';
import { checkFolder, claimFolder } from '../../../localstack/local-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'local-folder-'));
const repository = join(root, 'repository');
const sources = join(repository, 'localstack');

beforeAll(() => {
  // Named as what a reset removes.
  mkdirSync(join(sources, 'event-source'), { recursive: true });
  mkdirSync(join(repository, '.local', 'second'), { recursive: true });
  writeFileSync(join(repository, '.local', 'second', 'outputs.json'), '{}');
  writeFileSync(join(sources, 'event-source', 'main.ts'), '');
  symlinkSync(sources, join(repository, '.local', 'link'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('a folder that is not ours', () => {
  it.each([
    ['the repository', repository],
    ['its parent', dirname(repository)],
    ['the sources', sources],
    ['everything', '/'],
    ['a neighbour that only begins like ours', join(repository, '.local-notes')],
    ['a link out of ours', join(repository, '.local', 'link')],
  ])('is refused by name: %s', (_what, folder) => {
    mkdirSync(join(repository, '.local-notes', 'kept'), { recursive: true });
    const sentence = `The folder ${folder} holds files that are not of a local environment: name another one in LOCAL_DIR`;
    expect(() => checkFolder(folder, repository)).toThrow(UserError);
    expect(() => claimFolder(folder, repository)).toThrow(sentence);
  });

  it.each([
    ['stop', stopLocal],
    ['reset', resetLocal],
    ['remove', removeLocal],
  ])('loses nothing to %s', async (_what, end) => {
    await expect(end(sources)).rejects.toThrow('name another one in LOCAL_DIR');
    expect(readdirSync(join(sources, 'event-source'))).toEqual(['main.ts']);
  });
});

describe('a folder of ours', () => {
  it.each(['.local', '.local/second', '.local/new/deep'])('is %s, whatever is in it', (name) => {
    const folder = join(repository, name);
    claimFolder(folder, repository);
    expect(() => claimFolder(folder, repository)).not.toThrow();
  });

  it('is a new or an empty one elsewhere, also when it is full later', () => {
    for (const name of ['new/deep', 'empty']) {
      const folder = join(root, name);
      if (name === 'empty') mkdirSync(folder);
      claimFolder(folder, repository);
      writeFileSync(join(folder, 'emulator.json'), '{}');
      expect(() => checkFolder(folder, repository)).not.toThrow();
    }
  });

  it('is not made by looking at it', () => {
    checkFolder(join(root, 'missing'), repository);
    expect(readdirSync(root)).not.toContain('missing');
  });
});

describe('a folder that cannot be used', () => {
  it.each([
    ['a file', 'file', 'ENOTDIR'],
    ['below a file', 'file/below', 'ENOTDIR'],
    ['too long a name', 'n'.repeat(300), 'ENAMETOOLONG'],
  ])('is named with the reason: %s', (_what, name, code) => {
    writeFileSync(join(root, 'file'), '');
    const folder = join(root, name);
    const sentence = `The folder ${folder} cannot be used (${code}): name another one in LOCAL_DIR.`;
    expect(() => claimFolder(folder, repository)).toThrow(new UserError(sentence));
  });
});
