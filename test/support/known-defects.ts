import { basename } from 'node:path';
import { type RunnerTask, type RunnerTestCase, TestRunner } from 'vitest';

/** A test that fails on an emulator by the emulator's fault. It is run all the same, and fails the suite when it passes. */
export interface KnownDefect {
  /** File in test/local. */
  readonly file: string;
  /** Full name, levels joined by ` > `; or what it begins with, ended by `*`, for tests that differ in their data alone. */
  readonly test: string;
  /** What the emulator does instead of what AWS does. */
  readonly defect: string;
  /** The test that shows the promise elsewhere, relative to test/. */
  readonly instead: string;
}

/** Marks the tests of a file that are known to fail. Returns the entries that no test has the name of. */
export function expectDefects(
  file: { readonly name: string; readonly tasks: readonly RunnerTask[] },
  defects: readonly KnownDefect[],
): readonly KnownDefect[] {
  const own = defects.filter((defect) => defect.file === basename(file.name));
  const met = new Set<KnownDefect>();
  const visit = (tasks: readonly RunnerTask[], path: readonly string[]) => {
    for (const task of tasks) {
      const name = [...path, task.name];
      if (task.type === 'suite') {
        visit(task.tasks, name);
        continue;
      }
      const found = own.find(({ test }) => isNamed(test, name.join(' > ')));
      if (found === undefined) continue;
      met.add(found);
      expectFailure(task);
    }
  };
  visit(file.tasks, []);
  return own.filter((defect) => !met.has(defect));
}

/** A defect that shows as a wait for ever is not waited for: that the test still fails is known well enough by then. */
const PATIENCE_MILLIS = 30_000;

/** Declared with the type of its counterpart. */
const setTestFn = TestRunner.setTestFn as unknown as (
  test: RunnerTestCase,
  run: () => Promise<void>,
) => void;

function expectFailure(test: RunnerTestCase): void {
  test.fails = true;
  test.retry = 0;
  const run = TestRunner.getTestFn(test);
  setTestFn(test, async () => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error('still not passed')), PATIENCE_MILLIS);
    });
    await Promise.race([run(), late]).finally(() => clearTimeout(timer));
  });
}

function isNamed(test: string, name: string): boolean {
  return test.endsWith('*') ? name.startsWith(test.slice(0, -1)) : name === test;
}
