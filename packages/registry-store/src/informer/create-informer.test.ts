import { systemClock } from '@apiserver/apimachinery/clock';
import { newInvalid, newResourceExpired, newServiceUnavailable } from '@apiserver/apimachinery/errors';
import { everythingFieldSelector, everythingSelector } from '@apiserver/apimachinery/selectors';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import type {
  Informer,
  Logger,
  ResourceClient,
  StoredList,
  StoredObject,
  WatchSink,
  WatchSource,
} from '@apiserver/apiserver-contracts';
import { afterEach, beforeEach, describe, expect, it, type Mock, vi } from 'vitest';
import { createStorageProvider } from '../create-storage-provider.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { createFakeStorage, type FakeStorage } from '../testing/fake-storage.js';
import { type Widget, widget, widgetResource } from '../testing/widget.js';
import { memoizedCodecs, storedWidgetDefinition } from '../testing/widget-kind.js';
import { createInformer } from './create-informer.js';
import { type FollowOptions, followResource } from './follow-resource.js';
import type { FollowedClient } from './followed-client.js';

const everything = { labelSelector: everythingSelector, fieldSelector: everythingFieldSelector };

const errors: unknown[] = [];
const logger: Logger = {
  info: () => {},
  warning: () => {},
  error: (error, message, fields) => void errors.push([error, message, fields]),
  v: () => undefined,
  named: () => logger,
};

/** Pauses end at once, and are counted. */
const pauses: number[] = [];
const clock = {
  now: () => 0,
  schedule(callback: () => void, milliseconds: number) {
    pauses.push(milliseconds);
    const timer = setImmediate(callback);
    return () => clearImmediate(timer);
  },
};

let storage: FakeStorage<Widget>;
let client: FollowedClient<Widget> & {
  list: Mock<ResourceClient<Widget>['list']>;
  watch: Mock<ResourceClient<Widget>['watch']>;
};
let informer: Informer<Widget>;
let heard: string[];

beforeEach(() => {
  errors.length = 0;
  pauses.length = 0;
  heard = [];
  storage = createFakeStorage<Widget>();
  client = {
    resource: widgetResource,
    list: vi.fn((namespace: string) => storage.list(namespace === '' ? '' : `${namespace}/`, everything)),
    watch: vi.fn((namespace: string) =>
      storage.watch(namespace === '' ? '' : `${namespace}/`, { ...everything, allowBookmarks: true }),
    ),
  };
  informer = createInformer({ client, clock, random: () => 0, logger });
});

afterEach(() => informer[Symbol.asyncDispose]());

const put = (name: string, changes: Partial<Widget> = {}, namespace = 'ns') =>
  storage.guaranteedUpdate(`${namespace}/${name}`, {}, async () => ({ object: widget({ name, namespace }, changes) }));
const remove = (name: string) => storage.delete(`ns/${name}`, {}, async () => {});
const names = (objects: readonly Widget[]) => objects.map(({ metadata }) => metadata.name).sort();
function listen() {
  return informer.subscribe({
    added: ({ metadata }) => heard.push(`+${metadata.name}`),
    updated: ({ metadata }, old) =>
      heard.push(`~${metadata.name} ${old.metadata.resourceVersion}>${metadata.resourceVersion}`),
    deleted: ({ metadata }) => heard.push(`-${metadata.name}`),
  });
}

