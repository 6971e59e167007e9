import type { KubeObject } from '@apiserver/apimachinery';
import { newAlreadyExists, newServiceUnavailable } from '@apiserver/apimachinery/errors';
import { everythingFieldSelector, everythingSelector } from '@apiserver/apimachinery/selectors';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import type { Logger, LoopbackClient, ResourceClient } from '@apiserver/apiserver-contracts';
import { createFakeStorage, ManualClock } from '@apiserver/registry-store/testing';
import { afterEach, beforeEach, describe, expect, it, type Mock, vi } from 'vitest';
import { systemNamespacesController } from './system-namespaces-controller.js';

const everything = { labelSelector: everythingSelector, fieldSelector: everythingFieldSelector, allowBookmarks: true };
const ALL = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

const logged: string[] = [];
const logger: Logger = {
  info: () => {},
  warning: () => {},
  error: (error, message, fields) => void logged.push(`${message} ${fields?.['namespace']}: ${error}`),
  v: () => undefined,
  named: () => logger,
};

let storage: ReturnType<typeof createFakeStorage<KubeObject>>;
let create: Mock<ResourceClient<KubeObject>['create']>;
let clock: ManualClock;
let stop: AbortController;

beforeEach(() => {
  logged.length = 0;
  storage = createFakeStorage<KubeObject>();
  clock = new ManualClock();
  stop = new AbortController();
  create = vi.fn(async (_namespace, object) => (await storage.create(object.metadata.name ?? '', object)).object);
});

afterEach(() => stop.abort());

/** Uses a client of the storage, without the handler chain. */
function run(): Promise<void> {
  const client = {
    list: () => storage.list('', everything),
    watch: () => storage.watch('', everything),
    create: (namespace: string, object: KubeObject) => create(namespace, object),
  };
  const loopbackClient = { resource: () => client } as unknown as LoopbackClient;
  return systemNamespacesController({ clock, random: () => 0, logger }).run({ loopbackClient, signal: stop.signal });
}

const present = async () => (await storage.list('', everything)).items.map(({ object }) => object.metadata.name);
const remove = (name: string) => storage.delete(name, {}, async () => {});
describe('systemNamespacesController', () => {
  it('has created all of them when the hook finishes', async () => {
    await run();
    expect(await present()).toEqual(ALL);
    expect(create.mock.calls.map(([, object]) => object)).toEqual(
      ['kube-system', 'kube-public', 'kube-node-lease', 'default'].map((name) => ({
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name },
      })),
    );
  });

  it('creates only missing ones', async () => {
    await storage.create('default', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } });
    await run();
    expect(create).toHaveBeenCalledTimes(3);
    expect(await present()).toEqual(ALL);
  });

  it('recreates one after a deletion, but no others', async () => {
    await run();
    await eventLoopTurns();
    await storage.create('mine', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'mine' } });
    await remove('mine');
    await remove('kube-node-lease');
    await eventLoopTurns();
    expect(await present()).toEqual(ALL);
    expect(create).toHaveBeenCalledTimes(5);
  });

  it('logs failures, continues with the others, and retries in a minute', async () => {
    const works = create.getMockImplementation();
    create.mockImplementation(async (namespace, object) => {
      if (object.metadata.name === 'kube-public') throw newServiceUnavailable('not now');
      return works?.(namespace, object) ?? object;
    });
    await run();
    expect(await present()).toEqual(ALL.filter((name) => name !== 'kube-public'));
    expect(logged).toEqual(['Unable to create required kubernetes system namespace kube-public: StatusError: not now']);
    create.mockImplementation(works ?? (async (_namespace, object) => object));
    await eventLoopTurns();
    clock.advance(60_000);
    await eventLoopTurns();
    expect(await present()).toEqual(ALL);
  });

  it('tolerates a concurrent creation by another server', async () => {
    create.mockRejectedValue(newAlreadyExists({ group: '', resource: 'namespaces' }, 'x'));
    await run();
    expect(logged).toEqual([]);
  });

  it('ends with the signal', async () => {
    await run();
    await eventLoopTurns();
    stop.abort();
    await remove('default');
    clock.advance(600_000);
    await eventLoopTurns();
    expect(await present()).toEqual(ALL.filter((name) => name !== 'default'));
  });

  it('does not delay a start that is cancelled', async () => {
    storage.list = () => new Promise(() => {});
    const running = run();
    stop.abort(new Error('shutting down'));
    await running;
    expect(create).not.toHaveBeenCalled();
  });
  it('creates none after the signal, at whatever point of its start', async () => {
    const list = storage.list.bind(storage);
    for (let turns = 0; turns < 30; turns++) {
      stop = new AbortController();
      const late: number[] = [];
      create.mockImplementation(async (_namespace, object) => {
        if (stop.signal.aborted) late.push(turns);
        return object;
      });
      storage.list = async (...request) => {
        const found = await list(...request);
        void abortAfter(turns);
        return found;
      };
      await run();
      expect(late).toEqual([]);
    }
  });

  /** Aborts when this many more microtasks have run. */
  async function abortAfter(turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn++) await undefined;
    stop.abort();
  }
});
