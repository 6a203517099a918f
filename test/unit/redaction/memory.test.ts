import { describe, expect, it } from 'vitest';
import { Memory } from '../../../lambdas/domain/redaction/memory.ts';

const name = (n: number) => `n${n.toString(36)}`;

describe('the memory for texts', () => {
  it('knows what it was told and nothing else', () => {
    const memory = new Memory<number>();
    memory.set('a', 1);
    expect([memory.get('a'), memory.get('b')]).toEqual([1, undefined]);
  });

  it('keeps what is asked for, whatever else comes, and forgets the rest', () => {
    const memory = new Memory<number>();
    memory.set('asked for', 1);
    memory.set('once', 2);
    for (let n = 0; n < 20_000; n++) {
      memory.set(name(n), n);
      expect(memory.get('asked for')).toBe(1);
    }
    expect(memory.get('once')).toBeUndefined();
    const kept = Array.from({ length: 20_000 }, (_, n) => memory.get(name(n))).filter(
      (value) => value !== undefined,
    );
    expect(kept.length).toBeLessThanOrEqual(4_000);
  });

  it.each([
    ['long', 'x'.repeat(161)],
    ['an id', '870ae815-6e8d-4835-9962-427322000000'],
  ])('takes no text that is %s', (_how, text) => {
    const memory = new Memory<number>();
    memory.set(text, 1);
    expect(memory.get(text)).toBeUndefined();
  });
});
