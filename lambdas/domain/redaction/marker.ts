const HEAD = '[redacted:';
/** Longer than the name of any rule. */
const MAX_CHARACTERS = 64;
const MARKER = /^\[redacted:[a-z_]+\]$/;

/** What stands where a value was. */
export function marker(rule: string): string {
  return `${HEAD}${rule}]`;
}

/** Whether a value was here once: a marker is the same for every value, so it identifies none. */
export function isMarker(text: string): boolean {
  return MARKER.test(text);
}

/** Offset behind the marker that starts here; undefined when none does. */
export function endOfMarker(text: string, at: number): number | undefined {
  if (!text.startsWith(HEAD, at)) return undefined;
  const shown = text.slice(at, at + MAX_CHARACTERS);
  const end = shown.indexOf(']') + 1;
  return isMarker(shown.slice(0, end)) ? at + end : undefined;
}
