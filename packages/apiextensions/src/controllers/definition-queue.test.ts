import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { systemClock } from '@apiserver/apimachinery/clock';
import { newConflict } from '@apiserver/apimachinery/errors';
import { ManualClock } from '@apiserver/apimachinery/testing';
import { throwingLogger } from '@apiserver/apiserver-contracts/testing';
import { noWorkQueueMetrics } from '@apiserver/component-base/work-queue';
import { expect, it, vi } from 'vitest';
import { type DefinitionQueueOptions, runController } from './definition-queue.js';

const named = (name: string) => ({ metadata: { name } }) as CustomResourceDefinition;

/** Has every definition that is not among `deleted`, and reports those of `change`. */
function changingInformer() {
  let changed: ((definition: CustomResourceDefinition) => void) | undefined;
  const deleted = new Set<string>();
  const informer = {
    get: (_namespace: string, name: string) => (deleted.has(name) ? undefined : named(name)),
    subscribe: (handler: { added(definition: CustomResourceDefinition): void }) => {
      changed = handler.added;
      return () => {};
    },
  } as unknown as DefinitionQueueOptions['informer'];
  return { informer, deleted, change: (name: string) => changed?.(named(name)) };
}

it('a definition that changes while it is synced waits behind the others', async () => {
  const synced: string[] = [];
  const waiting: (() => void)[] = [];
  const { informer, change } = changingInformer();
  const sync = async ({ metadata }: CustomResourceDefinition) => {
    synced.push(metadata.name ?? '');
    await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const signal = new AbortController().signal;
  const counts = { added: 0, started: 0, done: 0 };
  const metrics = {
    added: () => void counts.added++,
    started: (_key: string, _depth: number, waited: number) => {
      expect(waited).toBeGreaterThanOrEqual(0);
      counts.started++;
    },
    done: () => void counts.done++,
    retried: () => {},
  };
  runController({ name: 'test', sync }, { informer, clock: systemClock, logger: throwingLogger, signal, metrics });
  for (const name of ['a', 'a', 'b', 'c']) change(name);
  for (const count of [1, 2, 3, 4]) {
    await vi.waitFor(() => expect(synced.length).toBe(count), { timeout: 30_000 });
    if (count < 4) waiting.shift()?.();
  }
  expect(synced).toEqual(['a', 'b', 'c', 'a']);
  expect(counts).toEqual({ added: 4, started: 4, done: 3 });
});

it('begins no sync after its end', async () => {
  const { informer, change } = changingInformer();
  const synced: string[] = [];
  const stop = new AbortController();
  const controller = { name: 'test', sync: async () => void synced.push('a') };
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const metrics = { ...noWorkQueueMetrics, done: () => resolve() };
  runController(controller, { informer, clock: systemClock, logger: throwingLogger, signal: stop.signal, metrics });
  change('a');
  stop.abort();
  await ended;
  expect(synced).toEqual([]);
});

it('forgets the failures of a definition that is gone', async () => {
  const { informer, deleted, change } = changingInformer();
  const clock = new ManualClock();
  const pauses = vi.spyOn(clock, 'schedule');
  const controller = {
    name: 'test',
    sync: () => Promise.reject(newConflict({ group: 'apiextensions.k8s.io', resource: 'definitions' }, 'a', '')),
  };
  const { signal } = new AbortController();
  let done = 0;
  const metrics = { ...noWorkQueueMetrics, done: () => void done++ };
  runController(controller, { informer, clock, logger: throwingLogger, signal, metrics });
  const attempt = async (begin: () => void) => {
    const before = done;
    begin();
    await vi.waitFor(() => expect(done).toBe(before + 1), { timeout: 30_000 });
  };
  await attempt(() => change('a'));
  await attempt(() => clock.advance(50));
  deleted.add('a');
  await attempt(() => clock.advance(100));
  deleted.clear();
  await attempt(() => change('a'));
  expect(pauses.mock.calls.map(([, pause]) => pause)).toEqual([50, 100, 50]);
});
