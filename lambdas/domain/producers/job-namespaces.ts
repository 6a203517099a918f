import { InvalidEventError } from '../errors.ts';
import type { Registration } from './registration.ts';

const RULE = 'job_namespace_not_registered';

/**
 * Deviations of an event whose job lies outside the registered namespaces. An event without a job is not judged.
 * @throws InvalidEventError where the registration refuses such events
 */
export function judgeJobNamespace(
  job: { readonly namespace: string } | undefined,
  { jobNamespaces }: Registration,
): readonly string[] {
  if (!job || !jobNamespaces) return [];
  const isAllowed = jobNamespaces.allowed.some((allowed) =>
    allowed.endsWith('*')
      ? job.namespace.startsWith(allowed.slice(0, -1))
      : job.namespace === allowed,
  );
  if (isAllowed) return [];
  if (jobNamespaces.outside === 'refuse') {
    throw new InvalidEventError([{ path: '$.job.namespace', rule: RULE }]);
  }
  return [RULE];
}
