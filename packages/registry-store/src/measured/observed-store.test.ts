import { systemClock } from '@apiserver/apimachinery/clock';
import { observed, type RequestAudit, type TraceSpan, unobserved } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { createStorageProvider } from '../create-storage-provider.js';
import { KeyValueError } from '../key-value-error.js';
import type { KeyValueStore } from '../key-value-store.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { keyValueStoreSuite } from '../testing/suites/key-value-store-suite.js';
import { listOptions } from '../testing/suites/storage-suite-fixture.js';
import { widget } from '../testing/widget.js';
import { memoizedCodecs, storedWidgetDefinition } from '../testing/widget-kind.js';
import { ObservedStore } from './observed-store.js';

keyValueStoreSuite('observed', async (options) => {
  const store = createMemoryStore({ compactionInterval: 0, ...options });
  return Object.assign(new ObservedStore(store), { [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() });
});

/** Writes down all spans and durations, in the order of their ends. */
function recordingObserver() {
  const lines: string[] = [];
  const startSpan = (name: string): TraceSpan => ({
    start: (part) => startSpan(`${name} > ${part}`),
    addEvent: () => {},
    setAttributes: () => {},
    fail: (message) => lines.push(`${name} failed: ${message}`),
    end: () => lines.push(name),
    headers: {},
  });
  const audit: Partial<RequestAudit> = {
    spend: (layer, milliseconds) => lines.push(`${layer}${milliseconds >= 0 ? '' : ' in no time'}`),
  };
  return { lines, observer: { audit: audit as RequestAudit, span: startSpan('request'), auditId: 'id' } };
}

/** Describes itself as etcd. */
const remote = (store: KeyValueStore): KeyValueStore => Object.assign(store, { freshness: 'onRequest' as const });

async function observedWork(make: (store: KeyValueStore) => KeyValueStore): Promise<readonly string[]> {
  await using store = make(createMemoryStore({ clock: systemClock, compactionInterval: 0 }));
  await using provider = createStorageProvider({
    store,
    clock: systemClock,
    codecFor: memoizedCodecs(),
    uncached: () => true,
    isObserved: true,
  });
  const storage = provider.storageFor(storedWidgetDefinition());
  const { lines, observer } = recordingObserver();
  const work = async () => {
    await storage.create('ns/a', widget({ name: 'a', namespace: 'ns' }));
    await storage.get('ns/a', {});
    await storage.list('', listOptions({}));
    await unobserved(() => storage.currentResourceVersion());
  };
  await work();
  expect(lines).toEqual([]);
  await storage.delete('ns/a', {}, async () => {});
  await observed(observer, work);
  return lines;
}

describe('the work of a store for a request', () => {
  it('is time of the audit event, and spans of the writer', async () => {
    expect(await observedWork((store) => store)).toEqual([
      ...['etcd', 'request > Create etcd3'],
      'etcd',
      ...['etcd', 'decode-response-object', 'request > List(recursive=true) etcd3'],
    ]);
  });

  it('has a span for each request to etcd', async () => {
    expect(await observedWork(remote)).toEqual([
      ...['etcd', 'request > Create etcd3 > etcdserverpb.KV/Txn', 'request > Create etcd3'],
      ...['etcd', 'request > etcdserverpb.KV/Range'],
      ...['etcd', 'request > List(recursive=true) etcd3 > etcdserverpb.KV/Range'],
      ...['decode-response-object', 'request > List(recursive=true) etcd3'],
    ]);
  });

  it('has failed spans', async () => {
    const failure = new KeyValueError('Unavailable', 'gone');
    const store = remote(createMemoryStore({ clock: systemClock, compactionInterval: 0 }));
    const failing = Object.assign(store, { get: () => Promise.reject(failure) });
    const { lines, observer } = recordingObserver();
    await expect(observed(observer, () => new ObservedStore(failing).get('a'))).rejects.toBe(failure);
    expect(lines).toEqual(['etcd', 'request > etcdserverpb.KV/Range failed: gone', 'request > etcdserverpb.KV/Range']);
  });
});
