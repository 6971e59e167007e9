import { QuotaRecount } from '@apiserver/admission';
import type { ResourceQuota } from '@apiserver/api/core/v1';
import { messageOf, newConflict, newInternalError } from '@apiserver/apimachinery/errors';
import type { ResourceClient } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import { writeCount } from './write-count.js';

const recount = new QuotaRecount({ now: () => 0 }, { enabled: () => true });
const hard = { pods: '99' };
const quota = (pods: number, resourceVersion: string): ResourceQuota => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { namespace: 'ns', name: 'q', resourceVersion },
  spec: { hard },
  status: { hard, used: { pods: String(pods) } },
});
const conflict = newConflict({ group: '', resource: 'resourcequotas' }, 'q', new Error('changed'));

/** A stored quota that is charged by one pod before each of so many writes. */
function storedQuota(charges: number) {
  let [stored, left] = [quota(10, '1'), charges];
  const charge = () => {
    const version = Number(stored.metadata.resourceVersion) + 1;
    if (left-- > 0) stored = quota(Number(stored.status.used?.['pods']) + 1, String(version));
  };
  const client = {
    get: async () => stored,
    update: async (_: string, written: ResourceQuota) => {
      charge();
      if (written.metadata.resourceVersion !== stored.metadata.resourceVersion) throw conflict;
      stored = written;
      return written;
    },
  } as unknown as ResourceClient<ResourceQuota>;
  const write = () => writeCount(client, { before: quota(10, '1'), recounted: quota(4, '1') }, recount);
  return { client, write, used: () => stored.status.used };
}

it('writes a count, with the charges that came during it', async () => {
  const outcomes = [0, 1, 9].map(async (charges) => {
    const { write, used } = storedQuota(charges);
    return [await write(), used()];
  });
  expect(await Promise.all(outcomes)).toEqual([
    [false, { pods: '4' }],
    [true, { pods: '5' }],
    [true, { pods: '13' }],
  ]);
});

it('gives up after ten writes, and after other changes and failures', async () => {
  const endless = storedQuota(1_000);
  const changed = storedQuota(1);
  changed.client.get = async () => quota(3, '2');
  const failing = storedQuota(0);
  failing.client.update = async () => Promise.reject(newInternalError('no'));
  const outcomes = [endless, changed, failing].map(({ write }) => write().then(() => 'written', messageOf));
  expect(await Promise.all(outcomes)).toEqual([conflict.message, conflict.message, 'Internal error occurred: no']);
  expect(endless.used()).toEqual({ pods: '20' });
});
