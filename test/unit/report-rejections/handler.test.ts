import { describe, expect, it } from 'vitest';
import type { RejectionReport } from '../../../lambdas/domain/audit/rejection-report.ts';
import { COUNTER_DAYS } from '../../../lambdas/domain/audit/rejections.ts';
import { UnavailableError } from '../../../lambdas/domain/errors.ts';
import { createHandler } from '../../../lambdas/report-rejections/handler.ts';
import { NOW, RETENTION } from '../../support/builders.ts';
import { InMemoryVault } from '../../support/fakes/bucket.ts';
import { InMemoryRunIndex } from '../../support/fakes/run-index.ts';
import { InMemoryUsage } from '../../support/fakes/usage.ts';
import { recorder } from '../../support/recorder.ts';

/** Five o'clock and six minutes: the hour of four closed a minute ago. */
const HOUR = { from: '2026-03-04T04:00:00.000Z', to: '2026-03-04T05:00:00.000Z' };
const THIS_HOUR = { from: '2026-03-04T05:00:00.000Z', to: '2026-03-04T06:00:00.000Z' };

function reporting() {
  const usage = new InMemoryUsage();
  const vault = new InMemoryVault();
  const index = new InMemoryRunIndex();
  const { logger, lines } = recorder();
  let now = NOW;
  const run = createHandler({
    ...{ rejections: usage, vault, index, logger },
    retention: RETENTION,
    clock: () => now,
  });
  let n = 0;
  return {
    usage,
    vault,
    index,
    lines,
    run,
    wait: (millis: number) => {
      now += millis;
    },
    count: (producerId: string, rule: string, refused = 1, hour = '2026-03-04T04') =>
      usage.count({
        ...{ hour, producerId, rule, refused },
        sample: {
          at: `${hour}:00:0${n++ % 10}.000Z`,
          requestId: `request-${n}`,
          route: '/api/v1/lineage',
          path: '$',
          bytesBucket: 64,
        },
      }),
    /** The only report of an hour. */
    async reportOf(request: { from: string; to: string }): Promise<RejectionReport> {
      const { reports } = await run(request);
      expect(reports).toHaveLength(1);
      const key = reports[0]?.location.key;
      return JSON.parse(vault.versions.find((held) => held.key === key)?.content as string);
    },
  };
}

