import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from './errors.ts';

/** A resource of a template. */
export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly Metadata?: { readonly 'aws:cdk:path'?: string };
}

/** A synthesised stack. */
export interface StackTemplate {
  readonly stackName: string;
  readonly resources: Readonly<Record<string, TemplateResource>>;
  /** Hash of the template, which names its assets by their hashes. */
  readonly hash: string;
}

interface Manifest {
  readonly artifacts: Readonly<
    Record<string, { readonly type: string; readonly properties: Record<string, string> }>
  >;
}

/** Reads the stacks of one stage from a synthesised assembly, where they lie in a folder of their own. */
export function readStage(assembly: string, stage: string): readonly StackTemplate[] {
  const nested = Object.values(readManifest(assembly).artifacts).find(
    ({ type, properties }) => type === 'cdk:cloud-assembly' && properties.displayName === stage,
  );
  if (nested === undefined) {
    throw new UserError(`The synthesised app has no stage ${stage}: check bin/app.ts.`);
  }
  const folder = join(assembly, nested.properties.directoryName ?? '');
  return Object.entries(readManifest(folder).artifacts)
    .filter(([, artifact]) => artifact.type === 'aws:cloudformation:stack')
    .map(([id, { properties }]) => {
      const text = readFileSync(join(folder, properties.templateFile ?? ''), 'utf8');
      const template = JSON.parse(text) as { Resources?: Record<string, TemplateResource> };
      return {
        stackName: properties.stackName ?? id,
        resources: template.Resources ?? {},
        hash: createHash('sha256').update(text).digest('hex'),
      };
    });
}

/** One hash for all stacks of a stage. */
export function hashOf(stacks: readonly StackTemplate[]): string {
  const lines = stacks.map((stack) => `${stack.stackName} ${stack.hash}`).sort();
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

/** Construct path of a resource, for messages; its logical id where CDK wrote none. */
export function pathOf(logicalId: string, resource: TemplateResource): string {
  return resource.Metadata?.['aws:cdk:path']?.replace(/\/(Resource|Default)$/, '') ?? logicalId;
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest;
}
