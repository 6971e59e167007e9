import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import type { Informer } from '@apiserver/apiserver-contracts';
import { expect, it, vi } from 'vitest';
import { findCondition } from '../custom-resource-definition/types.js';
import { runController } from './definition-queue.js';
import { namingController } from './naming-controller.js';

function definition(plural: string, shortNames: string[]): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com`, uid: plural, resourceVersion: '1' },
    spec: { group: 'example.com', scope: 'Cluster', names: { plural, kind: `K${plural}`, shortNames }, versions: [] },
    status: { acceptedNames: { plural: '', kind: '' } },
  };
}

type Handlers = Parameters<Informer<CustomResourceDefinition>['subscribe']>[0];

/** Runs a controller whose writes end when the test says so. */
function start(definitions: readonly CustomResourceDefinition[], signal: AbortSignal) {
  const subscribed = new Set<Handlers>();
  const informer = {
    get: (_namespace: string, name: string) => definitions.find(({ metadata }) => metadata.name === name),
    list: () => definitions,
    subscribe: (handlers: Handlers) => {
      subscribed.add(handlers);
      for (const one of definitions) handlers.added?.(one);
      return () => subscribed.delete(handlers);
    },
  } as unknown as Informer<CustomResourceDefinition>;
  const writes: { readonly written: CustomResourceDefinition; end(error?: Error): void }[] = [];
  const updateStatus = (written: CustomResourceDefinition) => {
    const { promise, resolve, reject } = Promise.withResolvers<CustomResourceDefinition>();
    writes.push({ written, end: (error) => (error === undefined ? resolve(written) : reject(error)) });
    return promise;
  };
  const client = { now: () => '2026-01-01T00:00:00Z', updateStatus } as never;
  const logger = { error: vi.fn() } as never;
  const controller = namingController(informer, client, () => false);
  const clock = { now: () => 0, schedule: (retry: () => void) => clearing(setImmediate(retry)) };
  runController(controller, { informer, clock, logger, signal });
  return writes;
}

const clearing = (timer: NodeJS.Immediate) => () => clearImmediate(timer);

const accepted = (written: CustomResourceDefinition) => findCondition(written, 'NamesAccepted')?.reason;

it('writes several definitions at once, and accepts no name twice', async () => {
  using stop = new DisposableStack();
  const abort = new AbortController();
  stop.defer(() => abort.abort());
  const writes = start(
    [definition('ones', ['o']), definition('twos', ['o']), definition('threes', ['t'])],
    abort.signal,
  );
  await vi.waitFor(() => expect(writes).toHaveLength(3), 30_000);
  expect(writes.map(({ written }) => accepted(written))).toEqual(['NoConflicts', 'ShortNamesConflict', 'NoConflicts']);
});

it('refuses names of its own for something else', async () => {
  using stop = new DisposableStack();
  const abort = new AbortController();
  stop.defer(() => abort.abort());
  const base = definition('ones', ['ones', 'one']);
  const names = { ...base.spec.names, singular: 'one', listKind: 'OneList' };
  const acceptedNames = { plural: 'ones', singular: 'one', kind: 'OneList', listKind: 'OneList' };
  const writes = start([{ ...base, spec: { ...base.spec, names }, status: { acceptedNames } }], abort.signal);
  await vi.waitFor(() => expect(writes).toHaveLength(1), 30_000);
  const condition = findCondition(writes[0]?.written as CustomResourceDefinition, 'NamesAccepted');
  expect(condition).toMatchObject({
    reason: 'ShortNamesConflict',
    message: '["ones" is already in use, "one" is already in use]',
  });
});

it('leaves a definition alone that has its names', async () => {
  using stop = new DisposableStack();
  const abort = new AbortController();
  stop.defer(() => abort.abort());
  const base = definition('ones', []);
  const refused = { type: 'NamesAccepted', status: 'False', reason: 'KindConflict', message: 'no' };
  const status = { acceptedNames: { ...base.spec.names, shortNames: [], categories: [] }, conditions: [refused] };
  const writes = start([{ ...base, status }, definition('twos', [])], abort.signal);
  await vi.waitFor(() => expect(writes).toHaveLength(1), 30_000);
  await new Promise(setImmediate);
  expect(writes.map(({ written }) => written.metadata.name)).toEqual(['twos.example.com']);
});

it('gives up the names of a write that failed', async () => {
  using stop = new DisposableStack();
  const abort = new AbortController();
  stop.defer(() => abort.abort());
  const writes = start([definition('ones', ['o']), definition('twos', ['o'])], abort.signal);
  await vi.waitFor(() => expect(writes).toHaveLength(2), 30_000);
  for (const write of writes) write.end(new Error('no'));
  await vi.waitFor(() => expect(writes).toHaveLength(4), 30_000);
  expect(accepted(writes[2]?.written as CustomResourceDefinition)).toBe('NoConflicts');
});
