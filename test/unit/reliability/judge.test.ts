import { describe, expect, it } from 'vitest';
import { judge } from '../../../reliability/judge.ts';
import { type AnsweredRun, eventKey } from '../../../reliability/read-back.ts';
import type { SentEvent } from '../../../reliability/traffic.ts';

const event = (n: number, ...receipts: string[]): SentEvent => ({
  ...{ runId: 'run', eventTime: `2026-11-29T10:00:0${n}.000Z`, text: `${n}`, receipts },
});
const answer = (...events: Array<readonly [SentEvent, ...string[]]>) =>
  new Map([
    [
      'run',
      {
        events: events.map(([{ eventTime }, ...receiptIds]) => ({
          ...{ eventTime, receiptIds, deliveries: receiptIds.length },
        })),
        findings: [] as unknown[],
      } satisfies AnsweredRun,
    ],
  ]);
const vault = (...events: Array<readonly [SentEvent, ...string[]]>) => ({
  receipts: new Map(events.map(([sent, ...receipts]) => [eventKey(sent), receipts])),
});

describe('the verdict on a scenario', () => {
  const [one, two] = [event(1, 'a'), event(2, 'b')];
  const all = [
    [one, 'a'],
    [two, 'b'],
  ] as const;

  it('holds when all is there once, and counts what was delivered again', () => {
    const again = event(2, 'b', 'c');
    const stored = [all[0], [again, 'b', 'c', 'unheard']] as const;
    expect(judge([one, again], vault(...stored), answer(...stored))).toEqual({
      ...{ accepted: 2, stored: 2, duplicates: 2, copies: 0, problems: [] },
    });
  });

  it.each([
    [
      'an accepted event that is not in the vault',
      [one, two],
      vault([one, 'a'], [two]),
      answer([one, 'a']),
      '1 accepted and not in the vault: b',
    ],
    [
      'a delivery that is not in the vault, of an event that is',
      [one, event(2, 'b', 'c')],
      vault(...all),
      answer(...all),
      '1 accepted and not in the vault: c',
    ],
    [
      'an event that its run does not answer',
      [one, two],
      vault(...all),
      answer([one, 'a']),
      '1 in the vault and not in the answer of the run: b',
    ],
    [
      'an event that its run answers twice',
      [one, event(2, 'b', 'c')],
      vault([one, 'a'], [two, 'b', 'c']),
      answer([one, 'a'], [two, 'b'], [two, 'c']),
      '1 more than one event in the answer of the run: b',
    ],
    [
      'an event that was never accepted',
      [one, event(2)],
      vault([one, 'a'], [two]),
      answer([one, 'a']),
      '1 events were never accepted',
    ],
  ])('names %s', (_, events, vaulted, answered, problem) => {
    expect(judge(events, vaulted, answered).problems).toEqual([problem]);
  });

  it('counts a second line of a delivery, which is answered once', () => {
    const stored = vault([one, 'a', 'a'], [two, 'b']);
    expect(judge([one, two], stored, answer(...all))).toMatchObject({
      ...{ copies: 1, duplicates: 0, stored: 2, problems: [] },
    });
  });

  it('names a run that counts a second line as a delivery', () => {
    const stored = vault([one, 'a', 'a'], [two, 'b']);
    const counted = answer([one, 'a', 'a'], [two, 'b']);
    expect(judge([one, two], stored, counted).problems).toEqual([
      '1 runs that count a delivery twice: run',
    ]);
  });

  it('names a run with findings', () => {
    const answered = answer(...all);
    answered.get('run')?.findings.push({});
    expect(judge([one, two], vault(...all), answered).problems).toEqual([
      '1 runs with findings: run',
    ]);
  });
});
