import { newConflict } from '@apiserver/apimachinery/errors';
import { expect, it, vi } from 'vitest';
import { TokenSecrets } from './token-secrets.js';

it('gives up after ten conflicts when it removes the reference to a deleted secret', async () => {
  const account = { metadata: { namespace: 'ns', name: 'robot', uid: 'u' }, secrets: [{ name: 'token' }] };
  const conflict = newConflict({ group: '', resource: 'serviceaccounts' }, 'robot', new Error('changed'));
  const update = vi.fn(() => Promise.reject(conflict));
  const context = {
    informer: ({ resource }: { resource: string }) => ({
      get: () => (resource === 'serviceaccounts' ? account : undefined),
    }),
    client: { resource: () => ({ get: async () => account, update }) },
    rootCA: '',
  };
  const secrets = new TokenSecrets(context as never, async () => '');
  const reference = { namespace: 'ns', name: 'token', uid: 's', account: 'robot', accountUid: 'u' };
  await expect(secrets.syncSecret(reference)).rejects.toBe(conflict);
  expect(update).toHaveBeenCalledTimes(10);
});
