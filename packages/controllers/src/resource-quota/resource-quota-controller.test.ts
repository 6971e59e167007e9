import type { ResourceQuota } from '@apiserver/api/core/v1';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import type { Informer } from '@apiserver/apiserver-contracts';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { runWorkQueue } from '@apiserver/component-base/work-queue';
import { ManualClock } from '@apiserver/registry-store/testing';
import { expect, it, onTestFinished } from 'vitest';
import type { ControllerContext } from '../controller.js';
import { runResourceQuotaController } from './resource-quota-controller.js';

const SECRETS = { group: '', version: 'v1', resource: 'secrets', kind: 'Secret', namespaced: true };
const VERBS = new Set(['create', 'list', 'watch', 'delete']);
const metadata = { namespace: 'ns', name: 'q' };
const quota = (secrets: string, status: ResourceQuota['status']): ResourceQuota => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata,
  spec: { hard: { secrets } },
  status,
});

/** The controller with one quota, whose counts take a second each. */
function runningController() {
  const clock = new ManualClock();
  const stop = new AbortController();
  const { logger } = createTestLogger();
  const counts: string[] = [];
  const during: (() => void)[] = [];
  let current = quota('1', {});
  let handlers: Parameters<Informer<ResourceQuota>['subscribe']>[0] = {};
  const change = (next: ResourceQuota) => {
    const old = current;
    current = next;
    handlers.updated?.(next, old);
  };
  const secrets = {
    list: async () => {
      counts.push(`${current.spec.hard?.['secrets']}`);
      clock.advance(1_000);
      during.pop()?.();
      return { items: [], resourceVersion: '1' };
    },
    watch: () => new Promise(() => {}),
  };
  const quotas = {
    update: async (_: string, written: ResourceQuota) => change({ ...current, status: written.status }),
  };
  const context = {
    ...{ clock, logger, random: () => 0, signal: stop.signal, features: { enabled: () => false } },
    client: { resource: ({ resource }: { resource: string }) => (resource === 'secrets' ? secrets : quotas) },
    discovery: async () => ({ resources: [{ ...SECRETS, verbs: VERBS }], kinds: new Map(), unknown: [] }),
    informer: () => ({
      list: () => [current],
      get: () => current,
      subscribe: (given: typeof handlers) => {
        handlers = given;
        return () => {};
      },
    }),
    queue: (options: object) => runWorkQueue({ ...options, clock, logger, signal: stop.signal } as never),
  } as unknown as ControllerContext;
  const running = runResourceQuotaController(context);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  return { clock, counts, during, change, begin: () => handlers.added?.(current), status: () => current.status };
}

it('counts at once when a client changes the limits, and pauses after a long count otherwise', async () => {
  const { clock, counts, change, begin, status } = runningController();
  await eventLoopTurns();
  begin();
  await eventLoopTurns();
  const first = counts.length;
  change(quota('1', { hard: { secrets: '0' }, used: { secrets: '7' } }));
  await eventLoopTurns();
  expect(counts.length).toBe(first);
  change(quota('2', status()));
  await eventLoopTurns();
  expect([counts.slice(first), status()]).toEqual([['2'], { hard: { secrets: '2' }, used: { secrets: '0' } }]);
  clock.advance(10_000);
});

it('counts at once when a client changes the limits during a long count', async () => {
  const { clock, counts, during, change, begin, status } = runningController();
  await eventLoopTurns();
  begin();
  await eventLoopTurns();
  const first = counts.length;
  during.push(() => change(quota('3', status())));
  change(quota('2', status()));
  await eventLoopTurns();
  expect([counts.slice(first), status().hard]).toEqual([['2', '3'], { secrets: '3' }]);
  clock.advance(10_000);
});
