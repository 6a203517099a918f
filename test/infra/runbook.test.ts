import { readdirSync } from 'node:fs';
import { Template } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import { environments } from '../../lib/config/environments.ts';
import { anchorsOf, readDocument } from '../support/markdown.ts';
import { createStage, resourcesOf } from '../support/synth.ts';

/** With everything that a configuration can add. */
const { monitoring } = createStage({
  ...environments.prod,
  replica: {
    bucketArn: 'arn:aws:s3:::evidence-replica',
    kmsKeyArn: 'arn:aws:kms:eu-west-1:444455556666:key/1',
  },
});
const alarms = resourcesOf(Template.fromStack(monitoring), 'AWS::CloudWatch::Alarm');
const runbook = readDocument('docs/operations.md');

it.each(alarms.map(([id, { Properties }]) => [id, Properties.AlarmDescription as string]))(
  'the runbook of %s exists and names it',
  (id, description) => {
    const [, path = '', anchor = ''] = /Runbook: (\S+)#(\S+)$/.exec(description) ?? [];
    expect(anchorsOf(readDocument(path))).toContain(anchor);
    expect(runbook).toContain(`\`${id.replace(/^Alarms(.*)[0-9A-F]{8}$/, '$1')}\``);
  },
);

it('says of each alarm where to look, what to do and when it is over', () => {
  const sections = runbook.split(/^## /m).filter((section) => /^`\w+`/m.test(section));
  const anchors = new Set(
    alarms.map(([, { Properties }]) => Properties.AlarmDescription.split('#').at(-1)),
  );
  expect(sections.length).toBe(anchors.size);
  for (const section of sections) {
    expect(section).toMatch(/^First look/m);
    expect(section).toMatch(/^Do: /m);
    expect(section).toMatch(/^Over when /m);
  }
});

it('explains every code by which a function says that something does not answer', () => {
  const sources = readdirSync(new URL('../../lambdas', import.meta.url), { recursive: true })
    .filter((file) => `${file}`.endsWith('.ts'))
    .map((file) => readDocument(`lambdas/${file}`));
  const dependencies = sources.flatMap((source) =>
    [...source.matchAll(/new UnavailableError\('(\w+)'/g)].map(([, name]) => name),
  );
  expect(new Set(dependencies).size).toBeGreaterThan(4);
  for (const name of dependencies) expect(runbook).toContain(`\`${name}_unavailable\``);
});
