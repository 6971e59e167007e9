import { newInternalError } from '@apiserver/apimachinery/errors';
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
    random: () => 0,
  });
  expect([deletions, remainder?.count, remainder?.estimate]).toEqual([MANY, 1, 30]);
});

const SECRETS = { ...PODS, resource: 'secrets', kind: 'Secret' };

/** The names that an attempt deletes, and its error. */
async function attempt(resource: typeof PODS, metadata: readonly object[], remove = async () => {}, first = 0) {
  const deleted: string[] = [];
  const objects = {
    list: async () => ({
      items: metadata.map((one) => ({ object: { metadata: one, spec: {}, status: {} } })),
      resourceVersion: '7',
    }),
    delete: async (_: string, name: string) => {
      deleted.push(name);
      await remove();
    },
  };
  const client = { resource: () => objects } as unknown as LoopbackClient;
  const namespace = { name: 'ns', age: 10, signal: new AbortController().signal, random: () => first };
  const failed = await deleteResourceContent(client, resource, namespace).then(() => undefined, String);
  return { deleted, failed };
}

it('deletes nothing twice that waits for finalizers, except pods', async () => {
  const deletionTimestamp = '2026-01-01T00:00:00Z';
  const metadata = [
    { name: 'new', finalizers: ['x/y'] },
    { name: 'waiting', deletionTimestamp, finalizers: ['x/y'] },
    { name: 'foreground', deletionTimestamp, finalizers: ['x/y', 'foregroundDeletion'] },
    { name: 'graceful', deletionTimestamp },
  ];
  expect((await attempt(SECRETS, metadata)).deleted).toEqual(['new', 'foreground', 'graceful']);
  expect((await attempt(PODS, metadata)).deleted).toEqual(['new', 'waiting', 'foreground', 'graceful']);
});

it('gives up when most deletions fail, and begins elsewhere the next time', async () => {
  const metadata = Array.from({ length: 1_000 }, (_, i) => ({ name: `${i}` }));
  const refuse = () => Promise.reject(newInternalError('no'));
  const { deleted, failed } = await attempt(SECRETS, metadata, refuse, 990);
  expect([deleted.length < 200, deleted.slice(8, 12)]).toEqual([true, ['998', '999', '0', '1']]);
  expect(failed).toContain('Internal error occurred: no');
});
