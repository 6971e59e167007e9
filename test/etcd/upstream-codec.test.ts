import type { KeyValue, KeyValueStore } from '@apiserver/registry-store';
import { openEtcdStore } from '@apiserver/registry-store/etcd3';
import { findEtcd, NO_ETCD, startEtcd } from '@apiserver/registry-store/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { goMissing } from '../envtest/go-tests.ts';
import { type KindExample, readKindExamples } from '../envtest/kind-examples.ts';
import { AdminClient } from '../harness/admin-client.ts';
import { temporaryDirectory } from '../harness/api-server.ts';
import { serverOn } from './server-on.ts';
import { buildStorageCodec, StorageCodec, type StoredObject, WRITTEN_BY } from './storage-codec.ts';

const missing = findEtcd() === undefined ? NO_ETCD : goMissing();
/** A machine that has never compiled client-go takes a while. */
const compileDeadlineMs = 8 * 60_000;
const NAMESPACE = 'upstream-codec';
/** Its Go type is in a server's module (kube-aggregator), which is not fetched here. */
const UNTYPED = new Set(['APIService']);

/**
 * Kinds that are never stored in this form: events are stored as those of the core group.
 * Upstream: cohabitating resources
 */
const SENT_ONLY = new Set(['events.k8s.io/v1']);

/** Kinds that are stored in a version that is not served any more. Upstream: EncodeVersioner of apiextensions */
const SERVED_OTHERWISE = new Map([['CustomResourceDefinition', 'v1beta1']]);

/** Serves the version in which MutatingAdmissionPolicies are stored. */
const STORED_VERSIONS = '--runtime-config=admissionregistration.k8s.io/v1beta1=true';

/** The kind of a definition in kinds.yaml, with all values that Go's JSON writes differently. */
const gear: KindExample = {
  apiVersion: 'kinds.example.org/v1',
  kind: 'Gear',
  metadata: { annotations: { z: '<&>', a: '\u2028 ü \u0001 "\\' } },
};

/** Kinds that are JSON at rest whatever the others are. */
const JSON_AT_REST = new Set(['CustomResourceDefinition', 'APIService', gear.kind]);

const isProtobuf = (value: Uint8Array) => Buffer.from(value.subarray(0, 4)).toString('latin1') === 'k8s\0';
const withoutRevision = ({ metadata: { resourceVersion: _, ...metadata }, ...object }: StoredObject) => ({
  ...object,
  metadata,
});

interface Example {
  readonly key: string;
  readonly collection: string;
  /** Of the version that is stored. */
  readonly stored: string;
  readonly name: string;
}

