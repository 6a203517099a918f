import type { AccountCheck } from './check.ts';
import { gatewayChecks } from './checks/gateway.ts';
import { keyChecks } from './checks/keys.ts';
import { liveChecks } from './checks/live.ts';
import { pipelineChecks } from './checks/pipeline.ts';
import { vaultChecks } from './checks/vault.ts';

/** Every check, those that leave something last. docs/limits.md names each. */
export const ACCOUNT_CHECKS: readonly AccountCheck[] = [
  ...vaultChecks,
  ...keyChecks,
  ...gatewayChecks,
  ...pipelineChecks,
  ...liveChecks,
];
