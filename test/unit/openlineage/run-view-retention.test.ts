import { describe, expect, it } from 'vitest';
import { event, view } from './material.ts';

describe('retention of a held run', () => {
  const at = (versionId: string) => ({
    location: { bucket: 'b', key: versionId, versionId, line: 0 },
  });
  const events = [event('START', at('v1')), event('COMPLETE', at('v2'))];
  const present = (retainUntil?: string) => ({
    status: 'present' as const,
    lastModified: '2026-03-04T05:06:07.000Z',
    legalHold: false,
    ...(retainUntil && { mode: 'GOVERNANCE' as const, retainUntil }),
  });

  it('is the weakest lock that the bucket reports', () => {
    const versions = new Map([
      ['b/v1@v1', present('2030-01-01T00:00:00.000Z')],
      ['b/v2@v2', present('2028-01-01T00:00:00.000Z')],
    ]);
    expect(view({ events, versions }).retention).toMatchObject({
      retainUntil: '2028-01-01T00:00:00.000Z',
      from: 'bucket',
    });
  });

  it('shows a version without lock before any promise', () => {
    const versions = new Map([['b/v2@v2', present()]]);
    expect(view({ events, versions }).retention).toMatchObject({
      mode: null,
      retainUntil: null,
      from: 'bucket',
    });
  });

  it('is what was promised, and says so, when the bucket was not asked', () => {
    expect(view({ events }).retention).toMatchObject({ mode: 'GOVERNANCE', from: 'index' });
  });
});