describe.skipIf(missing !== undefined)(
  `values in etcd and upstream’s codecs${missing ? ` (skipped: ${missing})` : ''}`,
  () => {
    const resources = new AsyncDisposableStack();
    const examples = missing === undefined ? [...readKindExamples(NAMESPACE), gear] : [];
    const made = new Map<KindExample, Example>();
    let store: KeyValueStore;
    let client: AdminClient;
    let codec: StorageCodec;

    beforeAll(async () => {
      const folder = resources.use(temporaryDirectory('storage-codec'));
      expect(buildStorageCodec(folder.path)).toBeUndefined();
      codec = resources.use(new StorageCodec(folder.path));
      const etcd = resources.use(await startEtcd());
      const server = resources.use(
        await serverOn(etcd, folder.path, 0, ['--disable-admission-plugins=ServiceAccount', STORED_VERSIONS]),
      );
      store = resources.use(await openEtcdStore({ servers: [etcd.url], compactionInterval: 0 }));
      client = resources.use(new AdminClient(server.kubeconfig));
      await client.request('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
      for (const example of examples) made.set(example, await create(example));
    }, compileDeadlineMs);

    afterAll(() => resources.disposeAsync());

    describe.each(examples)('$apiVersion $kind', (example) => {
      it('that this server wrote is read by upstream’s', async () => {
        const { key, stored, name } = of(example);
        const { kv, served } = await unchanged(key, `${stored}/${name}`);
        await expectUnderstood(kv, served);
      });

      it('that upstream’s server wrote is read, listed, watched and updated', async () => {
        const { key, stored, name, ...one } = of(example);
        const collection = SENT_ONLY.has(example.apiVersion) ? stored : one.collection;
        const inGo = async (object: StoredObject) =>
          (await codec.ask(Buffer.from(JSON.stringify(withoutRevision(object))))).encoded;
        const mediaTypes = [...(await inGo(await get(`${collection}/${name}`))).keys()];
        expect(mediaTypes).toContain('application/json');
        for (const mediaType of mediaTypes) {
          const { kv, served } = await unchanged(key, `${collection}/${name}`);
          const value = (await inGo(served)).get(mediaType) as Buffer;
          const before = kv.modRevision;
          const { revision } = await store.commit({ type: 'put', key, value, expectedRevision: before });
          const labels = { ...served.metadata.labels, [WRITTEN_BY]: mediaType.slice('application/'.length) };
          const metadata = { ...served.metadata, labels, resourceVersion: String(revision) };
          const expected = { ...served, metadata };
          expect(await get(`${collection}/${name}`)).toEqual(expected);
          expect(await listed(collection, name)).toEqual(withoutKind(expected));
          expect(
            await seen(`${collection}?watch=1&resourceVersion=${before}&fieldSelector=metadata.name%3D${name}`),
          ).toEqual({
            type: 'MODIFIED',
            object: expected,
          });
          await patch(`${collection}/${name}`, { metadata: { annotations: { updated: mediaType } } });
          const after = await unchanged(key, `${stored}/${name}`);
          expect(isProtobuf(after.kv.value)).toBe(!JSON_AT_REST.has(example.kind));
          await expectUnderstood(after.kv, after.served);
        }
      });
    });

    it('all other stored objects are read by upstream’s', async () => {
      const { kvs } = await store.range({ start: '/registry/', end: '/registry0' });
      const failed: string[] = [];
      for (const { key, value } of kvs) {
        const { error, again, kind } = await codec.ask(value);
        if (UNTYPED.has(kind.Kind)) continue;
        if (error !== undefined || !isSame(value, again)) failed.push(`${key}: ${error ?? 'other bytes'}`);
      }
      expect(failed).toEqual([]);
      expect(kvs.map(({ key }) => key)).toEqual(
        expect.arrayContaining([
          '/registry/ranges/servicenodeports',
          expect.stringContaining('/registry/masterleases/'),
        ]),
      );
    });

    /** Upstream's types read the value as this server serves it, and encode it to the same bytes. */
    async function expectUnderstood({ value }: KeyValue, served: StoredObject): Promise<void> {
      const { error, object, again, unregistered, kind } = await codec.ask(value);
      expect(error).toBeUndefined();
      if (unregistered) {
        expect(UNTYPED).toContain(kind.Kind);
        return;
      }
      // JSON of a kind without a Go type is taken as it stands, and has its keys sorted when it is written again.
      if (UNTYPED.has(kind.Kind)) {
        expect(object).toEqual(withoutRevision(served));
        return;
      }
      if (!SERVED_OTHERWISE.has(kind.Kind)) expect(object).toEqual(withoutRevision(served));
      expect(isSame(value, again)).toBe(true);
    }

    /** Makes the example, and finds its key: the one that came with it. */
    async function create(example: KindExample): Promise<Example> {
      const { collection, namespaced } = await resourceOf(example);
      const name = example.metadata?.name ?? `${example.kind}-${example.apiVersion.split('/').at(-1)}`.toLowerCase();
      const metadata = { ...example.metadata, name, ...(namespaced ? { namespace: NAMESPACE } : {}) };
      await eventually(async () => {
        const { status } = await client.request('POST', collection, { ...example, metadata });
        return status === 201 || undefined;
      });
      // Controllers may change it meanwhile.
      const key = await eventually(async () => {
        const { kvs } = await store.range({ start: '/registry/', end: '/registry0', keysOnly: true });
        const { resourceVersion } = (await get(`${collection}/${name}`)).metadata;
        return kvs.find(({ modRevision }) => String(modRevision) === resourceVersion)?.key;
      });
      const { Group, Version } = (await codec.ask((await current(key)).value)).kind;
      const otherwise = SERVED_OTHERWISE.get(example.kind);
      expect(otherwise ?? Version).toBe(Version);
      if (otherwise !== undefined) return { key, collection, stored: collection, name };
      const apiVersion = Group === '' ? Version : `${Group}/${Version}`;
      return { key, collection, stored: (await resourceOf({ ...example, apiVersion })).collection, name };
    }

    async function resourceOf({ apiVersion, kind }: KindExample) {
      const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
      const { name, namespaced } = await eventually(async () => {
        const { resources: all = [] } = JSON.parse((await client.request('GET', root)).body);
        return all.find((one: { name: string; kind: string }) => one.kind === kind && !one.name.includes('/'));
      });
      return { collection: `${root}/${namespaced ? `namespaces/${NAMESPACE}/` : ''}${name}`, namespaced };
    }

    function of(example: KindExample): Example {
      const found = made.get(example);
      if (found === undefined) throw new Error(`${example.kind} was not made`);
      return found;
    }

    /** Value and response of the same revision: some objects are written by the server from time to time. */
    async function unchanged(key: string, path: string) {
      for (;;) {
        const kv = await current(key);
        const served = await get(path);
        if (served.metadata.resourceVersion === String(kv.modRevision)) return { kv, served };
      }
    }

    async function current(key: string): Promise<KeyValue> {
      const { kv } = await store.get(key);
      if (kv === undefined) throw new Error(`${key} is gone`);
      return kv;
    }

    async function get(path: string): Promise<StoredObject> {
      const { status, body } = await client.request('GET', path);
      expect([status, path]).toEqual([200, path]);
      return JSON.parse(body);
    }

    async function listed(collection: string, name: string): Promise<StoredObject | undefined> {
      const { items }: { items: StoredObject[] } = JSON.parse((await client.request('GET', collection)).body);
      return items.map(withoutKind).find(({ metadata }) => metadata.name === name);
    }

    async function seen(path: string): Promise<unknown> {
      const stop = new AbortController();
      try {
        return (await client.watch(path, stop.signal).next()).value;
      } finally {
        stop.abort();
      }
    }

    async function patch(path: string, body: unknown): Promise<void> {
      const { status, body: text } = await client.request('PATCH', path, body, {
        'content-type': 'application/merge-patch+json',
      });
      expect([status, status === 200 ? '' : text]).toEqual([200, '']);
    }
  },
);

/** A resource that was just defined is served a moment later. */
function eventually<T>(read: () => Promise<T | undefined>): Promise<T> {
  return vi.waitFor(async () => {
    const found = await read();
    if (found === undefined) throw new Error('there is none yet');
    return found;
  }, 30_000);
}

/** Items in lists of built-in kinds have no kind and apiVersion. */
function withoutKind(object: StoredObject): StoredObject {
  const { apiVersion: _version, kind: _kind, ...rest } = object as StoredObject & Record<string, unknown>;
  return rest as StoredObject;
}

/** Upstream ends JSON with a line feed, which it does not need. */
function isSame(value: Uint8Array, again: Buffer | undefined): boolean {
  const text = (bytes: Uint8Array) => (bytes.at(-1) === 0x0a ? bytes.subarray(0, -1) : bytes);
  if (again === undefined) return false;
  return Buffer.compare(isProtobuf(value) ? value : text(value), isProtobuf(again) ? again : text(again)) === 0;
}
