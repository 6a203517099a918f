import { readFileSync } from 'node:fs';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { EnvironmentConfig } from '../../lib/config/environment-config.ts';
import { environments } from '../../lib/config/environments.ts';
import { validateEnvironmentConfig } from '../../lib/config/validate-environment-config.ts';
import { EvidenceApi } from '../../lib/constructs/evidence-api.ts';
import { ServiceFunction } from '../../lib/constructs/service-function.ts';
import { EvidenceStage } from '../../lib/stages/evidence-stage.ts';

const cdkJson = JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8'));

export type EnvironmentName = keyof typeof environments;
export type StackName = 'data' | 'pipeline' | 'monitoring';

/** A resource as it stands in a template. */
export interface TemplateResource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template has no type that helps a test
  readonly Properties: any;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly DependsOn?: readonly string[];
}

/** The feature flags of cdk.json, and Lambda bundling switched off. */
export const cdkContext = { ...cdkJson.context, 'aws:cdk:bundling-stacks': [] };

const createApp = () => new App({ context: cdkContext });

export function createStage(config: EnvironmentConfig): EvidenceStage {
  return new EvidenceStage(createApp(), { config });
}

/** The API alone with its functions, for tests that need it in many forms. */
export function createApi(config: EnvironmentConfig): EvidenceApi {
  const stack = new Stack(createApp(), 'Api');
  const serve = (id: string, folder: string) =>
    new ServiceFunction(stack, id, {
      config: validateEnvironmentConfig(config),
      environment: {},
      folder,
      timeout: Duration.seconds(25),
    });
  return new EvidenceApi(stack, 'Gateway', {
    config,
    ingest: serve('Ingest', 'ingest'),
    ingestTraces: serve('IngestTraces', 'ingest-traces'),
    holds: serve('Holds', 'holds'),
    producers: serve('Producers', 'producers'),
    query: serve('Query', 'query'),
  });
}

const stages = new Map<EnvironmentName, EvidenceStage>();

/** The synthesised stage of an environment, built once for each test file. */
export function stageOf(name: EnvironmentName): EvidenceStage {
  const stage = stages.get(name) ?? createStage(environments[name]);
  if (!stages.has(name)) {
    stage.synth(); // resolves references between stacks, which changes what cdk-nag sees
    stages.set(name, stage);
  }
  return stage;
}

export function templateOf(name: EnvironmentName, stack: StackName): Template {
  return Template.fromStack(stageOf(name)[stack]);
}

/** Logical id and resource of every resource of one type. */
export function resourcesOf(template: Template, type: string): [string, TemplateResource][] {
  return Object.entries(template.findResources(type)) as [string, TemplateResource][];
}

/** Properties of the first resource of one type. */
export function propertiesOf(template: Template, type: string): TemplateResource['Properties'] {
  const [first] = resourcesOf(template, type);
  if (!first) throw new Error(`no resource ${type}`);
  return first[1].Properties;
}

/** The one resource of a type whose logical id starts with a construct path, slashes left out. */
export function resourceOf(template: Template, type: string, path: string): TemplateResource {
  const prefix = path.replaceAll('/', '');
  const found = resourcesOf(template, type).filter(([id]) => {
    return id.startsWith(prefix) && /^[0-9A-F]{8}$/.test(id.slice(prefix.length));
  });
  if (found.length !== 1) throw new Error(`${found.length} resources ${type} at ${path}`);
  return (found[0] as [string, TemplateResource])[1];
}
