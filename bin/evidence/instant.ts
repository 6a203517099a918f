import { readEventTime } from '../../lambdas/domain/openlineage/event-time.ts';
import { CliError, ExitCode } from './cli.ts';

const DATE = /^\d{4}-\d\d-\d\d$/;

/**
 * An option in milliseconds since the epoch. A date alone is the midnight UTC that it begins with.
 * @throws CliError usage (2) for anything but RFC 3339, and for a day that no calendar has
 */
export function instantOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = readEventTime(DATE.test(text) ? `${text}T00:00:00Z` : text);
  const millis = Date.parse(text);
  if (time && !time.deviation && !Number.isNaN(millis)) return millis;
  throw new CliError(
    ExitCode.usage,
    `${option} must be a date or a time with its zone (RFC 3339), as 2026-11-30T08:00:00Z.`,
  );
}
