import type { JsonDocument } from '../json/document.ts';
import type { ValueRedactor } from '../redaction/redact-value.ts';
import { readDatasets } from './datasets.ts';
import { type LineageEvent, readEvent } from './event.ts';
import type { Identity } from './identity.ts';

/**
 * What is kept of an accepted event when the redactor could not finish: kind, type, time, identities
 * and facet names, each judged on its own; never a facet's content. An event is never reduced to nothing.
 */
export function skeletonOf(document: JsonDocument, redactor: ValueRedactor): string {
  const safe = new SafeTexts(document, redactor);
  const event = readEvent(document);
  const datasets = readDatasets(document);
  const listed = (access: 'read' | 'write') =>
    datasets
      .filter((dataset) => dataset.access === access)
      .map((dataset) => safe.identity(dataset));
  return JSON.stringify({
    ...(event.eventType !== undefined && { eventType: safe.text(event.eventType) }),
    ...(event.eventTimeUtc !== undefined && { eventTime: event.eventTimeUtc }),
    ...(event.producer !== undefined && { producer: safe.text(event.producer) }),
    schemaURL: `https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/${SCHEMA_NAME[event.kind]}`,
    ...(event.runId !== undefined && {
      run: { runId: safe.text(event.runId), ...safe.facetNames('run') },
    }),
    ...(event.job && { job: { ...safe.identity(event.job), ...safe.facetNames('job') } }),
    ...(event.dataset && {
      dataset: { ...safe.identity(event.dataset), ...safe.facetNames('dataset') },
    }),
    ...(event.kind !== 'dataset' && { inputs: listed('read'), outputs: listed('write') }),
  });
}

const SCHEMA_NAME: Readonly<Record<LineageEvent['kind'], string>> = {
  run: 'RunEvent',
  job: 'JobEvent',
  dataset: 'DatasetEvent',
};

/** Each text as a name that lineage is joined on. */
class SafeTexts {
  private readonly document: JsonDocument;
  private readonly redactor: ValueRedactor;

  constructor(document: JsonDocument, redactor: ValueRedactor) {
    this.document = document;
    this.redactor = redactor;
  }

  text(text: string): string {
    return this.redactor.redact(text, 'identity')?.text ?? text;
  }

  identity({ namespace, name }: Identity): Identity {
    return { namespace: this.text(namespace), name: this.text(name) };
  }

  facetNames(entity: string): { facetNames?: string[] } {
    const facets = this.document.members(this.document.at(this.document.root, entity, 'facets'));
    if (facets.length === 0) return {};
    return { facetNames: facets.map(({ key }) => this.text(this.document.string(key) as string)) };
  }
}
