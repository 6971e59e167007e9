import { QuotaRecount } from '@apiserver/admission';
import type { ResourceQuota } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { newInternalError } from '@apiserver/apimachinery/errors';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import type { ResourceClient, WatchSink } from '@apiserver/apiserver-contracts';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { ManualClock } from '@apiserver/registry-store/testing';
import { expect, it, onTestFinished } from 'vitest';
import { UsageMonitors } from './usage-monitors.js';

const SECRETS = { group: '', version: 'v1', resource: 'secrets', kind: 'Secret', namespaced: true };
const resources = [{ ...SECRETS, verbs: new Set(['list', 'watch']) }];
const quotas = [{ metadata: { name: 'q' }, spec: { hard: { secrets: '3' } } }] as unknown as ResourceQuota[];

/** Monitors of secrets, whose lists wait for the test. */
function monitored() {
  const clock = new ManualClock();
  const log: string[] = [];
  const lists: PromiseWithResolvers<{ readonly items: []; readonly resourceVersion: string }>[] = [];
  const sinks: WatchSink[] = [];
  const client = {
    resource: SECRETS,
    list: () => {
      lists.push(Promise.withResolvers());
      return lists.at(-1)?.promise;
    },
    watch: async () => ({ start: (sink: WatchSink) => void sinks.push(sink), close: () => {} }),
  } as unknown as ResourceClient<KubeObject>;
  const { logger } = createTestLogger();
  const monitors = new UsageMonitors({
    recount: new QuotaRecount(clock, { enabled: () => true }),
    clock,
    followOptions: () => ({ client, clock, random: () => 0, logger }),
    onChange: (namespace) => void log.push(`changed ${namespace}`),
  });
  onTestFinished(() => monitors[Symbol.asyncDispose]());
  const sync = () => monitors.sync('ns', quotas, resources as never).then(() => void log.push('begun'));
  const list = (number: number) => lists[number]?.resolve({ items: [], resourceVersion: '1' });
  return { log, clock, sync, list, sinks };
}

it('lets a count wait for their first lists, which are no change', async () => {
  const { log, sync, list } = monitored();
  const both = Promise.all([sync(), sync()]);
  await eventLoopTurns();
  expect(log).toEqual([]);
  list(0);
  await both;
  await eventLoopTurns();
  await sync();
  expect(log).toEqual(['begun', 'begun', 'begun']);
});

it('report lists that come later', async () => {
  const { log, clock, sync, list, sinks } = monitored();
  const begun = sync();
  await eventLoopTurns();
  clock.advance(1_000);
  await begun;
  expect(log).toEqual(['begun']);
  list(0);
  await eventLoopTurns();
  expect(log).toEqual(['begun', 'changed ns']);
  sinks[0]?.end(newInternalError(new Error('lists again')));
  await eventLoopTurns();
  clock.advance(10_000);
  await eventLoopTurns();
  list(1);
  await eventLoopTurns();
  expect(log).toEqual(['begun', 'changed ns', 'changed ns']);
});
