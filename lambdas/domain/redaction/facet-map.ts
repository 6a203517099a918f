import {
  FACET_HEAD,
  INTEGRATION_FACETS,
  KEPT_TAGS,
  type Members,
  STANDARD_FACETS,
} from './facet-table.ts';
import { plainName } from './names.ts';
import { scanText } from './scan-text.ts';
import { isSecretName } from './secret-names.ts';
import type { Treatment } from './treatment.ts';

/** Where a value stands in a facet, as far as the map knows. Items of an array stand where the array does. */
export interface FacetNode {
  /** For this value. `drop` and `pseudonym` apply to everything in it but the members that are listed: {@link treatmentOfAll}. */
  readonly treatment?: Treatment;
  /** For a text here or below that has no treatment of its own. */
  readonly otherwise: Treatment;
  readonly members: ReadonlyMap<string, FacetNode>;
  readonly any?: FacetNode;
  /** Members may repeat themselves at any depth below. */
  readonly isDeep?: boolean;
}

interface MutableNode {
  treatment?: Treatment;
  otherwise: Treatment;
  members: Map<string, MutableNode>;
  any?: MutableNode;
  isDeep?: boolean;
}

function nodeOf(facet: Members, otherwise: Treatment): FacetNode {
  const root: MutableNode = { otherwise, members: new Map() };
  for (const [members, below] of [
    [FACET_HEAD, 'drop'],
    [facet, otherwise],
  ] as const) {
    for (const [treatment, paths] of Object.entries(members)) {
      for (const path of paths.split(' '))
        add(root, path.split('.'), treatment as Treatment, below);
    }
  }
  return root;
}

function add(
  root: MutableNode,
  path: readonly string[],
  treatment: Treatment,
  otherwise: Treatment,
): void {
  let node = root;
  for (const step of path) {
    if (step === '**') {
      node.isDeep = true;
      continue;
    }
    const name = plainName(step);
    const next = (step === '*' ? node.any : node.members.get(name)) ?? {
      otherwise,
      members: new Map(),
    };
    if (step === '*') node.any = next;
    else node.members.set(name, next);
    node = next;
  }
  if (path.at(-1) === '**') node.otherwise = treatment;
  else node.treatment = treatment;
}

/** A facet that nobody knows. */
export const UNKNOWN_FACET: FacetNode = { otherwise: 'scan', members: new Map() };
/** One that is dropped: what it is stays. */
export const DROPPED_FACET: FacetNode = {
  ...nodeOf({}, 'drop'),
  treatment: 'drop',
};

const NODES: ReadonlyMap<string, FacetNode> = new Map([
  ...Object.entries(INTEGRATION_FACETS).map(
    ([name, members]) => [plainName(name), nodeOf(members, 'scan')] as const,
  ),
  ...Object.entries(STANDARD_FACETS).map(
    ([name, members]) => [plainName(name), nodeOf(members, 'drop')] as const,
  ),
]);

/** The place of a facet by its name as sent; undefined for one that no table has. */
export function facetNode(facet: string): FacetNode | undefined {
  return NODES.get(plainName(facet));
}

/** The place of a member, by the place of its object. Names are compared as facets' are. */
export function memberNode(name: string, above: FacetNode): FacetNode {
  const forAll = treatmentOfAll(above);
  if (forAll !== undefined) {
    const found = above.members.get(plainName(name));
    return found ?? { treatment: forAll, otherwise: forAll, members: new Map() };
  }
  const found = above.members.get(plainName(name)) ?? above.any;
  if (found !== undefined) return found;
  return above.isDeep ? above : { otherwise: above.otherwise, members: new Map() };
}

/** What everything that is no text gets: where a statement or an error should stand, nothing else may. */
export function treatmentOfAll({
  treatment,
}: FacetNode): 'drop' | 'pseudonym' | 'subject' | undefined {
  if (treatment === 'pseudonym' || treatment === 'subject') return treatment;
  return treatment !== undefined && TEXTS_ONLY.has(treatment) ? 'drop' : undefined;
}

const TEXTS_ONLY: ReadonlySet<Treatment> = new Set([
  'drop',
  'sql',
  'expression',
  'error',
  'command',
]);

/** What a text at a place gets. */
export function textTreatment(node: FacetNode): Treatment {
  return node.treatment ?? node.otherwise;
}

/** A key that is a name and no text with something in it. */
const PLAIN_KEY = /^[\w .-]{1,64}$/;
/** What a tag of the kept keys may say; anything else is scanned. */
const TAG_VALUE = /^[\w .:/+-]{0,64}$/;

/** Tags that controls and analysts read stay as they are: `lineage.*` and those that classify. */
export function treatmentOfTag(key: string, value: string): Treatment {
  if (PLAIN_KEY.test(key) && isSecretName(key)) return 'drop';
  if (!TAG_VALUE.test(value)) return 'scan';
  if (key.toLowerCase().startsWith('lineage.')) return 'keep';
  return KEPT_TAGS.has(plainName(key)) && scanText(value) === undefined ? 'keep' : 'scan';
}
