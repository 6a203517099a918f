import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AccountRootPrincipal,
  type IRole,
  PolicyDocument,
  PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import { type IKey, Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { signingKeyStatements } from '../../lambdas/domain/audit/guard-policy.ts';
import type { AdoptedResources } from '../config/environment-config.ts';
import { READ_KEY_GUARDS } from './evidence-vault.ts';
import type { ServiceFunction } from './service-function.ts';

export interface DigestSigningProps {
  /** ARN of the only role that may change what protects the keys. */
  readonly deploymentRoleArn: string;
  /** Which key signs; all before it stay. */
  readonly generation: number;
  /** Role and keys that stand. @default - new ones */
  readonly adopted?: AdoptedResources['signing'] | undefined;
}

/** The keys that sign digests, and the one role that they sign for. They stay here when the pipeline is made anew. */
export class DigestSigning extends Construct {
  readonly role: IRole;
  /** The newest generation last. */
  readonly keys: readonly IKey[];

  constructor(scope: Construct, id: string, props: DigestSigningProps) {
    super(scope, id);
    const { adopted, deploymentRoleArn, generation } = props;
    this.role = adopted ? Role.fromRoleName(this, 'Role', adopted.roleName) : this.#newRole();
    this.keys = Array.from({ length: generation + 1 }, (_, at) => {
      const adoptedArn = adopted?.keyArns[at];
      return adoptedArn === undefined
        ? this.#key(at, deploymentRoleArn)
        : Key.fromKeyArn(this, `Key${at}`, adoptedArn);
    });
  }

  #newRole(): Role {
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: 'The sealer: nobody else may sign digests',
    });
    // The key policies name it: made anew it would be another one, for which no key signs.
    role.applyRemovalPolicy(RemovalPolicy.RETAIN);
    return role;
  }

  /** A look at what guards the keys, without the right to use one. */
  grantReadGuards(fn: ServiceFunction): void {
    fn.allow(
      READ_KEY_GUARDS,
      this.keys.map(({ keyArn }) => keyArn),
    );
  }

  #key(generation: number, deploymentRoleArn: string): Key {
    return new Key(this, `Key${generation}`, {
      description: `Signs digests, generation ${generation}`,
      keySpec: KeySpec.ECC_NIST_P256,
      keyUsage: KeyUsage.SIGN_VERIFY,
      // in place of the default policy, whose root may do everything
      policy: new PolicyDocument({
        statements: signingKeyStatements({
          accountArn: new AccountRootPrincipal().arn,
          deploymentRoleArn,
          sealerRoleArn: this.role.roleArn,
        }).map((statement) => PolicyStatement.fromJson(statement)),
      }),
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }
}
