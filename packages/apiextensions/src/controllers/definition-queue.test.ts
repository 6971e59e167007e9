import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { systemClock } from '@apiserver/apimachinery/clock';
import { throwingLogger } from '@apiserver/apiserver-contracts/testing';
import { noWorkQueueMetrics } from '@apiserver/registry-store';
import { expect, it, vi } from 'vitest';
import { type DefinitionQueueOptions, runController } from './definition-queue.js';

const named = (name: string) => ({ metadata: { name } }) as CustomResourceDefinition;

/** Has every definition, and reports those of `change`. */
function changingInformer() {
  let changed: ((definition: CustomResourceDefinition) => void) | undefined;
  const informer = {
    get: (_namespace: string, name: string) => named(name),
    subscribe: (handler: { added(definition: CustomResourceDefinition): void }) => {
      changed = handler.added;
      return () => {};
    },
  } as unknown as DefinitionQueueOptions['informer'];
  return { informer, change: (name: string) => changed?.(named(name)) };
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
