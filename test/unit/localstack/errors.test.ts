import { describe, expect, it } from 'vitest';
import { sentenceOf, UserError } from '../../../localstack/errors.ts';

describe('sentenceOf', () => {
  it('shows exactly the sentence of a UserError', () => {
    expect(sentenceOf(new UserError('Run npm ci first.'))).toBe('Run npm ci first.');
  });

  it('shows one line for anything else, without a stack trace', () => {
    const text = sentenceOf(new TypeError('x is not a function\n    at secret'));
    expect(text).toMatch(/^Unexpected TypeError: x is not a function\. Run npm run reset/);
    expect(text).not.toContain('\n');
  });
});
