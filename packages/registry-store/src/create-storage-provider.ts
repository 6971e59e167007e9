import type { GroupResource, KubeObject } from '@apiserver/apimachinery';
import type { AnyResourceDefinition, ResourceDefinition, Storage } from '@apiserver/apiserver-contracts';
import { isShared } from './cacher/cache-freshness.js';
import { type CachedStorage, createCacher } from './cacher/cacher.js';
import { DeferredStorage, type FirstUse } from './cacher/deferred-storage.js';
import { DEFAULT_WINDOW } from './cacher/event-window.js';
import { untilAborted } from './informer/until-aborted.js';
import { KeptForms } from './kept/kept-forms.js';
import { FormMemory } from './kept/object-forms.js';
import { type KeyValueStore, prefixEnd } from './key-value-store.js';
import { MeasuredStore } from './measured/measured-store.js';
import { ObservedStore } from './measured/observed-store.js';
import { DecodedObjects } from './objects/decoded-objects.js';
import { createCborForm } from './objects/forms/cbor-form.js';
import { createEncodedForm } from './objects/forms/encoded-form.js';
import { createJsonForm, type ObjectForm } from './objects/forms/object-form.js';
import { createObjectStorage } from './objects/object-storage.js';
import type { ResourceContext } from './objects/resource-context.js';
import type { StoreMetrics } from './objects/store-metrics.js';
import type { EntryKind } from './objects/stored-entry.js';
import { identityTransformer } from './objects/transformer.js';
import { storagePolicyOf } from './semantics/policies.js';
import { isUnreadable } from './storage-error.js';
import type { ObjectCounter, StorageProvider, StorageProviderOptions } from './storage-provider.js';

const DEFAULT_ROOT = '/registry';
const DEFAULT_DECODED_BYTES = 2 * 2 ** 20;

/** Storage of every resource over one key-value store, each behind a watch cache. */
export function createStorageProvider(options: StorageProviderOptions): StorageProvider {
  return new KeyValueStorageProvider(options);
}

class KeyValueStorageProvider implements StorageProvider {
  readonly #options: StorageProviderOptions;
  readonly #decoded: DecodedObjects;
  readonly #formMemory: FormMemory;
  readonly #endCounting: (() => void)[] = [];
  /** By keyPrefix. A prefix has one resource, so the requested type is that of the entry. */
  readonly #storages = new Map<string, Storage<never>>();
  /** By `group/resource`. */
  readonly #deferred = new Map<string, DeferredStorage<never>>();

  constructor(options: StorageProviderOptions) {
    this.#options = options;
    this.#decoded = new DecodedObjects(options.maxDecodedBytes ?? DEFAULT_DECODED_BYTES);
    this.#formMemory = new FormMemory(new KeptForms(options.clock));
  }

  storageFor<T extends KubeObject>(definition: ResourceDefinition<T>): Storage<T> {
    const known = this.#storages.get(definition.keyPrefix);
    if (known !== undefined) return known as unknown as Storage<T>;
    const storage = this.#create(definition);
    this.#storages.set(definition.keyPrefix, storage as unknown as Storage<never>);
    return storage;
  }

  firstUse({ group, resource }: GroupResource): Promise<void> | undefined {
    return this.#deferred.get(`${group}/${resource}`)?.firstUse;
  }

  async unused({ group, resource }: GroupResource, ready: Promise<unknown>): Promise<FirstUse | undefined> {
    return await this.#deferred.get(`${group}/${resource}`)?.unused(ready);
  }

