import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RunnerTask } from 'vitest';
import { describe, expect, it } from 'vitest';
import { REPOSITORY } from '../../../localstack/paths.ts';
import { KNOWN_DEFECTS, NOT_RUN } from '../../local/known-defects.ts';
import { expectDefects, type KnownDefect } from '../../support/known-defects.ts';

const test = (name: string) => ({ type: 'test', name, retry: 2 }) as unknown as RunnerTask;
const suite = (name: string, ...tasks: RunnerTask[]) =>
  ({ type: 'suite', name, tasks }) as unknown as RunnerTask;
const defect = (name: string, file = 'a.test.ts'): KnownDefect => ({
  ...{ file, test: name, defect: 'it forgets', instead: 'unit/b.test.ts' },
});

describe('expectDefects', () => {
  const tree = () => {
    const [one, two, three] = [test('one'), test('two'), test('row 3')];
    const file = {
      name: 'test/local/a.test.ts',
      tasks: [suite('outer', one, suite('inner', two, three))],
    };
    return {
      file,
      fails: () => [one, two, three].map((task) => (task as { fails?: boolean }).fails),
    };
  };

  it('makes a listed test pass by failing, whatever it is nested in', () => {
    const { file, fails } = tree();
    expect(expectDefects(file, [defect('outer > inner > two')])).toEqual([]);
    expect(fails()).toEqual([undefined, true, undefined]);
  });

  it('takes what begins alike for tests that differ in their data', () => {
    const { file, fails } = tree();
    expectDefects(file, [defect('outer > inner > row *')]);
    expect(fails()).toEqual([undefined, undefined, true]);
  });

  it('names an entry that no test has the name of', () => {
    const { file } = tree();
    const gone = [defect('two'), defect('outer > inner > thr')];
    expect(expectDefects(file, gone)).toEqual(gone);
    expect(expectDefects(file, [defect('two', 'b.test.ts')])).toEqual([]);
  });
});

describe('the list of known defects', () => {
  const entries = Object.values(KNOWN_DEFECTS).flat();

  it.each(entries)('names a stand-in that exists: $file $test', ({ file, instead }) => {
    expect(existsSync(join(REPOSITORY, 'test', instead))).toBe(true);
    expect(existsSync(join(REPOSITORY, 'test/local', file))).toBe(true);
  });

  it('leaves out no file that is not there', () => {
    const files = readdirSync(join(REPOSITORY, 'test/local'));
    const left = Object.values(NOT_RUN).flatMap((out) => Object.keys(out));
    expect(files).toEqual(expect.arrayContaining(left));
  });
});
