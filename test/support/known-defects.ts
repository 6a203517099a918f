import { basename } from 'node:path';
import type { RunnerTask } from 'vitest';

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
      task.fails = true;
      task.retry = 0;
    }
  };
  visit(file.tasks, []);
  return own.filter((defect) => !met.has(defect));
}

function isNamed(test: string, name: string): boolean {
  return test.endsWith('*') ? name.startsWith(test.slice(0, -1)) : name === test;
}
