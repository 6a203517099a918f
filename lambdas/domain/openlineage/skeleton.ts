import type { JsonDocument } from '../json/document.ts';
import { detectInIdentity, withoutUrlSecrets } from '../redaction/detectors.ts';
import { marker } from '../redaction/marker.ts';
import { readDatasets } from './datasets.ts';
import { type Identity, type LineageEvent, readEvent } from './event.ts';

/**
 * What is kept of an accepted event when the redactor could not finish: kind, type, time, identities
 * and facet names, each judged on its own; never a facet's content. An event is never reduced to nothing.
 */
export function skeletonOf(document: JsonDocument): string {
  const event = readEvent(document);
  const datasets = readDatasets(document);
  const listed = (access: 'read' | 'write') =>
    datasets.filter((dataset) => dataset.access === access).map(safeIdentity);
  return JSON.stringify({
    ...(event.eventType !== undefined && { eventType: safeText(event.eventType) }),
    ...(event.eventTimeUtc !== undefined && { eventTime: event.eventTimeUtc }),
    ...(event.producer !== undefined && { producer: safeText(event.producer) }),
    schemaURL: `https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/${SCHEMA_NAME[event.kind]}`,
    ...(event.runId !== undefined && {
      run: { runId: safeText(event.runId), ...facetNames(document, 'run') },
    }),
    ...(event.job && { job: { ...safeIdentity(event.job), ...facetNames(document, 'job') } }),
    ...(event.dataset && {
      dataset: { ...safeIdentity(event.dataset), ...facetNames(document, 'dataset') },
    }),
    ...(event.kind !== 'dataset' && { inputs: listed('read'), outputs: listed('write') }),
  });
}

const SCHEMA_NAME: Readonly<Record<LineageEvent['kind'], string>> = {
  run: 'RunEvent',
  job: 'JobEvent',
  dataset: 'DatasetEvent',
};

function facetNames(document: JsonDocument, entity: string): { facetNames?: string[] } {
  const facets = document.members(document.at(document.root, entity, 'facets'));
  if (facets.length === 0) return {};
  return { facetNames: facets.map(({ key }) => safeText(document.string(key) as string)) };
}

function safeIdentity({ namespace, name }: Identity): Identity {
  return { namespace: safeText(namespace), name: safeText(name) };
}

function safeText(text: string): string {
  const bare = withoutUrlSecrets(text);
  const rule = detectInIdentity(bare);
  return rule === undefined ? bare : marker(rule);
}
