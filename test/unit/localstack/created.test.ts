import { CloudFormationClient, DescribeStackEventsCommand } from '@aws-sdk/client-cloudformation';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it } from 'vitest';
import { requireCreated } from '../../../localstack/reconcile/created.ts';

describe('requireCreated', () => {
  const cloudformation = mockClient(CloudFormationClient);
  const event = (ResourceType: string, ResourceStatusReason?: string) => ({
    ...{ StackId: 's', EventId: 'e', StackName: 'Data', Timestamp: undefined },
    ...{ ResourceType, ResourceStatusReason },
  });
  const fallback = (type: string) =>
    event(type, `Resource type ${type} is not supported but was deployed as a fallback`);
  const check = (expected: readonly string[]) =>
    requireCreated(
      { cloudformation: new CloudFormationClient({}) },
      [{ stackName: 'Data' }],
      expected,
    );

  it('names a type that was only pretended to be created, on whatever page', async () => {
    cloudformation
      .on(DescribeStackEventsCommand, { StackName: 'Data' })
      .resolves({ StackEvents: [event('AWS::S3::Bucket')], NextToken: 'more' })
      .on(DescribeStackEventsCommand, { StackName: 'Data', NextToken: 'more' })
      .resolves({ StackEvents: [fallback('AWS::WAFv2::WebACL'), fallback('AWS::X::Y')] });
    await expect(check(['AWS::X::Y'])).rejects.toThrow(
      'The emulator only pretends to create AWS::WAFv2::WebACL: leave it out',
    );
    await expect(check(['AWS::X::Y', 'AWS::WAFv2::WebACL'])).resolves.toBeUndefined();
  });
});
