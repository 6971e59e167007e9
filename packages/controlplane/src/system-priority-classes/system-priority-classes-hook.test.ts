import type { KubeObject } from '@apiserver/apimachinery';
import { newAlreadyExists, newServiceUnavailable } from '@apiserver/apimachinery/errors';
import { everythingFieldSelector, everythingSelector } from '@apiserver/apimachinery/selectors';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import type { Logger, LoopbackClient, ResourceClient } from '@apiserver/apiserver-contracts';
import { createFakeStorage, ManualClock } from '@apiserver/registry-store/testing';
import { beforeEach, expect, it, type Mock, vi } from 'vitest';
import { systemPriorityClassesHook } from './system-priority-classes-hook.js';

const everything = { labelSelector: everythingSelector, fieldSelector: everythingFieldSelector };
const GROUP = { group: 'scheduling.k8s.io', resource: 'priorityclasses' };
const CLASSES = [
  { name: 'first', value: 2, description: 'd' },
  { name: 'second', value: 1, description: 'e' },
];

let logged: string[];
const logger: Logger = {
  info: (message) => void logged.push(message),
  warning: (message, fields) => void logged.push(`${message} ${fields?.['err']}`),
  error: () => {},
  v: () => undefined,
  named: () => logger,
};
let storage: ReturnType<typeof createFakeStorage<KubeObject>>;
let create: Mock<ResourceClient<KubeObject>['create']>;
let clock: ManualClock;

beforeEach(() => {
  logged = [];
  storage = createFakeStorage<KubeObject>();
  clock = new ManualClock();
  create = vi.fn(async (_namespace, object) => (await storage.create(object.metadata.name ?? '', object)).object);
});

function run(signal = new AbortController().signal): Promise<void> {
  const client = {
    list: () => storage.list('', everything),
    create: (...args: Parameters<typeof create>) => create(...args),
  };
  const loopbackClient = { resource: () => client } as unknown as LoopbackClient;
  return systemPriorityClassesHook({ classes: CLASSES, clock, logger }).run({ loopbackClient, signal });
}

it('creates missing ones after one list', async () => {
  await storage.create('second', { apiVersion: 'v', kind: 'k', metadata: { name: 'second' } });
  const list = vi.spyOn(storage, 'list');
  await run();
  expect(create.mock.calls).toEqual([
    [
      '',
      {
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: { name: 'first' },
        value: 2,
        description: 'd',
      },
    ],
  ]);
  expect(list).toHaveBeenCalledOnce();
  expect(logged).toEqual([
    'created PriorityClass first with value 2',
    'all system priority classes are created successfully or already exist.',
  ]);
  await run();
  expect(create).toHaveBeenCalledOnce();
});

it('tolerates a concurrent creation by another server', async () => {
  create.mockRejectedValue(newAlreadyExists(GROUP, 'x'));
  await run();
  expect(create).toHaveBeenCalledTimes(2);
});

it('retries every second, and gives up after 30 seconds', async () => {
  create.mockRejectedValue(newServiceUnavailable('not now'));
  const running = run();
  running.catch(() => {});
  for (let second = 0; second < 30; second++) {
    await eventLoopTurns();
    clock.advance(1000);
  }
  await expect(running).rejects.toThrow('unable to add default system priority classes: not now');
  expect(create).toHaveBeenCalledTimes(2 * 31);
  expect(logged[0]).toBe('unable to add default system priority classes. Retrying... not now');
});

it('does not delay a server that stops', async () => {
  create.mockRejectedValue(newServiceUnavailable('not now'));
  const stop = new AbortController();
  const running = run(stop.signal);
  await eventLoopTurns();
  stop.abort();
  await running;
  expect(create).toHaveBeenCalledTimes(2);
});
