import type { RuleViolation } from '../errors.ts';
import { STANDARD_CLASS } from '../evidence/retention.ts';
import { InvalidRegistrationError } from './producer-errors.ts';
import { OUTSIDE, type Registration, SCOPES } from './registration.ts';
import { readRoleArn } from './role-arn.ts';

/** Ids become part of an object key and are shown everywhere: keep them plain. */
const PRODUCER_ID = /^[a-z0-9][a-z0-9-]{0,62}$/;
const GROUP = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
/** The words of design.md (Lineage), or one's own behind `other:`. */
const DERIVATION = /^(?:parsed-intent|resolved-plan|execution-observed|other:[!-~]{1,58})$/;
const COMPLETENESS = /^[a-z0-9][a-z0-9._:-]{0,63}$/;
/** Copied into the rows of two keys, one role and the producer, each of which may hold 400 KB. */
const MAX_NAMESPACES = 100;
/** What an event's namespace may have (design.md, Keys in stores), and room for the `*`. */
const MAX_NAMESPACE_BYTES = 1_025;
const MAX_EVENTS_PER_SECOND = 100_000;
const MINUTES_OF_A_YEAR = 525_600;

type Check = (value: unknown, path: string) => readonly RuleViolation[];
type Shape = Readonly<Record<string, Check>>;
type Fields = Readonly<Record<string, unknown>>;

const broken = (path: string, rule: string): RuleViolation[] => [{ path, rule }];

const text =
  (pattern: RegExp, rule: string): Check =>
  (value, path) =>
    typeof value === 'string' && pattern.test(value) ? [] : broken(path, rule);

const oneOf =
  (values: readonly string[]): Check =>
  (value, path) =>
    values.includes(value as string) ? [] : broken(path, `one_of ${values.join(', ')}`);

const whole =
  (min: number, max: number): Check =>
  (value, path) =>
    Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max
      ? []
      : broken(path, `whole_number_from_${min}_to_${max}`);

const flag: Check = (value, path) => (typeof value === 'boolean' ? [] : broken(path, 'boolean'));

const never: Check = (_value, path) => broken(path, 'never_changes');

/** Names the first bad item only: a list of a thousand mistakes helps nobody. */
const list =
  (max: number, item: Check): Check =>
  (value, path) => {
    if (!Array.isArray(value) || value.length === 0 || value.length > max) {
      return broken(path, `list_of_1_to_${max}`);
    }
    if (new Set(value).size < value.length) return broken(path, 'no_duplicates');
    for (const [i, entry] of value.entries()) {
      const found = item(entry, `${path}[${i}]`);
      if (found.length > 0) return found;
    }
    return [];
  };

const namespace: Check = (value, path) => {
  // Rows hold well-formed text only, and what they hold is what an event is compared with.
  const isText = typeof value === 'string' && value !== '' && value.isWellFormed();
  if (!isText || Buffer.byteLength(value) > MAX_NAMESPACE_BYTES) {
    return broken(path, `text_of_1_to_${MAX_NAMESPACE_BYTES}_bytes`);
  }
  return value.slice(0, -1).includes('*') ? broken(path, 'star_at_the_end_only') : [];
};

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A typo in a security setting must not be ignored, so every unknown member is refused, without its name. */
const object =
  (shape: Shape, required: readonly string[]): Check =>
  (value, path) => {
    if (!isObject(value)) return broken(path, 'object');
    const isUnknown = Object.keys(value).some((name) => !Object.hasOwn(shape, name));
    return [
      ...(isUnknown ? broken(path, 'unknown_field') : []),
      ...Object.entries(shape).flatMap(([name, check]) => {
        if (Object.hasOwn(value, name)) return check(value[name], `${path}.${name}`);
        return required.includes(name) ? broken(`${path}.${name}`, 'required') : [];
      }),
    ];
  };

const everyMember = (shape: Shape) => object(shape, Object.keys(shape));

