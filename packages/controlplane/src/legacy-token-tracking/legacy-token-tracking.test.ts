import type { ConfigMap } from '@apiserver/api/core/v1';
import { newAlreadyExists, newConflict, newNotFound } from '@apiserver/apimachinery/errors';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import type { Logger, LoopbackClient, ResourceClient } from '@apiserver/apiserver-contracts';
import { ManualClock } from '@apiserver/registry-store/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { fakeClient } from '../testing/fake-client.js';
import { legacyTokenTrackingController } from './legacy-token-tracking-controller.js';

const NAME = 'kube-apiserver-legacy-service-account-token-tracking';
const GVR = { group: '', version: 'v1', resource: 'configmaps' };
const now = Date.parse('2026-03-04T23:30:00Z');
let stop = new AbortController();
afterEach(() => stop.abort());

async function started(client: LoopbackClient, ready: Promise<void> = Promise.resolve()) {
  stop = new AbortController();
  const errors: unknown[] = [];
  const logger: Logger = {
    info: () => {},
    warning: () => {},
    error: (error) => void errors.push(error),
    v: () => undefined,
    named: () => logger,
  };
  const clock = new ManualClock(now);
  const hook = legacyTokenTrackingController({ whenReady: () => ready, clock, random: () => 0, logger });
  await hook.run({ loopbackClient: client, signal: stop.signal });
  await eventLoopTurns();
  return { hook, clock, errors };
}

function withData(data: Record<string, string> | undefined): ConfigMap {
  const metadata = { name: NAME, namespace: 'kube-system' };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, ...(data && { data }) };
}

function configMapsOf(client: LoopbackClient): ResourceClient<ConfigMap> {
  return client.resource<ConfigMap>(GVR);
}

async function read(client: LoopbackClient): Promise<Readonly<Record<string, string>> | undefined> {
  return (await configMapsOf(client).get('kube-system', NAME)).data;
}

/** A client whose creations fail with the given errors, one after the other. */
function refusing(errors: unknown[]): LoopbackClient {
  const client = fakeClient();
  const configMaps = configMapsOf(client);
  const create: typeof configMaps.create = async (...given) => {
    if (errors.length > 0) throw errors.shift();
    return configMaps.create(...given);
  };
  const refused = {
    create,
    get: configMaps.get.bind(configMaps),
    list: configMaps.list.bind(configMaps),
    watch: configMaps.watch.bind(configMaps),
  };
  return { resource: () => refused as never };
}

describe('legacyTokenTrackingController', () => {
  it('writes the day in UTC, once the server is ready', async () => {
    const client = fakeClient();
    const ready = Promise.withResolvers<void>();
    const { hook } = await started(client, ready.promise);
    expect(hook.name).toBe('start-legacy-token-tracking-controller');
    await expect(read(client)).rejects.toThrow('not found');
    ready.resolve();
    await eventLoopTurns();
    expect(await read(client)).toEqual({ since: '2026-03-04' });
  });

  it.each<[string, Record<string, string> | undefined, Record<string, string>]>([
    ['keeps an earlier day', { since: '2023-01-31' }, { since: '2023-01-31' }],
    ['repairs an invalid day', { since: 'yesterday' }, { since: '2026-03-04' }],
    ['repairs a day that does not exist', { since: '2023-02-30' }, { since: '2026-03-04' }],
    ['repairs a timestamp', { since: '2023-01-31T00:00:00Z' }, { since: '2026-03-04' }],
    ['adds the key, and keeps other data', { other: 'x' }, { other: 'x', since: '2026-03-04' }],
    ['adds the key if there is no data', undefined, { since: '2026-03-04' }],
  ])('%s', async (_, existing, wanted) => {
    const client = fakeClient();
    await configMapsOf(client).create('kube-system', withData(existing));
    await started(client);
    expect(await read(client)).toEqual(wanted);
  });

  it('repairs later changes', async () => {
    const client = fakeClient();
    const { clock } = await started(client);
    clock.advance(3_600_000);
    const spoilt = withData({ since: '' });
    await configMapsOf(client).update('kube-system', {
      ...spoilt,
      metadata: { ...spoilt.metadata, resourceVersion: '2' },
    });
    await eventLoopTurns();
    expect(await read(client)).toEqual({ since: '2026-03-05' });
  });

  it('recreates it after a deletion, at most once in 30 minutes', async () => {
    const client = fakeClient();
    const { clock } = await started(client);
    await configMapsOf(client).delete('kube-system', NAME);
    await eventLoopTurns();
    clock.advance(30 * 60_000 - 1);
    await eventLoopTurns();
    await expect(read(client)).rejects.toThrow('not found');
    clock.advance(1);
    await eventLoopTurns();
    expect(await read(client)).toEqual({ since: '2026-03-05' });
  });

  it('retries with backoff, and does not count failed creations', async () => {
    const client = refusing([new Error('one'), new Error('two')]);
    const { clock, errors } = await started(client);
    expect(errors).toHaveLength(1);
    clock.advance(5);
    await eventLoopTurns();
    expect(errors).toHaveLength(2);
    clock.advance(9);
    await eventLoopTurns();
    await expect(read(client)).rejects.toThrow('not found');
    clock.advance(1);
    await eventLoopTurns();
    expect(await read(client)).toEqual({ since: '2026-03-04' });
  });

  it.each<[string, Error, boolean]>([
    ['a deletion', newNotFound(GVR, NAME), false],
    ['a change', newConflict(GVR, NAME, 'changed'), false],
    ['nothing but a failure', new Error('no storage'), true],
  ])('leaves the next attempt to the event of %s', async (_what, failure, isLogged) => {
    const client = fakeClient();
    const configMaps = configMapsOf(client);
    await configMaps.create('kube-system', withData({}));
    const { update } = configMaps;
    Object.assign(configMaps, { update: () => Promise.reject(failure) });
    const { errors, clock } = await started({ resource: () => configMaps as never });
    expect(errors.length > 0).toBe(isLogged);
    Object.assign(configMaps, { update });
    clock.advance(100);
    await eventLoopTurns();
    expect(await read(client)).toEqual(isLogged ? { since: '2026-03-04' } : {});
  });

  it('counts a creation by another server as its own', async () => {
    const client = refusing([newAlreadyExists(GVR, NAME)]);
    const { clock, errors } = await started(client);
    clock.advance(60_000);
    await eventLoopTurns();
    expect(errors).toEqual([]);
    await expect(read(client)).rejects.toThrow('not found');
  });
});
