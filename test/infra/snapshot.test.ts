import { describe, expect, it } from 'vitest';
import { type StackName, templateOf } from '../support/synth.ts';

describe('prod', () => {
  it.each(['data', 'pipeline', 'monitoring'] as StackName[])('%s stack is unchanged', (stack) => {
    expect(templateOf('prod', stack).toJSON()).toMatchSnapshot();
  });
});
