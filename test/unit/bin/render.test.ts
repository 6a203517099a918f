import { describe, expect, it } from 'vitest';
import { renderRun } from '../../../bin/evidence/render-run.ts';
import { renderTrace } from '../../../bin/evidence/render-trace.ts';
import { printable, table } from '../../../bin/evidence/table.ts';
import { viewRun } from '../../../lambdas/domain/openlineage/run-view.ts';
import { RUN_ID, runEventEntry } from '../../support/builders.ts';

const HOSTILE = '\u001b[2J\u001b]0;title\u0007\r\nfake line\u009b31m';
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not come out
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;

const material = {
  runId: RUN_ID,
  events: [runEventEntry()],
  datasets: [],
  references: [],
  traces: [],
  findings: [],
  holds: [],
  declarations: [],
  heldReferences: new Set<string>(),
  versions: new Map(),
  integrity: {
    status: 'sealed' as const,
    digestKey: 'digests/dt=2026-03-04/2026-03-04T050000Z.json',
    from: 'digest' as const,
  },
};

describe('printable', () => {
  it('moves no cursor and starts no line', () => {
    expect(printable(HOSTILE)).not.toMatch(CONTROL);
    expect(printable(HOSTILE)).not.toContain('\n');
  });

  it('keeps every other text as it is', () => {
    expect(printable('Zürich \u{1F600} 表')).toBe('Zürich \u{1F600} 表');
  });
});

describe('table', () => {
  it('is as wide as its widest cells, without spaces behind', () => {
    expect(
      table(
        ['a', 'long head'],
        [
          ['cell', 'x'],
          ['y', ''],
        ],
      ),
    ).toBe('a     long head\ncell  x\ny');
  });
});

describe('renderRun', () => {
  it('says what happened, where it lies, until when, and what is not known', () => {
    const text = renderRun(viewRun(material));
    expect(text).toContain(`Run ${RUN_ID}: RUNNING`);
    expect(text).toMatch(/s3:\/\/vault\/lineage\/x\.ndjson\.gz\n\s+version v1, line 0/);
    expect(text).toContain('Locked     GOVERNANCE until 2026-04-19T00:00:00.000Z');
    expect(text).toContain('Sealed     by digests/dt=2026-03-04/2026-03-04T050000Z.json\n');
    expect(text).toContain('Not established');
    expect(text).toContain('actorIdentity');
  });

  it('shows a run that is known by reference only', () => {
    const references = [
      { runKey: 'P', runId: 'P', by: 'parent' as const, from: 'child', group: 'g', receiptId: 'r' },
    ];
    const text = renderRun(viewRun({ ...material, runId: 'P', events: [], references }));
    expect(text).toContain('Run P: NOT_HELD');
    expect(text).toContain('parent of child');
  });

  it('lets nothing that a producer wrote steer the terminal', () => {
    const hostile = runEventEntry({
      ...{
        runId: HOSTILE,
        eventType: HOSTILE,
        eventTime: HOSTILE,
        job: { namespace: HOSTILE, name: HOSTILE },
      },
      parent: { runId: HOSTILE },
      tags: {
        'lineage.derivation': HOSTILE,
        'lineage.completeness': HOSTILE,
        'lineage.actor': HOSTILE,
      },
    });
    const row = { runKey: RUN_ID, group: 'group-1', access: 'read' as const, receiptId: 'r' };
    const datasets = [{ ...row, namespace: HOSTILE, name: HOSTILE }];
    const references = [
      { runKey: 'P', runId: 'P', by: 'parent' as const, from: HOSTILE, group: 'g', receiptId: 'r' },
    ];
    const text = renderRun(viewRun({ ...material, events: [hostile], datasets, references }));
    expect(text).not.toMatch(CONTROL);
    expect(text).not.toMatch(/^fake line/m);
  });
});

describe('renderTrace', () => {
  it('lets nothing that a producer wrote steer the terminal', () => {
    const text = renderTrace({
      traceId: 't',
      runs: [{ runId: HOSTILE, held: true, basis: 'mutual' }],
      completeness: { complete: true, missingParentSpanIds: [] },
      deliveries: [{ acceptedAt: 'a', location: { bucket: 'b', key: 'k', versionId: 'v' } }],
      spans: {
        resourceSpans: [
          { scopeSpans: [{ spans: [{ spanId: HOSTILE, parentSpanId: HOSTILE, name: HOSTILE }] }] },
        ],
      },
      qualifications: [{ text: HOSTILE }],
    });
    expect(text).not.toMatch(CONTROL);
    expect(text).toContain('in staging, not locked');
  });
});
