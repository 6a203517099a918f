import type { Reporter, TestModule, TestRunEndReason } from 'vitest/node';

/** Closes a run with the one line that scripts read: `N passed, N failed`. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(
    modules: readonly TestModule[],
    errors: readonly unknown[],
    reason: TestRunEndReason,
  ): void {
    const states = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => test.result().state),
    );
    const count = (state: string) => states.filter((found) => found === state).length;
    const brokenModules = modules.filter((module) => module.errors().length > 0).length;
    const failed = count('failed') + brokenModules + errors.length;
    // A run that was interrupted or found nothing must not look like a success.
    const unfinished = failed === 0 && reason === 'failed' ? 1 : 0;
    const skipped = count('skipped');
    const parts = [`${count('passed')} passed`, `${failed + unfinished} failed`];
    process.stdout.write(`\n${parts.join(', ')}${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
  }
}
