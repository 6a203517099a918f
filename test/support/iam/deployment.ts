import { Template } from 'aws-cdk-lib/assertions';
import type { EvidenceStage } from '../../../lib/stages/evidence-stage.ts';
import type { StackName } from '../synth.ts';
import type { Caller, Guarded } from './evaluate.ts';
import type { PolicyDocument } from './policy.ts';

/** Where a deployment without an account or region of its own is taken to stand. */
const ACCOUNT = '111122223333';
const REGION = 'eu-central-1';

const STACKS: readonly StackName[] = ['data', 'pipeline', 'monitoring'];

interface Resource {
  readonly Type: string;
  readonly Properties?: Record<string, unknown>;
}

/** ARN of a resource by its type, from the name that stands for it. */
const ARNS: Readonly<
  Record<string, (name: string, properties: { readonly Path?: string }) => string>
> = {
  'AWS::DynamoDB::GlobalTable': (name) => arn('dynamodb', `table/${name}`),
  'AWS::DynamoDB::Table': (name) => arn('dynamodb', `table/${name}`),
  'AWS::IAM::Role': (name, { Path = '/' }) => `arn:aws:iam::${ACCOUNT}:role${Path}${name}`,
  'AWS::KMS::Key': (name) => arn('kms', `key/${name}`),
  'AWS::Kinesis::Stream': (name) => arn('kinesis', `stream/${name}`),
  'AWS::Lambda::Function': (name) => arn('lambda', `function:${name}`),
  'AWS::Logs::LogGroup': (name) => arn('logs', `log-group:${name}:*`),
  'AWS::S3::Bucket': (name) => `arn:aws:s3:::${name.toLowerCase()}`,
  'AWS::SNS::Topic': (name) => arn('sns', name),
  'AWS::SQS::Queue': (name) => arn('sqs', name),
};

