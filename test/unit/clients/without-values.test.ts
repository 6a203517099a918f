import { describe, expect, it } from 'vitest';
import { withoutValues } from '../../support/without-values.ts';

describe('withoutValues', () => {
  it('cuts whole values of any kind and keeps every other byte', () => {
    const text = '{ "a": [1, {"b c":"x\\"]" }],\n"d":{"e":[ ]}, "f":9007199254740993}';
    expect(withoutValues(text, ["$.a[1]['b c']", '$.d', '$.a[0]'])).toBe(
      '{ "a": [, {"b c": }],\n"d":, "f":9007199254740993}',
    );
  });

  it('finds names that need quoting', () => {
    expect(withoutValues('{"it\'s \\"q\\"":1,"x.y":{"z":2}}', ["$['it\\'s \"q\"']"])).toBe(
      '{"it\'s \\"q\\"":,"x.y":{"z":2}}',
    );
    expect(withoutValues('{"x.y":{"z":2}}', ["$['x.y'].z"])).toBe('{"x.y":{"z":}}');
  });

  it('refuses a path that leads nowhere', () => {
    expect(() => withoutValues('{"a":1}', ['$.b'])).toThrow('no value at');
  });
});
