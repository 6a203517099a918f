/** What stands where a value was. */
export function marker(rule: string): string {
  return `[redacted:${rule}]`;
}

const MARKER = /^\[redacted:[a-z_]+\]$/;

/** Whether a value was here once: a marker is the same for every value, so it identifies none. */
export function isMarker(text: string): boolean {
  return MARKER.test(text);
}
