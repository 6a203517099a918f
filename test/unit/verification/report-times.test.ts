import { describe, expect, it } from 'vitest';
import { checkReportTimes } from '../../../lambdas/domain/verification/report-times.ts';
import { InMemoryVault } from '../../support/fakes/bucket.ts';
import { sealedStoreOver } from '../../support/fakes/readers.ts';

const ID = '0'.repeat(32);
const AS_OF = '2026-03-10T12:00:00.000Z';
const hours = (from: string, count: number, step = 1) =>
  Array.from({ length: count }, (_, n) =>
    new Date(Date.parse(from) + n * step * 3_600_000).toISOString(),
  );

/** Every control as it should report, but for those given. */
function reported(others: Record<string, readonly string[]> = {}) {
  const vault = new InMemoryVault();
  const daily = hours('2026-03-05T06:00:00Z', 6, 24);
  const all = {
    ...{ 'audit-retention': daily, holds: daily, verify: daily },
    rejections: hours('2026-03-09T00:00:00Z', 36),
    ...others,
  };
  for (const [kind, ends] of Object.entries(all)) {
    for (const end of ends) {
      const name = `${end.replaceAll(':', '')}-${ID}.json`;
      vault.addVersion(`reports/${kind}/dt=${end.slice(0, 10)}/${name}`, Buffer.from('{}'));
    }
  }
  return vault;
}

const check = (vault: InMemoryVault, since = {}) =>
  checkReportTimes(sealedStoreOver(vault), { asOf: AS_OF, since, watchedSince: AS_OF });

describe('reports of scheduled controls', () => {
  it('that are all there leave no gap', async () => {
    expect(await check(reported())).toMatchObject({
      gaps: [],
      seen: { 'audit-retention': 6, rejections: 36 },
      since: { holds: '2026-03-05T06:00:00.000Z', rejections: '2026-03-09T00:00:00.000Z' },
    });
  });

  it('leave one where a day or an hour is missing', async () => {
    const daily = hours('2026-03-05T06:00:00Z', 6, 24).toSpliced(2, 1);
    const hourly = hours('2026-03-09T00:00:00Z', 36).toSpliced(7, 2);
    const { gaps } = await check(reported({ holds: daily, rejections: hourly }));
    expect(gaps).toEqual([
      { control: 'holds', after: '2026-03-06T06:00:00.000Z', until: '2026-03-08T06:00:00.000Z' },
      {
        ...{ control: 'rejections', after: '2026-03-09T06:00:00.000Z' },
        until: '2026-03-09T09:00:00.000Z',
      },
    ]);
  });

  it('leave one when the last is overdue, and when the first is gone', async () => {
    const vault = reported({ 'audit-retention': hours('2026-03-05T06:00:00Z', 4, 24) });
    const { gaps } = await check(vault, { holds: '2026-03-04T06:00:00.000Z' });
    expect(gaps).toEqual([
      { control: 'audit-retention', after: '2026-03-08T06:00:00.000Z', until: AS_OF },
      { control: 'holds', after: '2026-03-04T06:00:00.000Z', until: '2026-03-05T06:00:00.000Z' },
    ]);
  });

  it('are missed from a control that never left one, from the first verification on', async () => {
    const vault = reported({ holds: [] });
    expect((await check(vault)).gaps).toEqual([]);
    const watchedSince = '2026-03-08T06:00:00.000Z';
    const { gaps, since } = await checkReportTimes(sealedStoreOver(vault), {
      ...{ asOf: AS_OF, since: {}, watchedSince },
    });
    expect(gaps).toEqual([{ control: 'holds', after: watchedSince, until: AS_OF }]);
    expect(since).not.toHaveProperty('holds');
  });

  it('of a time to come, and what is no report, count for nothing', async () => {
    const vault = reported({ holds: hours('2026-03-05T06:00:00Z', 4, 24) });
    vault.addVersion('reports/holds/dt=2026-03-10/notes.json', Buffer.from('{}'));
    const future = `2026-03-11T060000.000Z-${ID}.json`;
    vault.addVersion(`reports/holds/dt=2026-03-11/${future}`, Buffer.from('{}'));
    expect((await check(vault)).gaps).toMatchObject([{ control: 'holds', until: AS_OF }]);
  });
});
