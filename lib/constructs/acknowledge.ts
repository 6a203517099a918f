import { Stack, Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Accepts exact cdk-nag findings below one construct, with a reason that a reviewer can judge. */
export function acknowledge(scope: IConstruct, reason: string, ...ids: readonly string[]): void {
  for (const id of ids) {
    Validations.of(scope).acknowledge({ id, reason });
  }
}

/** A value in the words of cdk-nag: as it is where the environment is known, else `<AWS::Region>` and the like. */
export function nagWord(scope: IConstruct, value: string): string {
  const resolved = Stack.of(scope).resolve(value);
  return typeof resolved === 'string' ? resolved : `<${resolved.Ref}>`;
}
