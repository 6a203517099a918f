import { judgeName } from './names.ts';
import type { Place } from './places.ts';
import type { Treatment } from './treatment.ts';

/**
 * Names that say what a text is wherever they stand: a statement or an error is redacted as one even if
 * it does not look like it.
 */
const TREATMENT_BY_NAME: ReadonlyMap<string, Treatment> = new Map(
  Object.entries({
    sql: 'query sql sqltext sqlquery statement querytext rawsql compiledsql viewtext vieworiginaltext viewexpandedtext dbstatement dbquerytext dbquerysummary',
    command: 'command cmd cmdline commandline bashcommand',
    error: 'errormessage exceptionmessage exceptionstacktrace stacktrace traceback',
  }).flatMap(([treatment, names]) =>
    names.split(' ').map((name): [string, Treatment] => [name, treatment as Treatment]),
  ),
);

/** Goes whole, whatever it is. */
export const CREDENTIAL: Partial<Place> = {
  text: 'drop',
  other: 'drop',
  isOpen: false,
  rule: 'credential',
};

/** Whether texts under a name are redacted as something that only the name says. */
export function isTreatedByName(name: string): boolean {
  return TREATMENT_BY_NAME.has(judgeName(name).plain);
}

/** What the name of a member says of its value where nothing else does. */
export function placeByName(name: string): Partial<Place> {
  const { plain, isSecret } = judgeName(name);
  if (isSecret) return CREDENTIAL;
  const text = TREATMENT_BY_NAME.get(plain);
  return text === undefined ? {} : { text };
}
