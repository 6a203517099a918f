import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Accepts exact cdk-nag findings below one construct, with a reason that a reviewer can judge. */
export function acknowledge(scope: IConstruct, reason: string, ...ids: readonly string[]): void {
  for (const id of ids) {
    Validations.of(scope).acknowledge({ id, reason });
  }
}
