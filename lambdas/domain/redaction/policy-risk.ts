import { hasSensitiveBelow, isSensitiveAttribute } from './attribute-map.ts';
import {
  type FacetNode,
  facetNode,
  memberNode,
  textTreatment,
  UNKNOWN_FACET,
} from './facet-map.ts';
import { isTreatedByName } from './member-names.ts';
import type { Rule } from './policy-rule.ts';
import { isSecretName } from './secret-names.ts';

/** Treatments that leave a text as it is, secrets of URLs aside. */
const HARMLESS: ReadonlySet<string> = new Set(['keep', 'identity', 'column']);

/** Whether a rule that keeps a place, or only scans it, stores more of a known place than the built-in rules do. */
export function isRisky(rule: Rule, treatment: 'keep' | 'scan'): boolean {
  if (rule.names.some(isSecretName)) return true;
  if (rule.place === 'attribute') return isRiskyAttribute(rule);
  if (isTreatedByName(rule.names.at(-1) as string)) return true;
  const [facet, ...members] = rule.names as [string, ...string[]];
  if (facet === '*') return true;
  let nodes: readonly FacetNode[] = [facetNode(facet) ?? UNKNOWN_FACET];
  for (const name of members) {
    nodes = nodes.flatMap((node) =>
      name === '*' ? [...node.members.values(), memberNode(name, node)] : [memberNode(name, node)],
    );
  }
  return nodes.some((node) => holdsSensitive(node, treatment));
}

function holdsSensitive(node: FacetNode, treatment: 'keep' | 'scan'): boolean {
  const isScanned = textTreatment(node) === 'scan';
  // A text of a facet that nobody knows is what `keep` is for.
  const isUnknown = isScanned && node.treatment === undefined;
  const isHarmless =
    HARMLESS.has(textTreatment(node)) || isUnknown || (isScanned && treatment === 'scan');
  if (!isHarmless) return true;
  const below = [...node.members.values(), ...(node.any ? [node.any] : [])];
  return below.some((member) => holdsSensitive(member, treatment));
}

function isRiskyAttribute({ names, isPrefix }: Rule): boolean {
  const name = names.join('.');
  return isSensitiveAttribute(name) || (isPrefix && hasSensitiveBelow(name));
}