  async ready(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const ready = this.#allReady();
    // Waiting with the signal for each of them would scan a list of all whenever one completes.
    await (signal === undefined ? ready : untilAborted(ready, signal));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#formMemory.bound.stop();
    for (const end of this.#endCounting.splice(0)) end();
    await Promise.all([...this.#storages.values()].map((storage) => storage[Symbol.asyncDispose]()));
  }

  async #allReady(): Promise<void> {
    await Promise.all(
      [...this.#storages.values()].map(async (storage) => {
        await storage.ready().catch((error: unknown) => {
          if (!isUnreadable(error)) throw error;
        });
      }),
    );
  }

  #create<T extends KubeObject>(definition: ResourceDefinition<T>): Storage<T> {
    const { root = DEFAULT_ROOT, clock, uncached, listsPast } = this.#options;
    const { group, resource, keyPrefix } = definition;
    const prefix = `${root}/${keyPrefix}/`;
    const given = this.#options.storeFor?.(definition) ?? this.#options.store;
    if (uncached?.(definition) === true || !isKept(definition)) {
      const context = this.#contextOf(definition, given, prefix);
      const count = () => countObjects(context.store, prefix);
      this.#count(definition, { group, resource, count, cachedCount: () => undefined, storedBytes: () => undefined });
      return createObjectStorage(context, clock);
    }
    const metrics = this.#options.cacheMetrics?.({ group, resource });
    const make = () =>
      createCacher(this.#contextOf(definition, given, prefix), {
        clock,
        ...(metrics === undefined ? {} : { metrics }),
        ...(listsPast === undefined ? {} : { listsPast }),
      });
    const storage = isShared(given) ? make() : this.#defer(definition, { store: given, prefix, make });
    metrics?.resized(DEFAULT_WINDOW.minChanges, DEFAULT_WINDOW.minChanges);
    // Counting visits every key of a store.
    this.#count(definition, {
      group,
      resource,
      count: async () => storage.count ?? (await countObjects(given, prefix)),
      cachedCount: () => storage.count,
      storedBytes: () => storage.storedBytes,
      ...(storage.checkConsistency === undefined ? {} : { checkConsistency: storage.checkConsistency }),
    });
    return storage;
  }

  #defer<T extends KubeObject>(
    { group, resource }: ResourceDefinition<T>,
    options: ConstructorParameters<typeof DeferredStorage<T>>[0],
  ): CachedStorage<T> {
    const storage = new DeferredStorage<T>(options);
    this.#deferred.set(`${group}/${resource}`, storage as unknown as DeferredStorage<never>);
    return storage;
  }

  #contextOf<T extends KubeObject>(
    definition: ResourceDefinition<T>,
    given: KeyValueStore,
    prefix: string,
  ): ResourceContext<T> {
    const { transformerFor, conversion, known, unsafeDeletion = false } = this.#options;
    const storeMetrics = this.#options.storeMetrics?.(definition);
    const measuredStore = measured(given, storeMetrics);
    const store = this.#options.isObserved === true ? new ObservedStore(measuredStore) : measuredStore;
    const { group, resource, scope, keyPrefix, selectableFields, selectablePaths, indexedField } = definition;
    const kind: EntryKind<T> = {
      form: this.#formOf(definition, isShared(store)),
      decoded: this.#decoded,
      formMemory: this.#formMemory,
      groupResource: { group, resource },
      namespaced: scope === 'Namespaced',
      prefix,
      keyPrefix,
      known,
      ...this.#ownKind(definition, store),
      ...(selectableFields === undefined ? {} : { selectableFields: selectableFields.bind(definition) }),
      ...(selectablePaths === undefined ? {} : { selectablePaths }),
      ...(indexedField === undefined ? {} : { indexedField }),
    };
    return {
      store,
      kind,
      transformer: transformerFor?.({ group, resource, keyPrefix }) ?? identityTransformer,
      unsafeDeletion,
      ...(conversion === undefined ? {} : { conversion }),
      ...(storeMetrics === undefined ? {} : { metrics: storeMetrics }),
    };
  }

  /** Only resources with an API are reported. Upstream: startObservingCount of registry.Store */
  #count<T extends KubeObject>({ verbs }: ResourceDefinition<T>, counter: ObjectCounter): void {
    if (!verbs.includes('create')) return;
    const end = this.#options.counted?.(counter);
    if (end !== undefined) this.#endCounting.push(end);
  }

  /** An embedded store has no other writers. */
  #ownKind<T extends KubeObject>(
    definition: ResourceDefinition<T>,
    store: KeyValueStore,
  ): Pick<EntryKind<T>, 'ownKind'> {
    const { mediaType, conversion } = this.#options;
    const isEncodedJson = mediaType === undefined && conversion === undefined && !isShared(store);
    const hub = definition.versions.find(({ version }) => version === definition.hubVersion);
    const isOwn = isEncodedJson && storagePolicyOf(definition).atRest.hasStructMetadata;
    return isOwn && hub !== undefined ? { ownKind: hub.schema } : {};
  }

  #formOf<T extends KubeObject>(given: ResourceDefinition<T>, isSharedStore: boolean): ObjectForm<T> {
    const { codecFor, mediaType, cbor, readCbor, conversion } = this.#options;
    // Conversion prunes, defaults and encodes.
    if (conversion !== undefined) return createJsonForm(given, codecFor, { defaultsOnRead: false });
    const { mayHoldUnknownFields, takesCbor, keptAs } = storagePolicyOf(given).atRest;
    const definition = {
      ...given,
      ...(mayHoldUnknownFields && isSharedStore && { mayBeOutdatedAtRest: true }),
      // No other server reads the store, so objects need no conversion on their way.
      ...(!isSharedStore && { storageVersion: given.hubVersion }),
    };
    if (cbor !== undefined && takesCbor) return createCborForm(definition, codecFor, cbor);
    const isJson = definition.isJsonAtRest === true;
    return mediaType === undefined
      ? createJsonForm(definition, codecFor, {
          keptAs: isJson ? 'json' : keptAs,
          readCbor: takesCbor ? readCbor : undefined,
        })
      : createEncodedForm(definition, codecFor, isJson ? 'application/json' : mediaType);
  }
}

/** False for read-only resources: they are generated on request, and nothing is stored. */
function isKept({ verbs }: Pick<AnyResourceDefinition, 'verbs'>): boolean {
  return verbs.length === 0 || verbs.includes('create');
}

/** Operations of an embedded store are not etcd requests. */
function measured(store: KeyValueStore, metrics: StoreMetrics | undefined): KeyValueStore {
  return metrics === undefined || store.freshness === undefined ? store : new MeasuredStore(store, metrics);
}

async function countObjects(store: KeyValueStore, prefix: string): Promise<number> {
  const { kvs, count } = await store.range({ start: prefix, end: prefixEnd(prefix), limit: 1, count: true });
  return count ?? kvs.length;
}
