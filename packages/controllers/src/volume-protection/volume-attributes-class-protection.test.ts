import type { KubeObject } from '@apiserver/apimachinery';
import { expect, it } from 'vitest';
import type { ControllerContext } from '../controller.js';
import { runVolumeAttributesClassProtection } from './volume-attributes-class-protection.js';

const CLASS = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttributesClass',
  metadata: { name: 'gold', deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['kubernetes.io/vac-protection'] },
};
const claim = (name: string) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name },
  spec: { volumeAttributesClassName: 'gold' },
  status: {},
});

/** Runs the controller, and deletes the claims one by one. The server has the claims that `listed` returns. */
async function deleting(claims: KubeObject[], listed: () => readonly KubeObject[]) {
  const stop = new AbortController();
  const requests: string[] = [];
  const syncs: Promise<void>[] = [];
  const deleted: ((object: KubeObject) => void)[] = [];
  const viewed = (resource: string) => {
    if (resource === 'volumeattributesclasses') return [CLASS];
    return resource === 'persistentvolumeclaims' ? claims : [];
  };
  const context = {
    signal: stop.signal,
    informer: ({ resource }: { resource: string }) => ({
      synced: async () => {},
      get: () => CLASS,
      list: () => viewed(resource),
      subscribe: (handlers: { deleted?: (object: KubeObject) => void }) => {
        if (handlers.deleted !== undefined) deleted.push(handlers.deleted);
        return () => {};
      },
    }),
    client: {
      resource: ({ resource }: { resource: string }) => ({
        list: async () => {
          requests.push(`list ${resource}`);
          const objects = resource === 'persistentvolumeclaims' ? listed() : [];
          return { items: objects.map((object) => ({ object })) };
        },
        update: async (_: string, { metadata }: KubeObject) => void requests.push(`keep ${metadata.finalizers}`),
      }),
    },
    queue: ({ sync }: { sync: (key: string) => Promise<void> }) => ({
      add: (key: string) => void syncs.push(sync(key)),
      idle: async () => {},
    }),
  };
  const run = runVolumeAttributesClassProtection(context as never as ControllerContext);
  await expect.poll(() => deleted.length).toBe(2);
  for (let gone = claims.shift(); gone !== undefined; gone = claims.shift()) {
    deleted[0]?.(gone);
    await Promise.all(syncs);
  }
  stop.abort();
  await run;
  return requests;
}

it('lists the claims of the server only when it knows none that names the class', async () => {
  const requests = await deleting([claim('a'), claim('b'), claim('c')], () => []);
  expect(requests).toEqual(['list persistentvolumes', 'list persistentvolumeclaims', 'keep ']);
});

it('keeps a class whose newest claim it does not know yet', async () => {
  const requests = await deleting([claim('a')], () => [claim('new')]);
  expect(requests).toEqual(['list persistentvolumes', 'list persistentvolumeclaims']);
});
