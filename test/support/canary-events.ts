import {
  FACET_HEAD,
  INTEGRATION_FACETS,
  STANDARD_FACETS,
} from '../../lambdas/domain/redaction/facet-map.ts';
import type { Treatment } from '../../lambdas/domain/redaction/treatment.ts';
import { runEvent } from './events.ts';

type Json = unknown;
type Members = Record<string, Json>;

/** Where a text stands: the facet or the level of a document, and the path as the tables and docs/redaction.md write it. */
export interface CanaryPlace {
  readonly where: string;
  readonly path: string;
  /** By the table; undefined for what no table lists. */
  readonly treatment?: Treatment;
  /** In a value of the attribute that is named: what is below a name may be judged more strictly than it. */
  readonly isNested?: boolean;
}

/** The text for a place; asked once for each time that the place is in a document. */
export type Fill = (place: CanaryPlace) => string;

/** What no table lists, at its level; and the names of members, facets and attributes. */
export const UNLISTED = '(unlisted)';
export const NAMES = '(names)';

/** Members outside of facets: of the event, its run, job and datasets. */
export const EVENT_TEXTS =
  'eventType eventTime producer schemaURL run.runId job.namespace job.name dataset.namespace dataset.name inputs.namespace inputs.name outputs.namespace outputs.name';

/** Tags whose value the controls read, one of each kind. */
const KEPT_TAG_KEYS = ['lineage.note', 'pii', 'data_classification', 'retention'];

/** The facet that names runs above, which have facets of their own. */
interface Parent extends Record<'run' | 'job', Members> {
  readonly root: Parent;
}

interface Branch {
  place?: CanaryPlace;
  readonly below: Map<string, Branch>;
}

/** A facet with a text in every place of its table, and beside it what the table does not list. */
function facet(where: string, members: Readonly<Members>, fill: Fill, isListed: boolean): Json {
  const root: Branch = { below: new Map() };
  for (const [treatment, paths] of Object.entries({ ...FACET_HEAD, ...members })) {
    if (treatment === 'facets') continue;
    for (const path of (paths as string).split(' ')) {
      const isHead = Object.values(FACET_HEAD).some((head) => head.split(' ').includes(path));
      const place = { where: isHead ? '*' : where, path, treatment: treatment as Treatment };
      for (const steps of expanded(path)) plant(root, steps, place);
    }
  }
  // What an integration adds to a member is scanned, unless the whole member goes.
  const unlisted = (above: CanaryPlace | undefined): CanaryPlace =>
    above ?? { where: isListed ? 'standard facets' : 'facets of integrations', path: UNLISTED };
  return written(root, fill, unlisted);
}

/** `**` is any depth: once none where nothing else says what stands there, once one and once two. */
function expanded(path: string): string[][] {
  if (!path.includes('**')) return [path.split('.')];
  return ['inner', 'inner.inner'].map((inner) => path.replace('**', inner).split('.'));
}

function plant(root: Branch, steps: readonly string[], place: CanaryPlace): void {
  let branch = root;
  for (const step of steps) {
    const next = branch.below.get(step) ?? { below: new Map() };
    branch.below.set(step, next);
    branch = next;
  }
  branch.place = place;
}

function written(
  branch: Branch,
  fill: Fill,
  unlisted: (above: CanaryPlace | undefined) => CanaryPlace,
): Json {
  if (branch.below.size === 0) return fill(branch.place as CanaryPlace);
  const isOpen = branch.below.has('*') || [...branch.below.keys()].includes('inner');
  const members = [...branch.below].map(([name, below]): [string, Json] => [
    name === '*' ? fill({ where: 'document', path: NAMES }) : name,
    written(below, fill, unlisted),
  ]);
  return Object.fromEntries(
    isOpen ? members : [...members, ['unlistedMember', fill(unlisted(branch.place))]],
  );
}

/** Every facet that a table has, and some that none has. */
export function everyFacet(fill: Fill): Members {
  const known = [
    ...Object.entries(STANDARD_FACETS).map(([name, members]) => [name, members, true] as const),
    ...Object.entries(INTEGRATION_FACETS).map(([name, members]) => [name, members, false] as const),
  ].map(([name, members, isListed]): [string, Json] => [
    name,
    facet(name, members, fill, isListed),
  ]);
  const facets = Object.fromEntries(known);
  const scanned = () => fill({ where: 'unknown facets', path: UNLISTED });
  return {
    ...facets,
    tags: {
      ...(facets.tags as Members),
      tags: [
        (facets.tags as Members).tags,
        ...KEPT_TAG_KEYS.map((key) => ({
          key,
          value: fill({ where: 'kept tags', path: 'tags.value', treatment: 'keep' }),
        })),
      ],
    },
    acme_unknown: {
      note: scanned(),
      list: [scanned(), [{ deep: scanned() }]],
      json: JSON.stringify({ note: scanned(), list: [scanned()] }),
      [fill({ where: 'document', path: NAMES })]: 1,
      query: fill({ where: 'members by name', path: 'query', treatment: 'sql' }),
      errorMessage: fill({ where: 'members by name', path: 'errorMessage', treatment: 'error' }),
      db_password: [fill({ where: 'members by name', path: 'password', treatment: 'drop' })],
    },
    [fill({ where: 'document', path: NAMES })]: { note: scanned() },
  };
}

/** A run, a job and a dataset event that hold every facet wherever a facet may stand. */
export function canaryEvents(fill: Fill): ReadonlyArray<readonly [kind: string, event: Members]> {
  const text = (path: string) => fill({ where: 'event', path });
  const facets = () => everyFacet(fill);
  const dataset = (role: string, own?: string) => ({
    namespace: text(`${role}.namespace`),
    name: text(`${role}.name`),
    facets: facets(),
    ...(own && { [own]: facets() }),
  });
  const head = () => ({
    eventTime: text('eventTime'),
    producer: text('producer'),
    unlistedMember: fill({ where: 'event', path: UNLISTED }),
  });
  const job = () => ({
    namespace: text('job.namespace'),
    name: text('job.name'),
    facets: facets(),
  });
  const schemaURL = (kind: string) => `${text('schemaURL')}#/$defs/${kind}Event`;
  const sets = () => ({
    inputs: [dataset('inputs', 'inputFacets')],
    outputs: [dataset('outputs', 'outputFacets')],
  });
  const run = () => {
    const own = facets();
    for (const above of [own.parent as Parent, (own.parent as Parent).root]) {
      above.run.facets = facets();
      above.job.facets = facets();
    }
    return { runId: text('run.runId'), facets: own };
  };
  return [
    [
      'run',
      runEvent({
        ...{ ...head(), eventType: text('eventType'), schemaURL: schemaURL('Run') },
        ...{ run: run(), job: job(), ...sets() },
      }),
    ],
    ['job', { ...head(), schemaURL: schemaURL('Job'), job: job(), ...sets() }],
    ['dataset', { ...head(), schemaURL: schemaURL('Dataset'), dataset: dataset('dataset') }],
  ];
}
