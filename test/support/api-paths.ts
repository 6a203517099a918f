import type { Template } from 'aws-cdk-lib/assertions';
import { resourcesOf, type TemplateResource } from './synth.ts';

/** Path -> the one method resource of it in a template. */
export function pathsOf(template: Template): Map<string, TemplateResource['Properties']> {
  const parts = new Map(resourcesOf(template, 'AWS::ApiGateway::Resource'));
  const pathOf = (id: string | undefined): string => {
    const part = id === undefined ? undefined : parts.get(id)?.Properties;
    return part ? `${pathOf(part.ParentId.Ref)}/${part.PathPart}` : '';
  };
  return new Map(
    resourcesOf(template, 'AWS::ApiGateway::Method').map(([, { Properties }]) => [
      pathOf(Properties.ResourceId.Ref) || '/',
      Properties,
    ]),
  );
}
