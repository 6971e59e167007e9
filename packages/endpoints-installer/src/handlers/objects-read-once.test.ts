import type { KubeObject } from '@apiserver/apimachinery';
import * as cbor from '@apiserver/apimachinery/codec/cbor';
import type { StoredObject } from '@apiserver/apiserver-contracts';
import { expect, test, vi } from 'vitest';
import { createTestServer } from '../testing/test-server.js';

const LIST = '/api/v1/namespaces/n/configmaps';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const OBJECTS = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

/** An object that the store must not keep, because its bytes in the wanted form are kept. */
function passing(stored: StoredObject): StoredObject {
  return {
    resourceVersion: stored.resourceVersion,
    wire: (form) => stored.wire(form),
    readOnce: () => stored.object,
    get object(): never {
      throw new Error('kept');
    },
  };
}

function server(isPassing: boolean) {
  const made = createTestServer({ cbor });
  const { storage } = made;
  for (const name of ['a', 'b']) {
    const metadata = { name, namespace: 'n' };
    storage.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { k: 'v' } } as KubeObject);
  }
  if (!isPassing) return made;
  const { get, list } = storage;
  vi.spyOn(storage, 'get').mockImplementation(async (...given) => passing(await get.apply(storage, given)));
  vi.spyOn(storage, 'list').mockImplementation(async (...given) => {
    const found = await list.apply(storage, given);
    return { ...found, items: found.items.map(passing) };
  });
  return made;
}

test.each([
  [`${LIST}/a`, PROTOBUF],
  [LIST, PROTOBUF],
  [LIST, TABLE],
  [`${LIST}?includeObject=None`, TABLE],
  [LIST, OBJECTS],
  [LIST, OBJECTS.replace('json', 'vnd.kubernetes.protobuf')],
  [LIST, OBJECTS.replace('json', 'cbor')],
  [`${LIST}/a`, 'application/cbor'],
  [LIST, 'application/cbor'],
])('GET of %s as %s keeps no decoded objects', async (url, accept) => {
  const [passed, kept] = await Promise.all(
    [true, false].map(async (isPassing) => {
      const { status, bytes } = await server(isPassing).call({ url, headers: { Accept: accept } });
      return [status, Buffer.from(bytes).toString('latin1')];
    }),
  );
  expect(passed?.[0]).toBe(200);
  expect(passed).toEqual(kept);
});

test.each(['', '?includeObject=Metadata', '?includeObject=None'])('a Table%s reads each object once', async (query) => {
  const made = server(false);
  const { list } = made.storage;
  const read = vi.fn((stored: StoredObject) => stored.object);
  vi.spyOn(made.storage, 'list').mockImplementation(async (...given) => {
    const { items, ...others } = await list.apply(made.storage, given);
    const counted = (stored: StoredObject) => Object.assign(passing(stored), { readOnce: () => read(stored) });
    return { ...others, items: items.map(counted) };
  });
  const { status } = await made.call({ url: `${LIST}${query}`, headers: { Accept: TABLE } });
  expect([status, read.mock.calls.length]).toEqual([200, 2]);
});

/** An object with its JSON, which is that of this server except for an added field that only decoding drops. */
function withJson(stored: StoredObject, isPlain: boolean): StoredObject {
  const { object } = stored;
  const { kind, apiVersion, ...others } = object;
  const bytes = json({ kind, apiVersion, ...(isPlain ? {} : { added: 1 }), ...others });
  const wire: StoredObject['wire'] = ({ contentType }) => (contentType === 'application/json' ? bytes : undefined);
  return Object.assign(passing(stored), isPlain && { readOnce: unread }, { wire });
}

function unread(): never {
  throw new Error('decoded');
}

test.each([
  [`${LIST}/a`, PROTOBUF],
  [LIST, PROTOBUF],
  [`${LIST}/a`, 'application/cbor'],
  [LIST, 'application/cbor'],
])('GET of %s as %s converts JSON without decoding, where it can', async (url, accept) => {
  const ask = async (change: (stored: StoredObject) => StoredObject) => {
    const made = server(false);
    const { get, list } = made.storage;
    vi.spyOn(made.storage, 'get').mockImplementation(async (...given) => change(await get.apply(made.storage, given)));
    vi.spyOn(made.storage, 'list').mockImplementation(async (...given) => {
      const { items, ...others } = await list.apply(made.storage, given);
      return { ...others, items: items.map(change) };
    });
    const { status, bytes } = await made.call({ url, headers: { Accept: accept } });
    return [status, Buffer.from(bytes).toString('latin1')];
  };
  const expected = await ask((stored) => stored);
  expect([expected[0], await ask((stored) => withJson(stored, true))]).toEqual([200, expected]);
  expect(await ask((stored) => withJson(stored, false))).toEqual(expected);
});

/** An object whose metadata the store finds in its bytes. */
function withOwnMetadata(stored: StoredObject, keep: NonNullable<StoredObject['keep']>): StoredObject {
  const { object, resourceVersion } = stored;
  return {
    object,
    resourceVersion,
    wire: (form) => stored.wire(form),
    keep,
    metadataJson: () => json(object.metadata),
  };
}

function json(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

test.each([
  ['', ['a', 'b']],
  ['', ['a']],
  ['', ['b']],
  ['?includeObject=Metadata', ['b']],
  ['?includeObject=None', ['a', 'b']],
  ['?includeObject=Object', ['a']],
])('a Table%s finds metadata of %j in their bytes, and keeps rows alone', async (query, found) => {
  const made = server(false);
  const url = `${LIST}${query}`;
  const kinds: (string | undefined)[] = [];
  const ask = async (one: typeof made) => (await one.call({ url, headers: { Accept: TABLE } })).text;
  const expected = await ask(server(false));
  const { list } = made.storage;
  vi.spyOn(made.storage, 'list').mockImplementation(async (...given) => {
    const { items, ...others } = await list.apply(made.storage, given);
    const isFound = ({ object }: StoredObject) => found.includes(object.metadata.name ?? '');
    const keep: StoredObject['keep'] = ({ kind }) => void kinds.push(kind);
    return { ...others, items: items.map((item) => (isFound(item) ? withOwnMetadata(item, keep) : item)) };
  });
  expect([await ask(made), kinds]).toEqual([expected, found.map(() => 'TableRow')]);
});
