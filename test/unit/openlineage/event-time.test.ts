import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEventTime, utcOfMillis } from '../../../lambdas/domain/openlineage/event-time.ts';
import { seeded } from '../../support/seeded.ts';

describe('readEventTime', () => {
  it.each([
    ['2021-11-05T10:28:18.969066Z', '2021-11-05T10:28:18.969066000Z'],
    ['2021-11-05T10:28:18.472698302Z', '2021-11-05T10:28:18.472698302Z'],
    ['2021-11-05T10:28:18+00:00', '2021-11-05T10:28:18.000000000Z'],
    ['2021-11-05T10:28:18.5+05:30', '2021-11-05T04:58:18.500000000Z'],
    ['2021-12-31T23:30:00-01:00', '2022-01-01T00:30:00.000000000Z'],
    ['2021-11-05t10:28:18z', '2021-11-05T10:28:18.000000000Z'],
    ['2021-11-05T10:28:18.1234567891234Z', '2021-11-05T10:28:18.123456789Z'],
    ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.000000000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000000000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000000000Z'],
  ])('reads %s as %s', (text, utc) => {
    expect(readEventTime(text)).toEqual({ utc });
  });

  it.each([
    ['2021-11-05T10:28:18.969066Z[Europe/London]', 'event_time_not_rfc3339'],
    ['2021-11-05T10:28:18.969066+00:00Z', 'event_time_not_rfc3339'],
    ['2021-11-05T10:28:18.969066+0000', 'event_time_not_rfc3339'],
    ['2021-11-05T10:28:18,969066Z', 'event_time_not_rfc3339'],
    ['2021-11-05T10:28:18.969066', 'event_time_without_offset'],
  ])('takes %s for the instant it plainly means and says %s', (text, deviation) => {
    expect(readEventTime(text)).toEqual({ utc: '2021-11-05T10:28:18.969066000Z', deviation });
  });

  it.each([
    '',
    '2021-11-05',
    '10:28:18Z',
    '2021-02-30T00:00:00Z',
    '2023-02-29T00:00:00Z',
    '2021-13-01T00:00:00Z',
    '2021-00-01T00:00:00Z',
    '2021-11-05T24:00:00Z',
    '2021-11-05T10:60:00Z',
    '2021-11-05T10:00:61Z',
    '1636108098969',
    '0000-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    ' 2021-11-05T10:28:18Z',
  ])('finds no instant in %j', (text) => {
    expect(readEventTime(text)).toBeUndefined();
  });

  it('agrees with the clock on every instant, in a form whose text order is time order', () => {
    const millis = fc.integer({
      min: Date.parse('0001-01-02T00:00:00Z'),
      max: Date.parse('9999-12-30T00:00:00Z'),
    });
    fc.assert(
      fc.property(millis, millis, fc.integer({ min: -1439, max: 1439 }), (a, b, offset) => {
        const sign = offset < 0 ? '-' : '+';
        const hh = String(Math.trunc(Math.abs(offset) / 60)).padStart(2, '0');
        const mm = String(Math.abs(offset) % 60).padStart(2, '0');
        const local = new Date(Math.max(a + offset * 60_000, Date.parse('0000-01-01T00:00:00Z')))
          .toISOString()
          .slice(0, -1);
        fc.pre(local.length === 23);
        const read = readEventTime(`${local}${sign}${hh}:${mm}`);
        expect(read).toEqual({ utc: utcOfMillis(a) });
        expect(Math.sign(a - b)).toBe(utcOfMillis(a) < utcOfMillis(b) ? -1 : Number(a > b));
      }),
      seeded(500),
    );
  });
});