const FIELDS = {
  producerId: text(PRODUCER_ID, 'lower_case_letters_digits_hyphens_63_at_most'),
  group: text(GROUP, 'letters_digits_dots_underscores_hyphens_63_at_most'),
  scopes: list(SCOPES.length, oneOf(SCOPES)),
  retentionClass: oneOf([STANDARD_CLASS]),
  disabled: flag,
  jobNamespaces: everyMember({ allowed: list(MAX_NAMESPACES, namespace), outside: oneOf(OUTSIDE) }),
  eventsPerSecond: whole(1, MAX_EVENTS_PER_SECOND),
  expectedActivity: everyMember({ everyMinutes: whole(1, MINUTES_OF_A_YEAR) }),
  basis: everyMember({
    derivation: text(DERIVATION, 'parsed-intent_resolved-plan_execution-observed_or_other:text'),
    completeness: text(COMPLETENESS, 'lower_case_letters_digits_and_._:-_64_at_most'),
  }),
  roleArn: (value, path) =>
    typeof value === 'string' && readRoleArn(value) ? [] : broken(path, 'arn_of_an_iam_role'),
} satisfies Record<keyof Registration, Check>;

const DEFAULTED = ['group', 'retentionClass', 'disabled'] as const;
const REQUIRED = ['producerId', 'scopes'] as const;

/** Fields that a change may take away again by `null`. */
export const REMOVABLE: readonly string[] = Object.keys(FIELDS).filter(
  (name) => !([...REQUIRED, ...DEFAULTED] as readonly string[]).includes(name),
);

/** The fields where these retention classes are configured. */
const fieldsWith = (classes: readonly string[]) => ({ ...FIELDS, retentionClass: oneOf(classes) });

/**
 * The registration that a request or a command line asks for: `producerId` and `scopes` are required,
 * `group` is the id, the retention class `standard` and `disabled` false where they are left out.
 * @param classes that the deployment has
 * @throws InvalidRegistrationError that names each field and the rule it breaks
 */
export function checkRegistration(
  input: unknown,
  classes: readonly string[] = [STANDARD_CLASS],
): Registration {
  const violations = object(fieldsWith(classes), REQUIRED)(input, '$');
  if (violations.length > 0) throw new InvalidRegistrationError(violations);
  const given = input as Partial<Registration> & Pick<Registration, 'producerId' | 'scopes'>;
  return {
    group: given.producerId,
    retentionClass: STANDARD_CLASS,
    disabled: false,
    ...given,
  };
}

/**
 * A registration after a merge patch (RFC 7396) of its fields: an object changes the members that it
 * names, a list is replaced, `null` takes an optional field away. The id never changes, `disabled` not this way.
 * @param classes that the deployment has
 * @throws InvalidRegistrationError
 */
export function patchRegistration(
  registration: Registration,
  patch: unknown,
  classes: readonly string[] = [STANDARD_CLASS],
): Registration {
  const { disabled: _disabled, ...fields } = fieldsWith(classes);
  const changeable = { ...fields, producerId: never };
  const orNull = Object.entries(changeable).map(([name, check]): [string, Check] => [
    name,
    (value, path) => (value === null && REMOVABLE.includes(name) ? [] : check(value, path)),
  ]);
  const asked = isObject(patch) ? mergeMembers({ ...registration }, patch) : patch;
  const violations = object(Object.fromEntries(orNull), [])(asked, '$');
  if (violations.length > 0) throw new InvalidRegistrationError(violations);
  const merged = Object.entries({ ...registration, ...(asked as object) });
  return Object.fromEntries(
    merged.filter(([, value]) => value !== null),
  ) as unknown as Registration;
}

/**
 * The fields of a patch as they are to be. A `null` inside an object stays for the check to refuse: each
 * member there is required, and the misspelt name of one must not pass as already gone.
 */
function mergeMembers(current: Fields, patch: Fields): Fields {
  return Object.fromEntries(
    Object.entries(patch).map(([name, value]) => {
      const held = current[name];
      return [name, isObject(value) && isObject(held) ? { ...held, ...value } : value];
    }),
  );
}
