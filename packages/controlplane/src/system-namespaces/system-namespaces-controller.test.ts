import type { KubeObject } from '@apiserver/apimachinery';
import { newAlreadyExists, newServiceUnavailable } from '@apiserver/apimachinery/errors';
import { everythingFieldSelector, everythingSelector } from '@apiserver/apimachinery/selectors';
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

/** A client of the storage alone: what of the chain lies before it does not matter here. */
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
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('systemNamespacesController', () => {
  it('has made all of them when the hook is done', async () => {
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

  it('makes only what is missing', async () => {
    await storage.create('default', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } });
    await run();
    expect(create).toHaveBeenCalledTimes(3);
    expect(await present()).toEqual(ALL);
  });

  it('makes one again when it is deleted, and lets others go', async () => {
    await run();
    await settled();
    await storage.create('mine', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'mine' } });
    await remove('mine');
    await remove('kube-node-lease');
    await settled();
    expect(await present()).toEqual(ALL);
    expect(create).toHaveBeenCalledTimes(5);
  });

  it('logs what fails, goes on with the others, and tries again in a minute', async () => {
    const works = create.getMockImplementation();
    create.mockImplementation(async (namespace, object) => {
      if (object.metadata.name === 'kube-public') throw newServiceUnavailable('not now');
      return works?.(namespace, object) ?? object;
    });
    await run();
    expect(await present()).toEqual(ALL.filter((name) => name !== 'kube-public'));
    expect(logged).toEqual(['Unable to create required kubernetes system namespace kube-public: StatusError: not now']);
    create.mockImplementation(works ?? (async (_namespace, object) => object));
    await settled();
    clock.advance(60_000);
    await settled();
    expect(await present()).toEqual(ALL);
  });

  it('does not mind that another server was faster', async () => {
    create.mockRejectedValue(newAlreadyExists({ group: '', resource: 'namespaces' }, 'x'));
    await run();
    expect(logged).toEqual([]);
  });

  it('ends with the signal', async () => {
    await run();
    await settled();
    stop.abort();
    await remove('default');
    clock.advance(600_000);
    await settled();
    expect(await present()).toEqual(ALL.filter((name) => name !== 'default'));
  });

  it('does not hold a start up that is given up', async () => {
    storage.list = () => new Promise(() => {});
    const running = run();
    stop.abort(new Error('shutting down'));
    await running;
    expect(create).not.toHaveBeenCalled();
  });
});