describe('report-rejections', () => {
  it('locks a report of every closed hour of a day, also when nothing was refused', async () => {
    const { run, vault } = reporting();
    const { reports } = await run({});
    expect(reports).toHaveLength(26);
    expect(reports[0]).toMatchObject({ from: '2026-03-03T03:00:00.000Z', status: 'complete' });
    expect(reports.at(-1)).toMatchObject({
      ...HOUR,
      asOf: '2026-03-04T05:05:00.000Z',
      population: { refused: 0, producers: 0 },
    });
    expect(vault.versions).toHaveLength(26);
    for (const { key, lock } of vault.versions) {
      expect(key).toMatch(/^reports\/rejections\/dt=2026-03-0[34]\//);
      expect(lock?.mode).toBe('GOVERNANCE');
    }
  });

  it('begins with the newest hour, so that a run that ends early leaves the oldest', async () => {
    const { run, vault } = reporting();
    vault.faults.refuseAfter('putDocument', 3);
    await expect(run({})).rejects.toThrow(UnavailableError);
    const ends = vault.versions.map(({ key }) => /(2026-[^/]*Z)-/.exec(key)?.[1]);
    expect(ends).toEqual([
      '2026-03-04T050000.000Z',
      '2026-03-04T040000.000Z',
      '2026-03-04T030000.000Z',
    ]);
  });

  it('writes nothing for an hour whose report stands', async () => {
    const { count, run, vault, index, usage } = reporting();
    for (let n = 0; n < 40; n++) await count(`producer-${n}`, 'not_utf8');
    await run({});
    index.findingRows.clear();
    vault.faults.calls.length = 0;
    usage.faults.calls.length = 0;
    await run({});
    expect(usage.faults.calls).toHaveLength(26);
    expect(vault.faults.calls).toEqual(Array.from({ length: 26 }, () => 'findDocument'));
    expect(index.findingRows.size).toBe(0);
  });

  it('files what a run left off in the middle: a report that is missing has all its findings', async () => {
    const { count, reportOf, run, vault, index } = reporting();
    for (const producer of ['a', 'b', 'c']) await count(producer, 'not_utf8');
    vault.faults.refuseAfter('putDocument', 2);
    await expect(run(HOUR)).rejects.toThrow(UnavailableError);
    vault.faults.refuse('putDocument', 0);
    expect((await reportOf(HOUR)).findings).toHaveLength(3);
    expect(index.findingRows.size).toBe(3);
  });

  it('files the findings of an hour several at a time, and not all', async () => {
    const { count, run, vault } = reporting();
    for (let n = 0; n < 100; n++) await count(`producer-${n}`, 'not_utf8');
    const { putDocument } = vault;
    let [inFlight, most] = [0, 0];
    vault.putDocument = async (...put) => {
      most = Math.max(most, ++inFlight);
      await Promise.resolve();
      inFlight--;
      return putDocument.apply(vault, put);
    };
    await run(HOUR);
    expect(most).toBe(16);
  });

  it('waits until an hour is closed', async () => {
    const { run, wait } = reporting();
    wait(-2 * 60_000); // 05:04
    expect((await run({})).reports.at(-1)?.to).toBe(HOUR.from);
  });

  it('counts by producer and rule, in order, with samples', async () => {
    const { count, reportOf } = reporting();
    await count('b', 'not_utf8', 3);
    await count('a', 'required_string');
    await count('a', 'not_utf8', 2);
    await count('a', 'required_string');
    const report = await reportOf(HOUR);
    expect(report.population).toEqual({ refused: 7, producers: 2 });
    expect(
      report.rejections.map(({ producerId, rule, refused, samples }) => [
        ...[producerId, rule, refused],
        samples.length,
      ]),
    ).toEqual([
      ['a', 'not_utf8', 2, 1],
      ['a', 'required_string', 2, 2],
      ['b', 'not_utf8', 3, 1],
    ]);
  });

  it('opens a finding for each producer, locked before the report', async () => {
    const { count, reportOf, vault, index } = reporting();
    await count('a', 'not_utf8', 2);
    await count('a', 'required_string');
    await count('b', 'not_utf8');
    const { findings } = await reportOf(HOUR);
    expect(findings).toMatchObject([
      {
        kind: 'events_refused',
        severity: 'low',
        subject: '2026-03-04T04/a',
        detail: { refused: 3, rules: 2 },
      },
      { kind: 'events_refused', subject: '2026-03-04T04/b', detail: { refused: 1, rules: 1 } },
    ]);
    expect(vault.versions.map(({ key }) => key.split('/')[0])).toEqual([
      ...['findings', 'findings', 'reports'],
    ]);
    expect([...index.findingRows.values()]).toEqual(findings);
  });

  it('is the same report when it runs again later, in whatever order the table answers', async () => {
    const { count, run, vault, wait, usage } = reporting();
    await count('a', 'required_string');
    await count('b', 'not_utf8');
    const first = await run({});
    const before = JSON.stringify(vault.versions);
    wait(10 * 60_000);
    const { ofHour } = usage;
    usage.ofHour = async (hour) => (await ofHour.call(usage, hour)).reverse();
    expect((await run({})).reports).toEqual(first.reports);
    expect(JSON.stringify(vault.versions)).toBe(before);
  });

  it('writes a second report beside the first when a count came late', async () => {
    const { count, reportOf, vault } = reporting();
    await reportOf(HOUR);
    await count('a', 'not_utf8');
    expect((await reportOf(HOUR)).population.refused).toBe(1);
    expect(vault.versions.filter(({ key }) => key.startsWith('reports/'))).toHaveLength(2);
  });

  it('reports an hour that is not over only when asked, and says so', async () => {
    const { count, reportOf } = reporting();
    await count('a', 'not_utf8', 1, '2026-03-04T05');
    expect(await reportOf(THIS_HOUR)).toMatchObject({
      ...THIS_HOUR,
      status: 'open',
      asOf: new Date(NOW).toISOString(),
      population: { refused: 1 },
    });
  });

  it('does not take an asOf that has not come for a closed hour', async () => {
    const { run } = reporting();
    const { reports } = await run({ ...THIS_HOUR, asOf: '2026-03-05T00:00:00Z' });
    expect(reports).toMatchObject([{ status: 'open', asOf: new Date(NOW).toISOString() }]);
  });

  it('reports a part of an hour as the whole hour', async () => {
    const { reportOf } = reporting();
    expect(
      await reportOf({ from: '2026-03-04T04:10:00Z', to: '2026-03-04T04:20:00Z' }),
    ).toMatchObject(HOUR);
  });

  it('refuses an hour whose counters may be gone, rather than call it quiet', async () => {
    const { run, vault, wait } = reporting();
    wait(COUNTER_DAYS * 86_400_000);
    await expect(run(HOUR)).rejects.toThrow(expect.objectContaining({ code: 'counters_expired' }));
    expect(vault.versions).toEqual([]);
  });

  it('fails and files nothing when the counters cannot be read', async () => {
    const { run, usage, vault, lines } = reporting();
    usage.faults.refuse('ofHour');
    await expect(run(HOUR)).rejects.toThrow(UnavailableError);
    expect(vault.versions).toEqual([]);
    expect(JSON.stringify(lines)).toContain('ofHour_unavailable');
  });

  it('refuses an interval that cannot be', async () => {
    await expect(reporting().run({ from: HOUR.to, to: HOUR.from })).rejects.toThrow(
      expect.objectContaining({ code: 'invalid_interval' }),
    );
  });
});
