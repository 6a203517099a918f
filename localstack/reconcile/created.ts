import { paginateDescribeStackEvents } from '@aws-sdk/client-cloudformation';
import type { StackTemplate } from '../assembly.ts';
import type { Clients } from '../clients.ts';
import { UserError } from '../errors.ts';

/**
 * Looks for resources that were reported as created and are not there, as LocalStack does with types it does not know.
 * Throws a UserError that names those which nobody expects.
 */
export async function requireCreated(
  { cloudformation: client }: Pick<Clients, 'cloudformation'>,
  stacks: readonly Pick<StackTemplate, 'stackName'>[],
  expected: readonly string[],
): Promise<void> {
  const pretended = new Set<string>();
  for (const { stackName: StackName } of stacks) {
    for await (const page of paginateDescribeStackEvents({ client }, { StackName })) {
      for (const { ResourceType = '', ResourceStatusReason = '' } of page.StackEvents ?? []) {
        if (/is not supported but was deployed/.test(ResourceStatusReason)) {
          pretended.add(ResourceType);
        }
      }
    }
  }
  const unexpected = [...pretended].filter((type) => !expected.includes(type)).sort();
  if (unexpected.length === 0) return;
  throw new UserError(
    `The emulator only pretends to create ${unexpected.join(', ')}: leave it out of the local configuration, or list it in localstack/emulators.`,
  );
}
