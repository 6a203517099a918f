import type { RunEventEntry } from '../../../lambdas/domain/evidence/index-entries.ts';
import { type RunMaterial, viewRun } from '../../../lambdas/domain/openlineage/run-view.ts';
import { RUN_ID, runEventEntry } from '../../support/builders.ts';

const material = (overrides: Partial<RunMaterial> = {}): RunMaterial => ({
  runId: RUN_ID,
  events: [],
  datasets: [],
  references: [],
  traces: [],
  findings: [],
  holds: [],
  declarations: [],
  heldReferences: new Set(),
  versions: new Map(),
  integrity: { status: 'pending', digestKey: null, from: 'digest' },
  ...overrides,
});

/** An event of the run with bytes of its own. */
export const event = (eventType: string, overrides: Partial<RunEventEntry> = {}) =>
  runEventEntry({ eventType, receiptId: `r-${eventType}`, receivedHmac: eventType, ...overrides });

// biome-ignore lint/suspicious/noExplicitAny: held and unheld runs have different members
export const view = (overrides: Partial<RunMaterial>): any => viewRun(material(overrides));
export const codes = (overrides: Partial<RunMaterial>): string[] =>
  view(overrides).qualifications.map(({ code }: { code: string }) => code);
