import { describe, expect, inject, it } from 'vitest';
import { answerOf } from '../support/differential/call.ts';
import { differentialScript } from '../support/differential/script.ts';
import { RECORDED, recordedAnswer } from './differential.table.ts';

describe('what the emulator answers', () => {
  const { emulator, endpointUrl } = inject('environment');
  const script = differentialScript(endpointUrl);

  it.each(script.map((call) => [call.name, call] as const))(
    'is as recorded: %s',
    async (name, call) => {
      expect(await answerOf(call)).toBe(recordedAnswer(name, emulator.name));
    },
  );

  it('is recorded for the calls of the script alone', () => {
    expect(Object.keys(RECORDED)).toEqual(script.map(({ name }) => name));
  });
});
