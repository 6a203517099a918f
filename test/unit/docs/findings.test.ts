import { expect, it } from 'vitest';
import { FINDING_KINDS } from '../../../lambdas/domain/audit/findings.ts';
import { readDocument, rowsUnder } from '../../support/markdown.ts';

it('docs/findings.md is the table of the code', () => {
  const documented = rowsUnder(readDocument('docs/findings.md'), 'Findings');
  expect(documented).toEqual(
    Object.entries(FINDING_KINDS).map(([kind, { severity, opens, resolves }]) => [
      kind,
      severity,
      opens,
      resolves,
    ]),
  );
});
