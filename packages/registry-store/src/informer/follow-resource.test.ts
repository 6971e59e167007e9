import {
  newInvalid,
  newResourceExpired,
  newServiceUnavailable,
  newTooManyRequests,
} from '@apiserver/apimachinery/errors';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import type { Logger, WatchEvent, WatchSink, WatchSource } from '@apiserver/apiserver-contracts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { unstoredObject } from '../store/unstored-object.js';
import { type Widget, widget, widgetResource } from '../testing/widget.js';
import { type FollowOptions, followResource } from './follow-resource.js';
import type { FollowedClient } from './followed-client.js';
import type { ResourceSink } from './resource-sink.js';

let logged: unknown[];
const verbose: Logger = {
  info: () => {},
  warning: () => {},
  error: (error, message, fields) => void logged.push([error, message, fields]),
  v: () => undefined,
  named: () => verbose,
};
const logger: Logger = { ...verbose, error: () => {}, v: (level) => (level === 2 ? verbose : undefined) };

/** The line about a failure after which the resource is listed again. */
const again = (error: unknown) => [error, 'Informer lists again', { resource: 'widgets.example.com' }];

/** Pauses end at once, and are counted. */
let pauses: number;
const clock = {
  now: () => 0,
  schedule(callback: () => void) {
    pauses++;
    const timer = setImmediate(callback);
    return () => clearImmediate(timer);
  },
};

let stop: AbortController;
let heard: string[];
beforeEach(() => {
  [logged, pauses, heard, stop] = [[], 0, [], new AbortController()];
});
afterEach(() => stop.abort());

const sink: ResourceSink<Widget> = {
  replace: async (listed) => void heard.push(`list ${listed.map(({ object }) => object.metadata.name)}`),
  event: ({ type, object }) => void heard.push(`${type} ${object.object.metadata.name}`),
};

function event(type: WatchEvent<Widget>['type'], name: string, resourceVersion: string): WatchEvent<Widget> {
  const object = widget({ name, namespace: 'ns', resourceVersion });
  return {
    type,
    object: { ...unstoredObject(object), object, resourceVersion, wire: () => undefined },
    frames: new Map(),
  };
}

function end(resourceVersion: string): WatchEvent<Widget> {
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  const object = widget({ resourceVersion, annotations });
  return { type: 'BOOKMARK', object: { object, resourceVersion, wire: () => undefined }, frames: new Map() };
}

/** A client whose watches do this with their sinks, in turn; further ones stay open. */
function following(
  watches: readonly ((to: WatchSink<Widget>) => void)[],
  changes: Partial<FollowedClient<Widget>> = {},
) {
  const requests: unknown[] = [];
  const closed: number[] = [];
  const client: FollowedClient<Widget> = {
    resource: widgetResource,
    streamsLists: true,
    list: async () => {
      requests.push('list');
      return { items: [], resourceVersion: '1' };
    },
    watch: async (namespace, options): Promise<WatchSource<Widget>> => {
      const index = requests.push([namespace, options]) - 1;
      return { start: (to) => watches[index]?.(to), close: () => void closed.push(index) };
    },
    ...changes,
  };
  const run = (options: Partial<FollowOptions<Widget>> = {}) =>
    followResource({ client, clock, random: () => 0, logger, ...options }, sink, stop.signal);
  return { requests, closed, run };
}

async function manyTurns(): Promise<void> {
  for (let i = 0; i < 5; i++) await eventLoopTurns();
}

const fromStart = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true };

it('asks for the present objects by a watch, and then for the changes after the last version', async () => {
  const { requests, closed, run } = following([
    (to) => {
      to.event(event('ADDED', 'a', '3'));
      to.event(end('5'));
      to.event(event('ADDED', 'b', '6'));
      to.end();
    },
  ]);
  void run();
  await eventLoopTurns();
  expect(requests).toEqual([
    ['', fromStart],
    ['', { resourceVersion: '6', allowWatchBookmarks: true }],
  ]);
  expect([heard, closed, pauses, logged]).toEqual([['list a', 'ADDED b'], [0], 0, []]);
});

it('follows the namespace that it is given', async () => {
  const { requests, run } = following([]);
  void run({ namespace: 'ns' });
  await eventLoopTurns();
  expect(requests).toEqual([['ns', fromStart]]);
});

