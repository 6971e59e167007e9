import type { LoopbackClient } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import { deleteResourceContent } from './resource-content.js';

const PODS = {
  ...{ group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true },
  verbs: new Set(['list', 'delete']),
};

/** More than a call has arguments. */
const MANY = 150_000;

it('waits for the longest grace period of any number of pods', async () => {
  const object = { metadata: { name: 'p' }, spec: { terminationGracePeriodSeconds: 30 }, status: {} };
  const items = Array.from({ length: MANY }, () => ({ object }));
  let deletions = 0;
  const pods = {
    list: async () => ({ items: deletions === 0 ? items : [{ object }], resourceVersion: '7' }),
    delete: async () => void deletions++,
  };
  const client = { resource: () => pods } as unknown as LoopbackClient;
  const remainder = await deleteResourceContent(client, PODS, {
    name: 'ns',
    age: 0,
    signal: new AbortController().signal,
  });
  expect([deletions, remainder?.count, remainder?.estimate]).toEqual([MANY, 1, 30]);
});
