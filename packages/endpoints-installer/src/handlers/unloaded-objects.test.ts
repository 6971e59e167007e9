import { setImmediate } from 'node:timers/promises';
import type { KubeObject } from '@apiserver/apimachinery';
import * as cbor from '@apiserver/apimachinery/codec/cbor';
import type { StoredObject, WatchEvent } from '@apiserver/apiserver-contracts';
import { describe, expect, test, vi } from 'vitest';
import { createTestExchange, createTestResponseWriter } from '../testing/index.js';
import { createTestServer } from '../testing/test-server.js';
import { createMetadataView } from '../views/metadata-view.js';
import { WatchFrames } from './watch-frames.js';

const LIST = '/api/v1/namespaces/n/configmaps';
const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';

function configMap(name: string): KubeObject {
  const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`key-${i}`, `v${i}`]));
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'n' }, data } as KubeObject;
}

/** A large object of the store that is not decoded: decoding it at once would block the event loop for too long. */
function unloaded(stored: StoredObject): StoredObject {
  let loaded: KubeObject | undefined;
  return {
    resourceVersion: stored.resourceVersion,
    byteLength: 300 * 1024,
    wire: (form) => stored.wire(form),
    get object() {
      if (loaded === undefined) throw new Error('decoded in one go');
      return loaded;
    },
    load() {
      return loaded === undefined ? setImmediate().then(() => (loaded = stored.object)) : undefined;
    },
  };
}

/** A server of two large objects, which are loaded or not. */
function server(isUnloaded: boolean) {
  const made = createTestServer({ cbor });
  made.storage.put(configMap('a'));
  made.storage.put(configMap('b'));
  if (!isUnloaded) return made;
  const { storage } = made;
  const { get, list, watch } = storage;
  vi.spyOn(storage, 'get').mockImplementation(async (...given) => unloaded(await get.apply(storage, given)));
  vi.spyOn(storage, 'list').mockImplementation(async (...given) => {
    const found = await list.apply(storage, given);
    return { ...found, items: found.items.map(unloaded) };
  });
  vi.spyOn(storage, 'watch').mockImplementation(async (...given) => {
    const source = await watch.apply(storage, given);
    const changed = (event: WatchEvent) => ({ ...event, object: unloaded(event.object) });
    return {
      start: (sink) => source.start({ event: (event) => sink.event(changed(event)), end: (error) => sink.end(error) }),
      close: () => source.close(),
    };
  });
  return made;
}

const CBOR = 'application/cbor';
const OBJECT = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const OBJECTS = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

describe('a large object is decoded in several turns before the response', () => {
  test.each([
    [`${LIST}/a`, 'application/json'],
    [`${LIST}/a?pretty=1`, 'application/json'],
    [`${LIST}/a`, 'application/yaml'],
    [`${LIST}/a`, 'application/vnd.kubernetes.protobuf'],
    [`${LIST}/a`, TABLE],
    [`${LIST}/a?includeObject=Object`, TABLE],
    [`${LIST}/a`, OBJECT],
    [LIST, 'application/json'],
    [`${LIST}?pretty=1`, 'application/json'],
    [LIST, 'application/yaml'],
    [LIST, 'application/vnd.kubernetes.protobuf'],
    [LIST, TABLE],
    [LIST, TABLE.replace('json', 'yaml')],
    [LIST, OBJECTS],
    [LIST, OBJECTS.replace('json', 'vnd.kubernetes.protobuf')],
    [`${LIST}/a`, CBOR],
    [`${LIST}/a`, OBJECT.replace('json', 'cbor')],
    [LIST, CBOR],
    [LIST, OBJECTS.replace('json', 'cbor')],
  ])('GET of %s as %s', async (url, accept) => {
    const responseOf = async (isUnloaded: boolean) => {
      const { status, contentType, bytes } = await server(isUnloaded).call({ url, headers: { Accept: accept } });
      return [status, contentType, Buffer.from(bytes).toString('latin1')];
    };
    const response = await responseOf(true);
    expect(response[0]).toBe(200);
    expect(response).toEqual(await responseOf(false));
  });

  test.each(['application/json', 'application/vnd.kubernetes.protobuf', CBOR, TABLE, OBJECT])(
    'watch as %s',
    async (accept) => {
      const framesOf = async (isUnloaded: boolean) => {
        const url = `${LIST}?watch=1&timeoutSeconds=60`;
        const exchange = createTestExchange({ url, headers: { Accept: accept } });
        const made = server(isUnloaded);
        const response = await made.start(exchange);
        const writer = createTestResponseWriter();
        const done = response.type === 'stream' ? response.run(writer) : undefined;
        await expect.poll(() => writer.text().match(/ADDED/g)).toHaveLength(2);
        for (const sink of made.storage.watching) sink.end();
        await done;
        return writer.text();
      };
      expect(await framesOf(true)).toBe(await framesOf(false));
    },
  );

  test('watchers of CBOR share the frame of a large object', async () => {
    const encodeCborSteps = vi.fn(cbor.encodeCborSteps);
    const target = { group: 'meta.k8s.io', version: 'v1', kind: 'PartialObjectMetadata' };
    const view = createMetadataView(target, {
      ...cbor,
      encodeCborSteps: encodeCborSteps as typeof cbor.encodeCborSteps,
    });
    const stored = { object: configMap('a'), resourceVersion: '1', wire: () => undefined };
    const event: WatchEvent = { type: 'ADDED', object: unloaded(stored), frames: new Map() };
    const watchers = [new WatchFrames(view, CBOR, cbor), new WatchFrames(view, CBOR, cbor)];
    await Promise.all(watchers.map((watcher) => watcher.prepare(event)));
    const [first, second] = watchers.map((watcher) => watcher.frame(event));
    expect([encodeCborSteps.mock.calls.length, first === second]).toEqual([1, true]);
  });
});