it('begins again if the watch ends within the present objects, after a pause', async () => {
  const { requests, run } = following([
    (to) => {
      to.event(event('ADDED', 'a', '3'));
      to.end();
    },
    (to) => to.end(),
  ]);
  void run();
  await manyTurns();
  expect(requests).toEqual([0, 1, 2].map(() => ['', fromStart]));
  const message = expect.stringContaining('the watch ended within its initial events');
  expect([heard, pauses, logged]).toEqual([[], 2, [0, 1].map(() => again(expect.objectContaining({ message })))]);
});

it.each([
  ['that asks for patience', newTooManyRequests('busy', 1), 1],
  ['about a version that is too old', newResourceExpired('old'), 0],
])('streams again after a failure %s', async (_of, failure, waits) => {
  const { requests, run } = following([(to) => to.end(failure)]);
  void run();
  await manyTurns();
  expect([requests, pauses, logged]).toEqual([[0, 1].map(() => ['', fromStart]), waits, [again(failure)]]);
});

it.each([
  ['refuses', newInvalid({ group: '', kind: 'ListOptions' }, '', [])],
  ['fails to send', newServiceUnavailable('away')],
])('lists at once where the server %s a streamed list, and follows', async (_does, failure) => {
  const { requests, run } = following([
    (to) => {
      to.event(event('ADDED', 'a', '3'));
      to.end(failure);
    },
  ]);
  void run();
  await manyTurns();
  expect(requests).toEqual([['', fromStart], 'list', ['', { resourceVersion: '1', allowWatchBookmarks: true }]]);
  expect([heard, pauses, logged]).toEqual([['list '], 0, []]);
});

it('lists where the streamed list cannot be asked for', async () => {
  const watch = vi
    .fn()
    .mockRejectedValueOnce(newServiceUnavailable('away'))
    .mockReturnValue(new Promise(() => {}));
  const { requests, run } = following([], { watch });
  void run();
  await manyTurns();
  expect([requests, watch.mock.calls.length, heard]).toEqual([['list'], 2, ['list ']]);
});

it('pauses if the list fails as well, and streams again', async () => {
  const refused = newInvalid({ group: '', kind: 'ListOptions' }, '', []);
  const list = vi.fn(async (): Promise<never> => {
    throw refused;
  });
  const { requests, run } = following([(to) => to.end(refused)], { list });
  void run();
  await manyTurns();
  expect([requests, list.mock.calls.length, pauses]).toEqual([[0, 1].map(() => ['', fromStart]), 1, 1]);
});

it('does not list when a watch fails that has sent the list', async () => {
  const away = newServiceUnavailable('away');
  const { requests, run } = following([
    (to) => {
      to.event(end('5'));
      to.end(away);
    },
  ]);
  void run();
  await manyTurns();
  expect([requests, pauses, logged]).toEqual([[0, 1].map(() => ['', fromStart]), 1, [again(away)]]);
});

it('says nothing about a failure after its end', async () => {
  const gate = Promise.withResolvers<never>();
  const { run } = following([], { watch: () => gate.promise });
  const running = run();
  stop.abort();
  gate.reject(new Error('late'));
  await running;
  expect([logged, heard]).toEqual([[], []]);
});

it('closes a watch that is opened after its end', async () => {
  const gate = Promise.withResolvers<WatchSource<Widget>>();
  const close = vi.fn();
  const start = vi.fn();
  const { run } = following([], { watch: () => gate.promise });
  const running = run();
  stop.abort();
  await running;
  gate.resolve({ start, close });
  await eventLoopTurns();
  expect([close.mock.calls.length, start.mock.calls.length]).toEqual([1, 0]);
});

it('passes nothing on after the sink has failed, and begins again', async () => {
  const { requests, run } = following([
    (to) => {
      to.event(end('5'));
      for (const name of ['a', 'b']) to.event(event('ADDED', name, '6'));
    },
  ]);
  const failing = vi.spyOn(sink, 'event').mockImplementationOnce(async () => {
    throw new Error('a bug');
  });
  void run();
  await manyTurns();
  expect([heard, requests.length, failing.mock.calls.length]).toEqual([['list '], 2, 1]);
  failing.mockRestore();
});
