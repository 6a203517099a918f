/** Colons that separate the six parts of an ARN; the last part may hold more of them. */
const ARN_PARTS = 6;

/** `*` = any characters, `?` = any one; the whole text has to match. */
export function matchesWildcards(pattern: string, text: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(text);
}

/** Names of actions are compared without regard to case. */
export function matchesAction(pattern: string, action: string): boolean {
  return matchesWildcards(pattern.toLowerCase(), action.toLowerCase());
}

/**
 * Part by part: a wildcard does not reach over the first five colons.
 * @throws Error for a pattern that is no ARN
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_resource.html
 */
export function matchesArn(pattern: string, arn: string): boolean {
  if (pattern === '*') return true;
  const expected = partsOf(pattern);
  if (expected.length !== ARN_PARTS || expected[0] !== 'arn') {
    throw new Error(`no rule for the pattern ${pattern}`);
  }
  const actual = partsOf(arn);
  return (
    actual.length === ARN_PARTS &&
    expected.every((part, index) => matchesWildcards(part, actual[index] as string))
  );
}

function partsOf(arn: string): string[] {
  const parts = arn.split(':');
  return [...parts.slice(0, ARN_PARTS - 1), ...rest(parts)];
}

const rest = (parts: readonly string[]) =>
  parts.length < ARN_PARTS ? [] : [parts.slice(ARN_PARTS - 1).join(':')];