describe('createInformer', () => {
  it('does nothing before its first use', async () => {
    await eventLoopTurns();
    expect(client.list).not.toHaveBeenCalled();
    expect(informer.get('ns', 'a')).toBeUndefined();
    await informer.synced();
    expect(client.list).toHaveBeenCalledOnce();
  });

  it('has the listed objects, and shares them', async () => {
    const { stored } = await put('a');
    await put('b', {}, 'other');
    await informer.synced();
    expect(informer.get('ns', 'a')).toBe(stored.object);
    expect([names(informer.list()), names(informer.list('ns')), names(informer.list('none'))]).toEqual([
      ['a', 'b'],
      ['a'],
      [],
    ]);
  });

  it('follows changes, and reports them in order after the view has them', async () => {
    await put('a');
    await informer.synced();
    await eventLoopTurns();
    const stop = listen();
    await put('b');
    await put('a', { spec: { size: 2 } });
    expect(informer.get('ns', 'a')?.spec).toEqual({ size: 2 });
    await remove('b');
    expect(informer.get('ns', 'b')).toBeUndefined();
    stop();
    await put('c');
    expect(heard).toEqual(['+a', '+b', '~a 1>3', '-b']);
  });

  it('resumes from the last version when a watch ends', async () => {
    await put('a');
    await informer.synced();
    await eventLoopTurns();
    await put('b');
    storage.breakWatches();
    await eventLoopTurns();
    expect(client.list).toHaveBeenCalledOnce();
    expect(client.watch.mock.calls.map(([, options]) => options?.resourceVersion)).toEqual(['1', '2']);
  });

  it('lists again at once when its version is too old, and reports what it missed', async () => {
    await put('a');
    await put('b');
    await put('c');
    await informer.synced();
    await eventLoopTurns();
    listen();
    heard.length = 0;
    storage.breakWatches(newResourceExpired('too old resource version: 1 (9)'));
    await Promise.all([remove('a'), put('b', { spec: { size: 2 } }), put('d')]);
    await eventLoopTurns();
    expect(heard).toEqual(['-a', '~b 2>5', '+d']);
    expect([client.list.mock.calls.length, pauses]).toEqual([2, []]);
  });

  it('waits longer and longer while lists fail', async () => {
    const works = client.list.getMockImplementation();
    let failures = 0;
    client.list.mockImplementation((namespace) => {
      if (failures++ < 8) throw newServiceUnavailable('not yet');
      return works?.(namespace) ?? storage.list('', everything);
    });
    await informer.synced();
    expect(pauses).toEqual([800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
  });

  it('pauses before it repeats a watch that ends at once', async () => {
    await informer.synced();
    await eventLoopTurns();
    for (let i = 0; i < 3; i++) {
      storage.breakWatches();
      await eventLoopTurns();
    }
    expect(pauses).toEqual([800, 1600, 3200]);
  });

  it('isolates a handler that throws', async () => {
    await informer.synced();
    await eventLoopTurns();
    const fault = new Error('handler bug');
    informer.subscribe({
      added: () => {
        throw fault;
      },
    });
    listen();
    await put('a');
    const line = [fault, 'Informer handler failed', { resource: 'widgets.example.com' }];
    expect([heard, errors]).toEqual([['+a'], [line]]);
  });

  it('ends its watch when disposed', async () => {
    await informer.synced();
    await eventLoopTurns();
    await informer[Symbol.asyncDispose]();
    await put('late');
    expect(informer.get('ns', 'late')).toBeUndefined();
  });

  it('does not wait on disposal for pending requests', async () => {
    client.list.mockImplementation(() => new Promise(() => {}));
    const synced = informer.synced();
    await informer[Symbol.asyncDispose]();
    await expect(synced).rejects.toThrow('the informer was disposed');

    const close = vi.fn();
    const late = Promise.withResolvers<unknown>();
    const watch = vi.fn(() => late.promise);
    const list = (namespace: string) => storage.list(namespace, everything);
    const other = createInformer<Widget>({
      client: { ...client, list, watch } as never,
      clock,
      random: () => 0,
      logger,
    });
    await other.synced();
    await eventLoopTurns();
    await other[Symbol.asyncDispose]();
    late.resolve({ start: () => {}, close });
    await eventLoopTurns();
    expect(close).toHaveBeenCalledOnce();
  });

  it('lets a waiting caller give up', async () => {
    client.list.mockImplementation(() => new Promise(() => {}));
    await expect(informer.synced(AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
    const controller = new AbortController();
    const waiting = informer.synced(controller.signal);
    controller.abort(new Error('given up'));
    await expect(waiting).rejects.toThrow('given up');
  });

  it('decodes large objects in turns, and keeps the order of events', async () => {
    const large = (name: string, resourceVersion: string) => {
      const { promise, resolve } = Promise.withResolvers<Widget>();
      const object = widget({ name, namespace: 'ns', resourceVersion }, {});
      const stored: StoredObject<Widget> = {
        get object(): never {
          throw new Error('decoded in one turn');
        },
        load: () => promise,
        resourceVersion,
        wire: () => undefined,
      };
      return { stored, decode: () => resolve(object), fail: () => resolve(Promise.reject(new Error('corrupt'))) };
    };
    const small = (name: string, resourceVersion: string): StoredObject<Widget> => ({
      object: widget({ name, namespace: 'ns', resourceVersion }, {}),
      resourceVersion,
      wire: () => undefined,
    });
    const listed = large('listed', '1');
    const sinks: WatchSink<Widget>[] = [];
    const list = vi.fn(async () => ({ items: [listed.stored, small('a', '1')], resourceVersion: '1' }));
    const watch = vi.fn(async () => ({ start: (sink: WatchSink<Widget>) => void sinks.push(sink), close: () => {} }));
    await using other = createInformer<Widget>({
      client: { ...client, list, watch } as never,
      clock,
      random: () => 0,
      logger,
    });
    other.subscribe({
      added: ({ metadata }) => heard.push(`+${metadata.name}`),
      deleted: ({ metadata }) => heard.push(`-${metadata.name}`),
    });
    const event = (type: 'ADDED' | 'DELETED', object: StoredObject<Widget>) =>
      sinks.at(-1)?.event({ type, object, frames: new Map() });
    await eventLoopTurns();
    expect(heard).toEqual([]);
    listed.decode();
    await other.synced();
    await eventLoopTurns();
    const [added, deleted, broken] = [large('large', '2'), large('large', '4'), large('broken', '5')];
    event('ADDED', added.stored);
    event('ADDED', small('b', '3'));
    event('DELETED', deleted.stored);
    await eventLoopTurns();
    expect(heard).toEqual(['+listed', '+a']);
    deleted.decode();
    added.decode();
    await eventLoopTurns();
    expect(heard).toEqual(['+listed', '+a', '+large', '+b', '-large']);
    event('ADDED', broken.stored);
    sinks.at(-1)?.end();
    broken.fail();
    await eventLoopTurns();
    expect([list.mock.calls.length, watch.mock.calls.length]).toEqual([2, 2]);
  });
});

describe('a client that streams lists', () => {
  it('lists and follows by one watch', async () => {
    await using cache = await newCache();
    await cache.put('a');
    const view = cache.informer();
    await view.synced();
    expect(names(view.list())).toEqual(['a']);
    await cache.put('b');
    await cache.remove('a');
    await expect.poll(() => names(view.list())).toEqual(['b']);
    expect([cache.lists, cache.watches]).toEqual([0, [true]]);
  });

  it('gets no change before the sink has the list', async () => {
    await using cache = await newCache();
    await cache.put('a');
    const calls: string[] = [];
    const taken = Promise.withResolvers<void>();
    const stop = new AbortController();
    const sink = {
      replace: async (listed: readonly unknown[]) => {
        calls.push(`list of ${listed.length}`);
        await taken.promise;
      },
      event: ({ type }: { readonly type: string }) => void calls.push(type),
    };
    const following = followResource({ client: cache.client, clock, random: () => 0, logger }, sink, stop.signal);
    await expect.poll(() => calls).toEqual(['list of 1']);
    await cache.put('b');
    await eventLoopTurns();
    expect(calls).toEqual(['list of 1']);
    taken.resolve();
    await expect.poll(() => calls).toEqual(['list of 1', 'ADDED']);
    stop.abort(new Error('the test is over'));
    await following;
  });

  it('lets no more than 1,000 changes wait for the sink, and resumes after the last one it took', async () => {
    const object = (version: number) => ({
      object: widget({ name: `w${version}`, namespace: 'ns', resourceVersion: `${version}` }, {}),
      resourceVersion: `${version}`,
      wire: () => undefined,
    });
    const sinks: WatchSink<Widget>[] = [];
    const closed: number[] = [];
    const watch = vi.fn(async (_namespace: string, _options?: { readonly resourceVersion?: string }) => {
      const number = sinks.length;
      return { start: (sink: WatchSink<Widget>) => void sinks.push(sink), close: () => void closed.push(number) };
    });
    const streaming = { list: async () => ({ items: [], resourceVersion: '1' }), watch };
    const taken = Promise.withResolvers<void>();
    const seen: string[] = [];
    const sink = {
      replace: () => {},
      event: ({ object: { resourceVersion } }: { readonly object: { readonly resourceVersion: string } }) => {
        seen.push(resourceVersion);
        return resourceVersion === '2' ? taken.promise : undefined;
      },
    };
    const stop = new AbortController();
    const following = followResource({ client: streaming as never, clock, random: () => 0, logger }, sink, stop.signal);
    await eventLoopTurns();
    const [first] = sinks;
    expect(first?.ready?.()).toBeUndefined();
    for (let version = 2; version < 2_000; version++) {
      first?.event({ type: 'ADDED', object: object(version) as never, frames: new Map() });
    }
    const isReady = first?.ready?.();
    await eventLoopTurns();
    expect([seen, isReady, closed]).toEqual([['2'], expect.any(Promise), []]);
    taken.resolve();
    await isReady;
    await eventLoopTurns();
    sinks[1]?.event({ type: 'ADDED', object: object(3) as never, frames: new Map() });
    expect([seen, closed, watch.mock.calls.map(([, options]) => options?.resourceVersion)]).toEqual([
      ['2', '3'],
      [0],
      ['1', '2'],
    ]);
    stop.abort(new Error('the test is over'));
    await following;
  });

  it('reports nothing that is decoded after its end', async () => {
    const decoding = Promise.withResolvers<Widget>();
    const stored = { load: () => decoding.promise, resourceVersion: '1', wire: () => undefined };
    const end = widget({ name: '', namespace: '', annotations: { 'k8s.io/initial-events-end': 'true' } }, {});
    const events = [
      { type: 'ADDED', object: stored },
      { type: 'BOOKMARK', object: { object: end, resourceVersion: '1' } },
    ];
    const start = (sink: WatchSink<Widget>) => events.forEach((event) => void sink.event(event as never));
    const streaming = { streamsLists: true, list: vi.fn(), watch: async () => ({ start, close: () => {} }) };
    const view = createInformer<Widget>({ client: streaming as never, clock, random: () => 0, logger });
    view.subscribe({ added: ({ metadata }) => heard.push(`+${metadata.name}`) });
    await eventLoopTurns();
    await view[Symbol.asyncDispose]();
    decoding.resolve(widget({ name: 'late', namespace: 'ns' }, {}));
    await eventLoopTurns();
    expect([heard, view.list()]).toEqual([[], []]);
  });

  it('resumes from the last version when its watch ends', async () => {
    await using cache = await newCache();
    await cache.put('a');
    const sources: WatchSource<Widget>[] = [];
    const sinks: Parameters<WatchSource<Widget>['start']>[0][] = [];
    const watch: typeof cache.client.watch = async (...parameters) => {
      const source = await cache.client.watch(...parameters);
      sources.push(source);
      return {
        start: (sink) => {
          sinks.push(sink);
          source.start(sink);
        },
        close: () => source.close(),
      };
    };
    const view = cache.informer({ client: { ...cache.client, watch } });
    await view.synced();
    sources[0]?.close();
    sinks[0]?.end();
    await expect.poll(() => sinks.length).toBe(2);
    await cache.put('b');
    await expect.poll(() => names(view.list())).toEqual(['a', 'b']);
    expect([cache.lists, cache.watches]).toEqual([0, [true, undefined]]);
    expect(sinks.map(({ followsRestore }) => followsRestore)).toEqual([true, true]);
  });

  it('lists where the server refuses that', async () => {
    await using cache = await newCache({ refuses: true });
    await cache.put('a');
    const view = cache.informer();
    await view.synced();
    await eventLoopTurns();
    expect([names(view.list()), cache.lists, cache.watches, pauses]).toEqual([['a'], 1, [true, undefined], []]);
  });

  it('waits for the first use of a resource', async () => {
    await using cache = await newCache();
    const used = Promise.withResolvers<void>();
    const view = cache.informer({ firstUse: used.promise });
    await view.synced();
    await eventLoopTurns();
    expect([view.list(), cache.watches]).toEqual([[], []]);
    used.resolve();
    await cache.put('a');
    await expect.poll(() => names(view.list())).toEqual(['a']);
  });
});

/** A watch cache over a memory store, as the server has it. */
async function newCache({ refuses = false } = {}) {
  const resources = new AsyncDisposableStack();
  const store = resources.use(createMemoryStore({ clock: systemClock, compactionInterval: 0 }));
  const provider = resources.use(createStorageProvider({ store, clock: systemClock, codecFor: memoizedCodecs() }));
  const cached = provider.storageFor(storedWidgetDefinition());
  const seen = { lists: 0, watches: [] as (boolean | undefined)[] };
  const widgets: FollowOptions<Widget>['client'] = {
    resource: widgetResource,
    streamsLists: true,
    list: async () => {
      seen.lists++;
      return (await cached.list('', everything)) as StoredList<Widget>;
    },
    watch: async (_, { sendInitialEvents, resourceVersion = '' } = {}) => {
      seen.watches.push(sendInitialEvents);
      if (refuses && sendInitialEvents === true) throw newInvalid({ group: '', kind: 'ListOptions' }, '', []);
      const options = { ...everything, allowBookmarks: true, resourceVersion };
      const initial = sendInitialEvents === undefined ? {} : { sendInitialEvents };
      return (await cached.watch('', { ...options, ...initial })) as WatchSource<Widget>;
    },
  };
  const put = (name: string) => cached.create(`ns/${name}`, widget({ name, namespace: 'ns' }));
  return {
    client: widgets,
    put,
    remove: (name: string) => cached.delete(`ns/${name}`, {}, () => {}),
    informer: (changes: Partial<FollowOptions<Widget>> = {}) =>
      resources.use(createInformer({ client: widgets, clock, random: () => 0, logger, ...changes })),
    get lists() {
      return seen.lists;
    },
    get watches() {
      return seen.watches;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
