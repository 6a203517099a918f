import { Kind } from '../json/scanner.ts';
import { detect, detectInIdentity, withoutUrlSecrets } from './detectors.ts';
import { EVENT, type EventPlace, placeOf } from './event-place.ts';
import { marker } from './marker.ts';
import type { ValuePolicy } from './whole-value.ts';

/**
 * OpenLineage events until the redaction issue lands: a value on the sensitive list is replaced
 * whole, never in part, because what is not yet understood is not stored.
 */
export const eventPolicy: ValuePolicy<EventPlace> = {
  id: 'event-whole-value/1',
  root: EVENT,
  placeOf,
  // A tag has a key and a value, too, but its key does not say how sensitive the value is.
  placeOfValue: (_keys, above) => placeOf('value', above),
  keyNamesAll: false,

  ruleForPlace({ rule, isFacetHead }, kind) {
    const isHead = isFacetHead && (kind === Kind.string || kind === Kind.literal);
    return isHead ? undefined : rule;
  },

  judgeText({ ruleForText, isIdentity }, text) {
    if (ruleForText !== undefined) return { rule: ruleForText, replacement: marker(ruleForText) };
    const bare = isIdentity ? withoutUrlSecrets(text) : text;
    const detected = isIdentity ? detectInIdentity(bare) : detect(bare);
    if (detected !== undefined) return { rule: detected, replacement: marker(detected) };
    return bare === text ? undefined : { rule: 'url_user_info', replacement: bare };
  },

  replacement: (_place, rule) => JSON.stringify(marker(rule)),
};
