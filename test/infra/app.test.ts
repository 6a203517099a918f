import { afterEach, expect, it, vi } from 'vitest';
import { environments } from '../../lib/config/environments.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.doUnmock('../../lib/config/environments.ts');
  vi.resetModules();
});

it('says why a config cannot be deployed in one sentence, without a stack, and exits with 1', async () => {
  const refused = { ...environments.local, endpoint: { kind: 'public', auth: 'IAM' } };
  vi.resetModules();
  vi.doMock('../../lib/config/environments.ts', () => ({ environments: { refused } }));
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const exit = vi.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Error(`exit ${code}`);
  });
  await expect(import('../../bin/app.ts')).rejects.toThrow('exit 1');
  expect(exit).toHaveBeenCalledTimes(1);
  expect(said.mock.calls.map(([text]) => text)).toEqual([
    'local: endpoint.auth is "IAM"; use bearer or iam\n',
  ]);
});