const arn = (service: string, resource: string) =>
  `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;

/** The synthesised policies of an environment as IAM would see them: with ARNs for references. */
export class Deployment {
  readonly accountId = ACCOUNT;
  readonly #templates: ReadonlyMap<StackName, CloudFormation>;

  /** @param stage synthesised, so that references between its stacks stand in the templates */
  constructor(stage: EvidenceStage) {
    this.#templates = new Map(
      STACKS.map((stack) => [stack, Template.fromStack(stage[stack]).toJSON() as CloudFormation]),
    );
  }

  /** ARN of the resource of the data stack at a construct path. */
  arnOf(type: string, path: string): string {
    return this.#arnOf('data', this.#logicalId('data', type, path));
  }

  /** A bucket of the data stack with its policy. */
  bucket(path: string): Guarded & { readonly arn: string } {
    const id = this.#logicalId('data', 'AWS::S3::Bucket', path);
    const policies = Object.values(this.#of('data')).filter(({ Properties, Type }) => {
      const { Ref } = (Properties?.Bucket ?? {}) as { Ref?: string };
      return Type === 'AWS::S3::BucketPolicy' && Ref === id;
    });
    if (policies.length !== 1) throw new Error(`${policies.length} policies of ${id}`);
    const policy = this.resolve(policies[0]?.Properties?.PolicyDocument, 'data') as PolicyDocument;
    return { accountId: ACCOUNT, arn: this.#arnOf('data', id), policy };
  }

  /** A key of the data stack with its policy. */
  key(path: string): Guarded & { readonly arn: string } {
    const id = this.#logicalId('data', 'AWS::KMS::Key', path);
    const policy = this.resolve(this.#of('data')[id]?.Properties?.KeyPolicy, 'data');
    return { accountId: ACCOUNT, arn: this.#arnOf('data', id), policy: policy as PolicyDocument };
  }

  /** The role at a construct path, with the policies that the templates attach to it. */
  role(stack: StackName, path: string) {
    const role = this.#identity(stack, this.#logicalId(stack, 'AWS::IAM::Role', path));
    if (role.policies.length === 0) throw new Error(`no policy of ${path}`);
    return role;
  }

  #identity(stack: StackName, id: string) {
    const policies = STACKS.flatMap((owner) =>
      Object.values(this.#of(owner))
        .filter(({ Properties, Type }) => {
          const roles = this.resolve(Properties?.Roles ?? [], owner) as string[];
          return Type === 'AWS::IAM::Policy' && roles.includes(id);
        })
        .map(({ Properties }) => this.resolve(Properties?.PolicyDocument, owner) as PolicyDocument),
    );
    return { kind: 'identity' as const, arn: this.#arnOf(stack, id), policies };
  }

  /** Every role that the templates make: those of functions by their folder, others by their place. */
  roles(): Readonly<Record<string, Caller>> {
    const folders = new Map<string, string>();
    const roles: Record<string, Caller> = {};
    for (const { Properties, stack } of this.#all('AWS::Lambda::Function')) {
      const { Environment, Role } = Properties as {
        Role: unknown;
        Environment: { Variables: { POWERTOOLS_SERVICE_NAME: string } };
      };
      const folder = Environment.Variables.POWERTOOLS_SERVICE_NAME;
      folders.set(this.resolve(Role, stack) as string, folder);
    }
    for (const { id, stack } of this.#all('AWS::IAM::Role')) {
      const arn = this.#arnOf(stack, id);
      const place = id.replace(/[0-9A-F]{8}$/, '');
      roles[folders.get(arn) ?? place] = this.#identity(stack, id);
    }
    return roles;
  }

  /** Every bucket, queue and topic that has a policy, each with it. */
  guarded(): readonly (Guarded & { readonly arn: string })[] {
    return ['AWS::S3::BucketPolicy', 'AWS::SQS::QueuePolicy', 'AWS::SNS::TopicPolicy']
      .flatMap((type) => this.#all(type))
      .flatMap(({ Properties = {}, stack }) => {
        const { Bucket, Queues, Topics } = Properties as Record<string, { Ref: string }[]>;
        const policy = this.resolve(Properties.PolicyDocument, stack) as PolicyDocument;
        return [Bucket ?? [], Queues ?? [], Topics ?? []]
          .flat()
          .map(({ Ref }) => ({ accountId: ACCOUNT, arn: this.#arnOf(stack, Ref), policy }));
      });
  }

  /** A value of a template with its references resolved. @throws Error on an intrinsic without a rule */
  resolve(value: unknown, stack: StackName): unknown {
    if (Array.isArray(value)) return value.map((inner) => this.resolve(inner, stack));
    if (typeof value !== 'object' || value === null) return value;
    const [[name, argument] = ['', undefined], ...more] = Object.entries(value);
    if (more.length === 0 && (name === 'Ref' || name.startsWith('Fn::'))) {
      return this.#intrinsic(name, argument, stack);
    }
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, this.resolve(inner, stack)]),
    );
  }

  #intrinsic(name: string, argument: unknown, stack: StackName): unknown {
    switch (name) {
      case 'Ref':
        return this.#ref(argument as string, stack);
      case 'Fn::GetAtt': {
        const [id = '', attribute] = argument as string[];
        if (attribute !== 'Arn') throw new Error(`no rule for the attribute ${attribute}`);
        return this.#arnOf(stack, id);
      }
      case 'Fn::ImportValue':
        return this.#imported(String(argument));
      case 'Fn::Join': {
        const [separator, parts] = argument as [string, unknown[]];
        return parts.map((part) => this.resolve(part, stack)).join(separator);
      }
      case 'Fn::Select': {
        const [index, list] = argument as [string, unknown];
        return (this.resolve(list, stack) as unknown[])[Number(index)];
      }
      case 'Fn::Split': {
        const [separator, text] = argument as [string, unknown];
        return String(this.resolve(text, stack)).split(separator);
      }
      default:
        throw new Error(`no rule for the intrinsic ${name}`);
    }
  }

  #imported(name: string): unknown {
    for (const [stack, { Outputs = {} }] of this.#templates) {
      const output = Object.values(Outputs).find(({ Export }) => Export?.Name === name);
      if (output) return this.resolve(output.Value, stack);
    }
    throw new Error(`no export ${name}`);
  }

  #ref(id: string, stack: StackName): string {
    const pseudo: Record<string, string> = {
      'AWS::AccountId': ACCOUNT,
      'AWS::Partition': 'aws',
      'AWS::Region': REGION,
      'AWS::URLSuffix': 'amazonaws.com',
    };
    if (pseudo[id]) return pseudo[id];
    const resource = this.#of(stack)[id];
    if (!resource) throw new Error(`no resource ${id}`);
    if (resource.Type === 'AWS::SNS::Topic') return this.#arnOf(stack, id);
    return resource.Type === 'AWS::S3::Bucket' ? id.toLowerCase() : id;
  }

  #arnOf(stack: StackName, id: string): string {
    const { Properties = {}, Type } = this.#of(stack)[id] ?? {};
    const toArn = Type && ARNS[Type];
    if (!toArn) throw new Error(`no ARN for ${id} of type ${Type}`);
    return toArn(id, Properties);
  }

  #all(type: string) {
    return STACKS.flatMap((stack) =>
      Object.entries(this.#of(stack))
        .filter(([, { Type }]) => Type === type)
        .map(([id, { Properties }]) => ({ id, stack, Properties })),
    );
  }

  #of(stack: StackName): Record<string, Resource> {
    return this.#templates.get(stack)?.Resources ?? {};
  }

  #logicalId(stack: StackName, type: string, path: string): string {
    const prefix = path.replaceAll('/', '');
    const ids = Object.entries(this.#of(stack))
      .filter(([id, { Type }]) => Type === type && id.startsWith(prefix))
      .map(([id]) => id)
      .filter((id) => /^[0-9A-F]{8}$/.test(id.slice(prefix.length)));
    if (ids.length !== 1) throw new Error(`${ids.length} resources ${type} at ${path}`);
    return ids[0] as string;
  }
}

interface CloudFormation {
  readonly Resources: Record<string, Resource>;
  readonly Outputs?: Record<
    string,
    { readonly Value: unknown; readonly Export?: { readonly Name: unknown } }
  >;
}
