import { describe, expect, it } from 'vitest';
import { type Answer, answerTo, controlStep, refusedStep } from '../../account/answers.ts';
import { type Step, verdictOf } from '../../account/check.ts';
import { renderPlan, renderResults, runChecks } from '../../account/report.ts';

const failing = (name: string, message: string) =>
  answerTo(Promise.reject(Object.assign(new Error(message), { name })));

describe('a refusal', () => {
  it.each<[string, Answer, boolean, Step['verdict']]>([
    [
      'by the resource',
      { code: 'AccessDenied', denial: 'explicit deny of a resource policy' },
      false,
      'holds',
    ],
    ['by another policy', { code: 'AccessDenied', denial: 'explicit deny' }, true, 'unknown'],
    ['for want of a right', { code: 'AccessDenied', denial: 'no allow' }, true, 'unknown'],
    ['without a reason, beside a control', { code: 'AccessDeniedException' }, true, 'holds'],
    ['without a reason, alone', { code: 'AccessDenied' }, false, 'unknown'],
    ['that did not come', { code: 'ok' }, true, 'fails'],
    ['of another kind', { code: 'BadDigest' }, true, 'fails'],
  ])('%s', (_, answer, control, verdict) => {
    expect(refusedStep('a put', answer, control).verdict).toBe(verdict);
  });

  it('keeps the kind of policy, and no word of AWS', async () => {
    const user =
      'User: arn:aws:iam::222233334444:user/me is not authorized to perform: s3:PutObject';
    expect(
      await failing('AccessDenied', `${user} with an explicit deny in a resource-based policy`),
    ).toEqual({
      code: 'AccessDenied',
      denial: 'explicit deny of a resource policy',
    });
    expect(
      await failing('AccessDenied', `${user} with an explicit deny in a service control policy`),
    ).toEqual({ code: 'AccessDenied', denial: 'explicit deny' });
    expect(
      await failing('AccessDenied', `${user} because no identity-based policy allows the action`),
    ).toEqual({ code: 'AccessDenied', denial: 'no allow' });
    expect(await failing('NoSuchKey', 'an explicit deny in a resource-based policy')).toEqual({
      code: 'NoSuchKey',
    });
  });
});

it('a control that does not come through shows nothing', () => {
  expect(
    controlStep('a put', { code: 'AccessDenied', denial: 'no allow' }, 'BadDigest').verdict,
  ).toBe('unknown');
  expect(controlStep('a put', { code: 'BadDigest' }, 'BadDigest').verdict).toBe('holds');
});

describe('a run', () => {
  const step = (verdict: Step['verdict']): Step => ({
    ...{ asked: 'a', expected: 'b', observed: 'c' },
    verdict,
  });
  const check = (name: string, run: () => Promise<readonly Step[]>) => ({
    ...{ name, does: 'asks', leaves: 'nothing', costs: '1 request' },
    run,
  });

  it('takes the gravest verdict, and none for granted', () => {
    expect(verdictOf([step('holds'), step('unknown'), step('fails')])).toBe('fails');
    expect(verdictOf([step('holds'), step('unknown')])).toBe('unknown');
    expect(verdictOf([step('none'), step('holds')])).toBe('holds');
    expect(verdictOf([])).toBe('unknown');
  });

  it('goes on after a check that breaks off, of which it knows nothing', async () => {
    const checks = [
      check('first', () =>
        Promise.reject(Object.assign(new Error('secret'), { name: 'Throttled' })),
      ),
      check('second', async () => [step('holds')]),
    ];
    const results = await runChecks(checks, {} as never, () => undefined);
    expect(results.map(({ verdict }) => verdict)).toEqual(['unknown', 'holds']);
    const text = renderResults(results);
    expect(text).toContain('Throttled');
    expect(text).not.toContain('secret');
    expect(text.split('\n').at(-1)).toBe('1 hold, 0 fail, 1 unknown, 0 do not apply');
  });

  it('says before what each check does, leaves and costs', () => {
    expect(renderPlan([check('first', async () => [])])).toBe(
      'first\n  does    asks\n  leaves  nothing\n  costs   1 request',
    );
  });
});
