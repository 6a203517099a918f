import * as v from 'valibot';
import type { RetentionPolicy } from '../domain/evidence/retention.ts';
import { EnvironmentVariableError, requireEnv } from './env.ts';

const days = v.pipe(v.number(), v.integer(), v.minValue(1));

const periods = { lineageDays: days, traceDays: days };

const Schema = v.object({
  mode: v.picklist(['GOVERNANCE', 'COMPLIANCE']),
  ...periods,
  classes: v.optional(v.record(v.string(), v.object(periods))),
  recordDays: days,
  floorDays: days,
  slackDays: v.pipe(v.number(), v.integer(), v.minValue(0)),
});

/** The retention policy of the deployment, from the variable RETENTION (JSON). */
export function requireRetention(env: NodeJS.ProcessEnv = process.env): RetentionPolicy {
  const parsed = v.safeParse(
    v.pipe(v.string(), v.parseJson(), Schema),
    requireEnv('RETENTION', env),
  );
  if (!parsed.success)
    throw new EnvironmentVariableError('environment variable RETENTION is not a retention policy');
  return parsed.output;
}
