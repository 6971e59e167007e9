import type { Pod, Secret, ServiceAccount } from '@apiserver/api/core/v1';
import { newConflict, newNotFound } from '@apiserver/apimachinery/errors';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import { ManualClock } from '@apiserver/registry-store/testing';
import { afterEach, expect, it } from 'vitest';
import type { ControllerContext } from '../controller.js';
import { runLegacyTokenCleaner } from './legacy-token-cleaner.js';

const DAY = 24 * 60 * 60 * 1000;
const NOW = Date.parse('2026-03-04T12:00:00Z');
const LAST_USED = 'kubernetes.io/legacy-token-last-used';
const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since';
let stop = new AbortController();
afterEach(() => stop.abort());

const KIND = { apiVersion: 'v1', kind: 'Secret' };

function secret(name: string, labels: Record<string, string> = {}, changes: Partial<Secret['metadata']> = {}): Secret {
  const annotations = { 'kubernetes.io/service-account.name': 'robot', 'kubernetes.io/service-account.uid': 'u' };
  const metadata = { namespace: 'n', name, uid: `uid-${name}`, resourceVersion: '7', labels, annotations };
  const creationTimestamp = '2020-01-01T00:00:00Z';
  return {
    ...KIND,
    metadata: { ...metadata, creationTimestamp, ...changes },
    type: 'kubernetes.io/service-account-token',
  };
}

/** `since`: null if the ConfigMap is absent. */
async function started(secrets: readonly Secret[], since: string | null = '2025-03-03', pods: Pod[] = []) {
  stop = new AbortController();
  const clock = new ManualClock(NOW);
  const seen: unknown[] = [];
  const references = secrets.map(({ metadata: { name = '' } }) => ({ name })).filter(({ name }) => name !== 'manual');
  const account: ServiceAccount = {
    ...KIND,
    kind: 'ServiceAccount',
    metadata: { namespace: 'n', name: 'robot', uid: 'u' },
    secrets: references,
  };
  const named = (name: string) => (name === 'robot' ? account : undefined);
  const clients: Record<string, object> = {
    configmaps: {
      get: async (namespace: string, name: string) => {
        if (since === null) throw newNotFound({ group: '', resource: 'configmaps' }, name);
        expect(`${namespace}/${name}`).toBe('kube-system/kube-apiserver-legacy-service-account-token-tracking');
        return { ...KIND, metadata: {}, data: { since } };
      },
    },
    pods: {
      list: async (namespace: string) => {
        seen.push(`list pods of ${namespace}`);
        return { items: pods.map((object) => ({ object })) };
      },
    },
    secrets: {
      patch: async (namespace: string, name: string, patch: object) => void seen.push([namespace, name, patch]),
      delete: async (namespace: string, name: string, options: object) => {
        seen.push([namespace, name, options]);
        if (name === 'changed') throw newConflict({ group: '', resource: 'secrets' }, name, 'changed');
      },
    },
  };
  const informers: Record<string, object> = {
    secrets: { synced: async () => {}, list: () => secrets },
    serviceaccounts: { synced: async () => {}, get: (_: string, name: string) => named(name) },
  };
  const logger = { info: () => {}, error: (error: Error) => seen.push(error.message) };
  const ended = runLegacyTokenCleaner({
    clock,
    signal: stop.signal,
    logger: logger as never,
    client: { resource: ({ resource }: { resource: string }) => clients[resource] } as never,
    informer: (({ resource }: { resource: string }) => informers[resource]) as never,
  } as Partial<ControllerContext> as ControllerContext);
  await eventLoopTurns();
  return { seen, clock, ended };
}

const marked = (name: string, today = '2026-03-04') => [
  'n',
  name,
  { type: 'merge', body: { metadata: { uid: `uid-${name}`, labels: { [INVALID_SINCE]: today } } } },
];
const deleted = (name: string) => ['n', name, { preconditions: { resourceVersion: '7' } }];

// Upstream: TestLegacyServiceAccountTokenCleanUp of pkg/controller/serviceaccount
it.each<[string, Secret, unknown]>([
  ['marks a token that was never used', secret('a'), marked('a')],
  ['marks a token whose last use is long ago', secret('a', { [LAST_USED]: '2025-03-03' }), marked('a')],
  ['keeps a token that was used a year ago', secret('a', { [LAST_USED]: '2025-03-04' }), undefined],
  ['keeps a token whose last use is unknown', secret('a', { [LAST_USED]: 'long ago' }), undefined],
  ['keeps a young token', secret('a', {}, { creationTimestamp: '2025-03-04T12:00:00Z' }), undefined],
  ['marks an older one', secret('a', {}, { creationTimestamp: '2025-03-04T11:59:59Z' }), marked('a')],
  ['keeps a token that is being deleted', secret('a', {}, { deletionTimestamp: '2026-03-04T00:00:00Z' }), undefined],
  ['keeps a token that its account does not list', secret('manual'), undefined],
  ['keeps a token of no account', secret('a', {}, { annotations: {} }), undefined],
  [
    'keeps a token of a former account',
    secret('a', {}, { annotations: { ...secret('a').metadata.annotations, 'kubernetes.io/service-account.uid': 'x' } }),
    undefined,
  ],
  ['marks a token with an invalid mark again', secret('a', { [INVALID_SINCE]: '2023-02-30' }), marked('a')],
  ['keeps a marked token for a year', secret('a', { [INVALID_SINCE]: '2025-03-04' }), undefined],
  ['deletes it then', secret('a', { [INVALID_SINCE]: '2025-03-03' }), deleted('a')],
  ['leaves a changed one to the next day', secret('changed', { [INVALID_SINCE]: '2025-03-03' }), deleted('changed')],
])('%s', async (_, token, change) => {
  const { seen } = await started([token]);
  expect(seen.filter((entry) => entry !== 'list pods of n')).toEqual(change === undefined ? [] : [change]);
});

it('keeps tokens that pods name, and reads the pods of a namespace once', async () => {
  const volumes = [{ name: 'v', secret: { secretName: 'mounted' } }];
  const pod = { metadata: {}, spec: { containers: [], volumes }, status: {} };
  const { seen } = await started([secret('mounted'), secret('a')], '2025-03-03', [pod as never]);
  expect(seen).toEqual(['list pods of n', marked('a')]);
});

it.each([
  ['waits until the use was tracked for a year and a day', '2025-03-04', []],
  ['waits for a day that it can read', 'yesterday', [expect.stringContaining('has no day')]],
])('%s', async (_, since, expected) => {
  const { seen, clock } = await started([secret('a')], since);
  expect(seen).toEqual(expected);
  clock.advance(DAY);
  await eventLoopTurns();
  expect(seen).toEqual(
    since === 'yesterday' ? [...expected, ...expected] : ['list pods of n', marked('a', '2026-03-05')],
  );
});

it('waits without a word until the server has recorded the day', async () => {
  const { seen } = await started([secret('a')], null);
  expect(seen).toEqual([]);
});

it('ends with its signal', async () => {
  const { seen, clock, ended } = await started([]);
  stop.abort();
  await ended;
  clock.advance(2 * DAY);
  expect(seen).toEqual([]);
});
