import { readFile } from 'node:fs/promises';
import { LineageError, type RuleViolation, violationsOf } from '../../lambdas/domain/errors.ts';
import type { Acceptance } from '../../lambdas/domain/evidence/accept.ts';
import type { Prepared } from '../../lambdas/domain/evidence/consumed-record.ts';
import type { Envelope } from '../../lambdas/domain/evidence/envelope.ts';
import type { OutgoingRecord } from '../../lambdas/domain/evidence/ports.ts';
import { JsonDocument } from '../../lambdas/domain/json/document.ts';
import { JsonSyntaxError, NONE } from '../../lambdas/domain/json/scanner.ts';
import { acceptBatch } from '../../lambdas/domain/openlineage/accept-batch.ts';
import { prepareEvent } from '../../lambdas/domain/openlineage/prepare-event.ts';
import type { RedactionPolicy } from '../../lambdas/domain/redaction/policy.ts';
import {
  type SubjectPseudonyms,
  subjectPseudonym,
} from '../../lambdas/domain/subjects/pseudonym.ts';
import { acceptExport } from '../../lambdas/domain/traces/accept-export.ts';
import { frameExport } from '../../lambdas/domain/traces/frame-export.ts';
import { prepareTraces } from '../../lambdas/domain/traces/prepare-trace.ts';
import { CliError, ExitCode } from './cli.ts';
import { printable, table } from './table.ts';

/** Public, so that a preview is the same everywhere; a store has a secret one for each epoch. */
export const PREVIEW_KEY = { epoch: 0, secret: Buffer.from('lineage-evidence preview') };

/** A store has a key for each person. */
const PREVIEW_SUBJECTS: SubjectPseudonyms = (identity) =>
  subjectPseudonym(PREVIEW_KEY.secret, identity);

const BYTE_ORDER_MARK = '\uFEFF';

/** Any time that a store takes: nothing of a document depends on it. */
const PREVIEWED_AT_MILLIS = Date.UTC(2026, 0);

const ACCEPTANCE: Acceptance = {
  registration: {
    producerId: 'preview',
    group: 'preview',
    scopes: [],
    retentionClass: 'standard',
    disabled: false,
  },
  epochKey: PREVIEW_KEY,
  acceptedAtMillis: PREVIEWED_AT_MILLIS,
  newDeliveryId: () => '00000000-0000-7000-8000-000000000000',
  maxRecordBytes: 4 * 1024 * 1024,
};

/** Run ids are kept whatever a deployment names them: this is the default. */
const RUN_ID_ATTRIBUTES = ['lineage.run_id'];

/** What would be stored of one event, or of one trace of an export. */
export interface EventPreview
  extends Pick<Envelope, 'kind' | 'redaction' | 'facts' | 'deviations'> {
  readonly file: string;
  readonly traceId?: string;
  /** The stored document, exact to the byte. */
  readonly document: string;
}

/**
 * What would be stored of the events or exports in a file: it goes the way of the deployed functions.
 * @throws CliError usage (2) for what a store would refuse; it names the rule and repeats nothing
 */
export async function previewFile(file: string, policy: RedactionPolicy): Promise<EventPreview[]> {
  const text = await readText(file);
  try {
    const prepared = isExport(text)
      ? prepareExport(text, policy)
      : prepareEvents(file, text, policy);
    if (prepared.length === 0) {
      throw new CliError(ExitCode.usage, `${file}: it holds no span that a store could file.`);
    }
    return prepared.flatMap((item) => previewsOf(file, item));
  } catch (error) {
    throw error instanceof LineageError ? refusal(file, violationsOf(error)) : error;
  }
}

function refusal(what: string, violations: readonly RuleViolation[]): CliError {
  const rules = violations.map(({ path, rule }) => `${rule} at ${path}`).join(', ');
  return new CliError(ExitCode.usage, `${what}: a store would refuse this: ${rules}`);
}

function previewsOf(file: string, prepared: Prepared): EventPreview[] {
  if ('quarantined' in prepared) {
    throw refusal(file, [{ path: '$', rule: prepared.quarantined.reason }]);
  }
  return prepared.envelopes.map(({ kind, traceId, redaction, facts, deviations, document }) => ({
    file,
    kind,
    ...(traceId !== undefined && { traceId }),
    redaction,
    facts,
    deviations,
    document,
  }));
}

/** A table of what was changed, below the document. */
export function renderPreview({ file, kind, document, redaction, facts }: EventPreview): string {
  const { policy, mode, fields } = redaction;
  const rows = fields.map((field) => [field.path, field.rule, field.mode ?? '']);
  return [
    printable(`${file}: ${kind}, policy ${policy}, mode ${mode}, ${fields.length} changes`),
    ...(rows.length > 0 ? ['', table(['path', 'rule', 'mode'], rows)] : []),
    ...(Object.keys(facts).length > 0 ? ['', `facts  ${printable(JSON.stringify(facts))}`] : []),
    '',
    document.split('\n').map(printable).join('\n'),
    '',
  ].join('\n');
}

async function readText(file: string): Promise<string> {
  try {
    const text = await readFile(file, 'utf8');
    // Windows writes one; a store drops it too.
    return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  } catch {
    throw new CliError(ExitCode.usage, `${file} cannot be read.`);
  }
}

function isExport(text: string): boolean {
  try {
    const document = new JsonDocument(text);
    return (
      document.isObject(document.root) && document.get(document.root, 'resourceSpans') !== NONE
    );
  } catch (error) {
    if (error instanceof JsonSyntaxError) return false;
    throw error;
  }
}

function prepareEvents(file: string, text: string, policy: RedactionPolicy): Prepared[] {
  return acceptBatch(text, ACCEPTANCE).map((item) => {
    if ('accepted' in item) {
      return prepareEvent(toConsumed(item.accepted.record), {
        ...{ policy, key: PREVIEW_KEY, subjects: PREVIEW_SUBJECTS },
      });
    }
    throw refusal(`${file}, event ${item.index + 1}`, item.violations);
  });
}

function prepareExport(text: string, policy: RedactionPolicy): Prepared[] {
  const settings = { policy, key: PREVIEW_KEY, subjects: PREVIEW_SUBJECTS };
  return frameExport(acceptExport(text), [], ACCEPTANCE).map((record) =>
    prepareTraces(toConsumed(record), settings, RUN_ID_ATTRIBUTES),
  );
}

function toConsumed({ data }: OutgoingRecord) {
  return {
    position: { shardId: 'preview', sequenceNumber: '0' },
    arrivedAtMillis: PREVIEWED_AT_MILLIS,
    data,
  };
}
