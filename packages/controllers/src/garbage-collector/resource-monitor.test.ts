import type { KubeObject } from '@apiserver/apimachinery';
import { systemClock } from '@apiserver/apimachinery/clock';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import type { StoredObject, WatchEvent, WatchSink } from '@apiserver/apiserver-contracts';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { expect, it } from 'vitest';
import { DependencyGraph } from './dependency-graph.js';
import { ResourceMonitor } from './resource-monitor.js';

const ignore = () => {};
const resource = {
  group: '',
  version: 'v1',
  resource: 'things',
  kind: 'Thing',
  namespaced: true,
  verbs: new Set<string>(),
};
const dependent: KubeObject = {
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: {
    name: 'late',
    namespace: 'ns',
    uid: 'late',
    ownerReferences: [{ apiVersion: 'v1', kind: 'Thing', name: 'a', uid: 'a' }],
  },
};

it.each([
  ['before', false, 2],
  ['after', true, 0],
])('an object that is decoded %s the end of its monitor', async (_, isOver, size) => {
  const graph = new DependencyGraph({
    attemptToDelete: ignore,
    attemptToOrphan: ignore,
    lookUp: ignore,
    invalidNamespace: ignore,
  });
  const decoding = Promise.withResolvers<KubeObject>();
  const large: Partial<StoredObject> = { load: () => decoding.promise, resourceVersion: '2', wire: () => undefined };
  const event = { type: 'ADDED', object: large } as WatchEvent;
  const client = {
    resource,
    list: async () => ({ items: [], resourceVersion: '1' }),
    watch: async () => ({ start: (sink: WatchSink) => void sink.event(event), close: ignore }),
  };
  const { logger } = createTestLogger();
  const monitor = new ResourceMonitor(resource, graph, { client, clock: systemClock, random: () => 0, logger });
  await monitor.synced;
  await eventLoopTurns();
  if (isOver) await monitor[Symbol.asyncDispose]();
  decoding.resolve(dependent);
  await eventLoopTurns();
  await monitor[Symbol.asyncDispose]();
  expect(graph.size).toBe(size);
});
