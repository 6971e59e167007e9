import type { KubeObject } from '@apiserver/apimachinery';
import { stringifyJson } from '@apiserver/apimachinery/codec/json';
import { cloneJson, freezeJson } from '@apiserver/apimachinery/json';
import type {
  Storage,
  StoragePreconditions,
  StoredObject,
  WatchEvent,
  WatchEventType,
  WatchSink,
} from '@apiserver/apiserver-contracts';
import { newInvalidPreconditionsError, newKeyExistsError, newKeyNotFoundError } from '../storage-error.js';

/** A FakeStorage and the two handles that tests need. */
export interface FakeStorage<T extends KubeObject> extends Storage<T> {
  /** Runs before every commit; its own writes make the current write restart. */
  beforeCommit: (() => Promise<void>) | undefined;
  /** Ends all watches, like a store whose history is gone. */
  breakWatches(error?: Parameters<WatchSink<T>['end']>[0]): void;
}

interface Watch<T extends KubeObject> {
  readonly prefix: string;
  readonly sink: WatchSink<T>;
}

/**
 * Storage in a Map, for tests of its users: versions, preconditions, retried updates, live watches. Not a full store:
 * no paging, no history, no selectors on watches. Tests of storage itself run storageSuite.
 */
export function createFakeStorage<T extends KubeObject>(): FakeStorage<T> {
  const objects = new Map<string, StoredObject<T>>();
  const watches = new Set<Watch<T>>();
  let revision = 0;

  const tell = (key: string, type: WatchEventType, object: StoredObject<T>) => {
    const event: WatchEvent<T> = { type, object, frames: new Map() };
    for (const watch of watches) if (key.startsWith(watch.prefix)) watch.sink.event(event);
  };
  const put = (key: string, object: T): StoredObject<T> => {
    const stored = storedAt(object, ++revision);
    const type = objects.has(key) ? 'MODIFIED' : 'ADDED';
    objects.set(key, stored);
    tell(key, type, stored);
    return stored;
  };
  const find = (key: string): StoredObject<T> => {
    const stored = objects.get(key);
    if (stored === undefined) throw newKeyNotFoundError(`/registry/${key}`, 0);
    return stored;
  };

  const storage: FakeStorage<T> = {
    beforeCommit: undefined,
    breakWatches(error) {
      for (const watch of [...watches]) watch.sink.end(error);
      watches.clear();
    },
    reread: async (object) => cloneJson(object),
    async create(key, object) {
      await storage.beforeCommit?.();
      if (objects.has(key)) throw newKeyExistsError(`/registry/${key}`, 0);
      return put(key, object);
    },
    async delete(key, preconditions, validate) {
      for (;;) {
        const stored = find(key);
        check(key, preconditions, stored.object);
        await validate(stored.object);
        await storage.beforeCommit?.();
        if (objects.get(key) !== stored) continue;
        objects.delete(key);
        const gone = storedAt(stored.object, ++revision);
        tell(key, 'DELETED', gone);
        return gone;
      }
    },
    async deleteUnread(key) {
      find(key);
      objects.delete(key);
    },
    async guaranteedUpdate(key, preconditions, update) {
      for (;;) {
        const stored = objects.get(key);
        check(key, preconditions, stored?.object);
        const { object } = await update(stored && { object: stored.object, resourceVersion: stored.resourceVersion });
        await storage.beforeCommit?.();
        if (objects.get(key) !== stored) continue;
        if (stored !== undefined && sameContent(stored.object, object)) return { stored, created: false };
        return { stored: put(key, object), created: stored === undefined };
      }
    },
    get: async (key) => find(key),
    async list(prefix, { labelSelector, fieldSelector }) {
      const items = [...objects]
        .filter(([key]) => key.startsWith(prefix))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, stored]) => stored)
        .filter(({ object: { metadata } }) => labelSelector.matches(metadata.labels ?? {}))
        .filter(({ object }) => fieldSelector.matches(fieldsOf(object)));
      return { items, resourceVersion: String(revision) };
    },
    async watch(prefix) {
      let watch: Watch<T> | undefined;
      return {
        start(sink) {
          watch = { prefix, sink };
          watches.add(watch);
        },
        close() {
          if (watch !== undefined) watches.delete(watch);
        },
      };
    },
    currentResourceVersion: async () => String(revision),
    ready: async () => {},
    [Symbol.asyncDispose]: async () => watches.clear(),
  };
  return storage;
}

function storedAt<T extends KubeObject>(object: T, revision: number): StoredObject<T> {
  const resourceVersion = String(revision);
  const copy = cloneJson(object);
  copy.metadata = { ...copy.metadata, resourceVersion };
  freezeJson(copy);
  return { object: copy, resourceVersion, wire: () => undefined };
}

function sameContent(stored: KubeObject, object: KubeObject): boolean {
  const { resourceVersion: _version, ...metadata } = stored.metadata;
  return stringifyJson({ ...stored, metadata }) === stringifyJson(object);
}

function fieldsOf({ metadata }: KubeObject): Record<string, string> {
  return { 'metadata.name': metadata.name ?? '', 'metadata.namespace': metadata.namespace ?? '' };
}

/** A missing object has neither uid nor version, as in real storage. */
function check(key: string, wanted: StoragePreconditions, object: KubeObject | undefined): void {
  const { uid, resourceVersion } = wanted;
  const { uid: actualUid = '', resourceVersion: actualVersion = '' } = object?.metadata ?? {};
  if (uid !== undefined && uid !== actualUid) {
    const message = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${actualUid}`;
    throw newInvalidPreconditionsError(`/registry/${key}`, message);
  }
  if (resourceVersion !== undefined && resourceVersion !== actualVersion) {
    const message = `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${actualVersion}`;
    throw newInvalidPreconditionsError(`/registry/${key}`, message);
  }
}
