import type { Namespace } from '@apiserver/api/core/v1';
import { newInternalError } from '@apiserver/apimachinery/errors';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import type { Informer } from '@apiserver/apiserver-contracts';
import { silentLogger } from '@apiserver/apiserver-contracts/testing';
import { runWorkQueue } from '@apiserver/component-base/work-queue';
import { ManualClock } from '@apiserver/registry-store/testing';
import { expect, it, onTestFinished } from 'vitest';
import type { ControllerContext } from '../controller.js';
import { runNamespaceController } from './namespace-controller.js';

const SECRETS = { group: '', version: 'v1', resource: 'secrets', kind: 'Secret', namespaced: true };
const VERBS = new Set(['list', 'watch', 'delete']);

/** The controller with one namespace, whose secrets `remove` deletes. */
function runningController(remove: (attempt: number) => Promise<void>) {
  const clock = new ManualClock();
  const stop = new AbortController();
  const { signal } = stop;
  const attempts = { count: 0 };
  let current: Namespace = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'ns' },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  };
  let handlers: Parameters<Informer<Namespace>['subscribe']>[0] = {};
  const change = (next: Namespace) => {
    const old = current;
    current = next;
    handlers.updated?.(next, old);
    return next;
  };
  const secrets = {
    list: async () => ({ items: [{ object: { metadata: { name: 's' } } }], resourceVersion: '7' }),
    delete: () => remove(++attempts.count),
    watch: () => new Promise(() => {}),
  };
  const namespaces = { get: async () => current, update: async (_: string, next: Namespace) => change(next) };
  const context = {
    ...{ clock, logger: silentLogger, random: () => 0, signal, isStoreShared: false },
    client: { resource: ({ resource }: { resource: string }) => (resource === 'secrets' ? secrets : namespaces) },
    discovery: async () => ({ resources: [{ ...SECRETS, verbs: VERBS }], kinds: new Map(), unknown: [] }),
    informer: () => ({
      subscribe: (given: typeof handlers) => {
        handlers = given;
        return () => {};
      },
    }),
    queue: (options: object) => runWorkQueue({ ...options, clock, logger: silentLogger, signal } as never),
  } as unknown as ControllerContext;
  const running = runNamespaceController(context);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  const end = () =>
    change({ ...current, metadata: { ...current.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
  return { clock, attempts, end, conditions: () => current.status.conditions ?? [] };
}

it('does not look at a namespace again because of its own reports', async () => {
  const refuse = (attempt: number) => Promise.reject(newInternalError(`no ${attempt}`));
  const { clock, attempts, end, conditions } = runningController(refuse);
  end();
  await eventLoopTurns();
  expect(attempts.count).toBe(1);
  expect(conditions().map(({ message }) => message)).toContainEqual(expect.stringContaining('no 1'));
  for (let retry = 1; retry < 4; retry++) {
    clock.advance(60_000);
    await eventLoopTurns();
  }
  expect(attempts.count).toBe(4);
});
