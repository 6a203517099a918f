import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { previewFile, renderPreview } from '../../../bin/evidence/redact-event.ts';
import { readPolicy, STRICT } from '../../../lambdas/domain/redaction/policy.ts';
import { runEventText } from '../../support/builders.ts';

const folder = mkdtempSync(join(tmpdir(), 'redact-event-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function fileOf(text: string): string {
  const file = join(folder, `${++files}.json`);
  writeFileSync(file, text);
  return file;
}

const SQL = "SELECT a FROM t WHERE b = 'hush' LIMIT 5";
const event = (facets: object) => runEventText({ job: { namespace: 'n', name: 'j', facets } });
const span = (attributes: object[]) =>
  JSON.stringify({
    resourceSpans: [
      {
        scopeSpans: [
          {
            spans: [
              {
                traceId: '0af7651916cd43dd8448eb211c80319c',
                spanId: 'b7ad6b7169203331',
                name: 'query',
                attributes,
              },
            ],
          },
        ],
      },
    ],
  });

describe('a preview of events', () => {
  it('is the document that would be stored, with every change and the facts', async () => {
    const [preview, ...others] = await previewFile(fileOf(event({ sql: { query: SQL } })), STRICT);
    expect(others).toEqual([]);
    expect(preview).toMatchObject({
      kind: 'run',
      redaction: {
        policy: 'strict/1',
        mode: 'full',
        fields: [{ path: '$.job.facets.sql.query', rule: 'sql', mode: 'full' }],
      },
      facts: { statements: [{ path: '$.job.facets.sql.query', limit: { rows: 5 } }] },
    });
    expect(JSON.parse(preview?.document ?? '').job.facets.sql.query).toBe(
      'SELECT a FROM t WHERE b = ? LIMIT ?',
    );
  });

  it('shows the traces of an export', async () => {
    const text = span([{ key: 'db.query.text', value: { stringValue: SQL } }]);
    const [preview] = await previewFile(fileOf(text), STRICT);
    expect(preview).toMatchObject({ kind: 'trace', traceId: '0af7651916cd43dd8448eb211c80319c' });
    expect(JSON.stringify(preview)).not.toContain('hush');
  });

  it('shows each event of a batch and of lines', async () => {
    const one = event({}).replaceAll('\n', '');
    expect(await previewFile(fileOf(`[${one},${one}]`), STRICT)).toHaveLength(2);
    expect(await previewFile(fileOf(`${one}\n${one}\n`), STRICT)).toHaveLength(2);
  });

  it('drops a byte order mark', async () => {
    const [plain] = await previewFile(fileOf(event({})), STRICT);
    const [marked] = await previewFile(fileOf(`\uFEFF${event({})}`), STRICT);
    expect(marked?.document).toBe(plain?.document);
  });

  it('shows where a pseudonym of a person would stand', async () => {
    const file = fileOf(event({ acme: { actor: 'jane' } }));
    const [preview] = await previewFile(file, readPolicy({ subject: ['facet:acme.actor'] }));
    expect(preview?.document).toMatch(/"sub_[a-p]{32}"/);
    expect(preview?.redaction.fields).toMatchObject([{ rule: 'subject' }]);
  });

  it('goes by the policy', async () => {
    const file = fileOf(event({ acme: { note: 'as it is' } }));
    const [kept] = await previewFile(file, STRICT);
    const [dropped] = await previewFile(file, readPolicy({ drop: ['facet:acme.note'] }));
    expect(kept?.document).toContain('as it is');
    expect(dropped?.document).not.toContain('as it is');
    expect(dropped?.redaction.policy).toMatch(/^strict\/1\+[0-9a-f]{12}$/);
  });

  it('shows changes as a table and the document as it is', async () => {
    const [preview] = await previewFile(fileOf(event({ sql: { query: SQL } })), STRICT);
    const text = renderPreview(preview as NonNullable<typeof preview>);
    expect(text).toMatch(/policy strict\/1, mode full, 1 changes/);
    expect(text).toMatch(/^\$\.job\.facets\.sql\.query\s+sql\s+full$/m);
    expect(text).toContain(preview?.document);
  });

  it.each([
    ['no JSON', 'hush', 'unexpected_character at $'],
    ['no event', '{"hush": 1}', 'event_names_no_run_job_or_dataset at $'],
    ['no span', '{"resourceSpans": [{"scopeSpans": [{"spans": [{"hush": 1}]}]}]}', 'holds no span'],
  ])('refuses %s as a store would and repeats nothing of it', async (_what, text, rule) => {
    const failed = previewFile(fileOf(text), STRICT);
    await expect(failed).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining(rule),
    });
    await expect(failed).rejects.not.toMatchObject({ message: expect.stringContaining('hush') });
  });

  it('says when there is no such file', async () => {
    await expect(previewFile(join(folder, 'none'), STRICT)).rejects.toMatchObject({ exitCode: 2 });
  });
});
