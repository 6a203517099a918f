/** An instant as a producer wrote it, read with nanoseconds. */
export interface EventTime {
  /** RFC 3339 UTC with exactly nine fraction digits, so that text order is time order. */
  readonly utc: string;
  readonly deviation?: 'event_time_without_offset' | 'event_time_not_rfc3339';
}

const INSTANT =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(?:[.,](\d{1,9})\d*)?(?:([Zz])|([+-]\d{2}:?\d{2}))?(.*)$/s;

const RFC3339 = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/**
 * Reads an eventTime. Real producers also send no offset, `…+00:00Z` and `…Z[Europe/London]`
 * (openlineage.md 6 and 7): those are taken as the instant they plainly mean, with a deviation, and a
 * missing offset is UTC, never the zone of this machine.
 * @returns undefined when the text names no instant
 */
export function readEventTime(text: string): EventTime | undefined {
  const [, date = '', time = '', fraction = '', zulu, offset] = INSTANT.exec(text) ?? [];
  const local = epochMillis(date, time);
  if (local === undefined) return undefined;
  const instant = new Date(local - offsetMillis(offset)).toISOString();
  // An offset may lead out of the four-digit years, where text order is time order no more.
  if (instant.length !== 'YYYY-MM-DDTHH:MM:SS.000Z'.length) return undefined;
  const utc = `${instant.slice(0, 19)}.${fraction.padEnd(9, '0')}Z`;
  if (!zulu && !offset) return { utc, deviation: 'event_time_without_offset' };
  return RFC3339.test(text) ? { utc } : { utc, deviation: 'event_time_not_rfc3339' };
}

/** Milliseconds since the epoch of a UTC date and time; undefined for one that no calendar or clock has. */
function epochMillis(date: string, time: string): number | undefined {
  // A leap second counts as the last of its minute: no clock of ours can tell them apart.
  const millis = Date.parse(`${date}T${time.replace(/:60$/, ':59')}Z`);
  if (Number.isNaN(millis)) return undefined;
  // 30 February and 24:00 roll over into another day of the month; reading it back refuses them.
  return new Date(millis).getUTCDate() === Number(date.slice(-2)) ? millis : undefined;
}

/** `+05:30` or `-0800` in milliseconds east of UTC. */
function offsetMillis(offset = '+00:00'): number {
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(-2));
  return (offset.startsWith('-') ? -minutes : minutes) * 60_000;
}

/** The same form for an instant of our own clock, in milliseconds since the epoch. */
export function utcOfMillis(millis: number): string {
  return `${new Date(millis).toISOString().slice(0, -1)}000000Z`;
}
