const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** JSON path (RFC 9535) of the document itself. */
export const ROOT_PATH = '$';

/** Path of a member: `.name` where the name is a plain identifier, `['na.me']` otherwise. */
export function memberPath(parent: string, name: string): string {
  if (IDENTIFIER.test(name)) return `${parent}.${name}`;
  return `${parent}['${JSON.stringify(name).slice(1, -1).replaceAll("'", "\\'").replaceAll('\\"', '"')}']`;
}

/** Path of an array item. */
export function itemPath(parent: string, index: number): string {
  return `${parent}[${index}]`;
}
