import type { Event } from '@apiserver/api/core/v1';
import { expect, it } from 'vitest';
import { objectAttributes } from '../../testing/attributes.js';
import { testPluginDependencies } from '../../testing/plugin-dependencies.js';
import { runPlugin } from '../../testing/run-plugin.js';
import { eventRateLimit } from './event-rate-limit.js';

function event(namespace = 'ns', about = 'p', dryRun = false, user = 'u') {
  const object = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'e', namespace },
    involvedObject: { kind: 'Pod', name: about },
    source: { component: 'c' },
  } as Event;
  return objectAttributes('events', object, { dryRun, user: { name: user, groups: [], extra: {} } });
}

const plugin = (...limits: object[]) => {
  const dependencies = testPluginDependencies({}, { configuration: { limits } });
  const limiter = eventRateLimit(dependencies);
  const ask = async (attributes: ReturnType<typeof event>) => {
    const outcome = await runPlugin(limiter, attributes);
    return 'refused' in outcome ? outcome.refused : '';
  };
  return { ask, advance: dependencies.advance };
};

it.each<[string, ReturnType<typeof event>, string]>([
  ['Server', event('other', 'q', false, 'v'), ''],
  ['Namespace', event('ns', 'q', false, 'v'), 'ns'],
  ['User', event('other', 'q'), 'u'],
  ['SourceAndObject', event('other'), 'cPodp'],
])('limits by %s', async (type, same, key) => {
  const { ask } = plugin({ type, qps: 1, burst: 1 });
  expect(await ask(event())).toBe('');
  expect(await ask(same)).toBe(`limit reached on type ${type} for key ${key}`);
  if (type !== 'Server') expect(await ask(event('third', 'r', false, 'w'))).toBe('');
});

it('admits a burst, then the configured rate per second', async () => {
  const { ask, advance } = plugin({ type: 'Server', qps: 2, burst: 3 });
  const count = async () => {
    const answers = await Promise.all(Array.from({ length: 9 }, () => ask(event())));
    return answers.filter((answer) => answer === '').length;
  };
  expect(await count()).toBe(3);
  advance(1000);
  expect(await count()).toBe(2);
  advance(60_000);
  expect(await count()).toBe(3);
});

it('names each limit that is reached, evicts the least recently used key, and does not count dry runs', async () => {
  const { ask } = plugin({ type: 'User', qps: 1, burst: 1 }, { type: 'Namespace', qps: 1, burst: 1, cacheSize: 1 });
  expect(await ask(event('ns', 'p', true))).toBe('');
  expect(await ask(event())).toBe('');
  expect(await ask(event())).toBe('[limit reached on type User for key u, limit reached on type Namespace for key ns]');
  expect(await ask(event('b', 'p', false, 'v'))).toBe('');
  expect(await ask(event('ns', 'p', false, 'w'))).toBe('');
});

const UNKNOWN = 'Unsupported value: "x": supported values: "Namespace", "Server", "SourceAndObject", "User"';

it.each([
  [undefined, 'limits: Invalid value: null: must not be empty'],
  [[], 'limits: Invalid value: []: must not be empty'],
  [
    [{ type: 'x' }],
    `[limits[0].type: ${UNKNOWN}, limits[0].burst: Invalid value: 0: must be positive, limits[0].qps: Invalid value: 0: must be positive]`,
  ],
  [[{ type: 'Server', qps: 0, burst: 1, cacheSize: -1 }], 'limits[0].qps: Invalid value: 0: must be positive'],
  [
    [
      { type: 'Server', qps: 1, burst: -1 },
      { type: 'User', qps: 1, burst: 1, cacheSize: -1 },
    ],
    '[limits[0].burst: Invalid value: -1: must be positive, limits[1].cacheSize: Invalid value: -1: must not be negative]',
  ],
])('refuses limits %j', (limits, message) => {
  const dependencies = testPluginDependencies({}, { configuration: { limits } });
  expect(() => eventRateLimit(dependencies)).toThrow(new Error(message));
});

it('names the source and the object of an event by all their fields', async () => {
  const { ask } = plugin({ type: 'SourceAndObject', qps: 1, burst: 1 });
  const about = { kind: 'Pod', namespace: 'n', name: 'p', uid: 'u', apiVersion: 'v' };
  const object = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'e', namespace: 'ns' },
    involvedObject: about,
    source: { component: 'c', host: 'h' },
  };
  await ask(objectAttributes('events', object));
  expect(await ask(objectAttributes('events', object))).toBe('limit reached on type SourceAndObject for key chPodnpuv');
});
