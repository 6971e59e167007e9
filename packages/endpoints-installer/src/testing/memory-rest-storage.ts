import type { KubeObject } from '@apiserver/apimachinery';
import type { KindCodec } from '@apiserver/apimachinery/codec';
import { newAlreadyExists, newConflict, newNotFound } from '@apiserver/apimachinery/errors';
import { cloneJson, freezeJson } from '@apiserver/apimachinery/json';
import type {
  AnyResourceDefinition,
  ObjectVerbs,
  ParsedListOptions,
  StoredList,
  StoredObject,
  VerbContext,
  WatchEvent,
  WatchEventType,
  WatchSink,
  WatchSource,
  WireForm,
} from '@apiserver/apiserver-contracts';

/** A RestStorage for tests, with hooks. Keeps the JSON of the hub version, like the real store. */
export interface MemoryRestStorage extends ObjectVerbs {
  /** Number of reads of stored objects' values: 0 if only bytes were used. */
  readonly valuesRead: number;
  /** The sinks of the watches that have been started and not closed. */
  readonly watching: ReadonlySet<WatchSink>;
  /** The watches that have been accepted and not closed, started or not. */
  readonly openWatches: number;
  /** Adds an object directly. */
  put(object: KubeObject): StoredObject;
  /** Sends an event to all watches and returns it. */
  emit(type: WatchEventType, stored: StoredObject): WatchEvent;
}

/** Dependencies of a MemoryRestStorage. */
export interface MemoryRestStorageOptions {
  readonly definition: AnyResourceDefinition;
  /** Of the hub version. */
  readonly codec: KindCodec;
}

/**
 * Makes a storage that keeps its objects in a Map. It has neither strategies nor history: the generic Store has its own
 * tests.
 */
export function createMemoryRestStorage(options: MemoryRestStorageOptions): MemoryRestStorage {
  return new MemoryStorage(options);
}

interface Kept {
  readonly stored: StoredObject;
  /** The value of `stored`. This access is not counted. */
  readonly value: KubeObject;
}

class MemoryStorage implements MemoryRestStorage {
  readonly watching = new Set<WatchSink>();
  readonly #open = new Set<WatchSource>();
  readonly #objects = new Map<string, Kept>();
  readonly #definition: AnyResourceDefinition;
  readonly #codec: KindCodec;
  #revision = 0;
  #valuesRead = 0;

  constructor({ definition, codec }: MemoryRestStorageOptions) {
    this.#definition = definition;
    this.#codec = codec;
  }

  get openWatches(): number {
    return this.#open.size;
  }

  get valuesRead(): number {
    return this.#valuesRead;
  }

  put(object: KubeObject): StoredObject {
    const resourceVersion = String(++this.#revision);
    const kept = this.#keep({ ...object, metadata: { ...object.metadata, resourceVersion } });
    this.#objects.set(keyOf(object), kept);
    return kept.stored;
  }

  emit(type: WatchEventType, object: StoredObject): WatchEvent {
    const event: WatchEvent = { type, object, frames: new Map() };
    for (const sink of [...this.watching]) sink.event(event);
    return event;
  }

  async get(context: VerbContext, name: string): Promise<StoredObject> {
    return this.#find(context, name).stored;
  }

  async list(context: VerbContext, options: ParsedListOptions): Promise<StoredList> {
    const selected = this.#select(context, options);
    const { limit = 0 } = options;
    const items = limit > 0 ? selected.slice(0, limit) : selected;
    const left = selected.length - items.length;
    return {
      items,
      resourceVersion: String(this.#revision),
      ...(left > 0 && { continue: 'next', remainingItemCount: left }),
    };
  }

  async watch(context: VerbContext, options: ParsedListOptions): Promise<WatchSource> {
    const past = this.#select(context, options);
    const { watching } = this;
    let started: WatchSink | undefined;
    const source: WatchSource = {
      start: (sink) => {
        started = sink;
        watching.add(sink);
        for (const object of past) sink.event({ type: 'ADDED', object, frames: new Map() });
      },
      close: () => {
        if (started !== undefined) watching.delete(started);
        this.#open.delete(source);
      },
    };
    this.#open.add(source);
    return source;
  }

  create: MemoryRestStorage['create'] = async (_context, object, validate, options) => {
    if (this.#objects.has(keyOf(object))) throw newAlreadyExists(this.#definition, object.metadata.name ?? '');
    object.metadata.uid = `uid-${this.#revision + 1}`;
    object.metadata.creationTimestamp = '2024-01-02T03:04:05Z';
    await validate(object);
    return options.dryRun ? this.#keep(object).stored : this.put(object);
  };

  update: MemoryRestStorage['update'] = async (context, request) => {
    const current = this.#objects.get(keyIn(context, request.name));
    const object = await request.objectInfo.updatedObject(context, current?.value);
    if (current === undefined) {
      const mayCreate = this.#definition.strategy.allowCreateOnUpdate || request.forceAllowCreate;
      if (!mayCreate) throw newNotFound(this.#definition, request.name);
      return { stored: await this.create(context, object, request.validateCreate, request.options), created: true };
    }
    const { resourceVersion = '' } = object.metadata;
    if (resourceVersion !== '' && resourceVersion !== current.stored.resourceVersion) {
      throw newConflict(this.#definition, request.name, 'the object has been modified');
    }
    await request.validateUpdate(object, current.value);
    return { stored: request.options.dryRun ? this.#keep(object).stored : this.put(object), created: false };
  };

  delete: MemoryRestStorage['delete'] = async (context, name, validate, options) => {
    const { stored, value } = this.#find(context, name);
    await validate(value);
    const deleted = (value.metadata.finalizers ?? []).length === 0;
    if (deleted && !options.dryRun) this.#objects.delete(keyIn(context, name));
    return { stored, deleted };
  };

  deleteCorrupt: MemoryRestStorage['deleteCorrupt'] = async (context, name) => ({
    deleted: this.#objects.delete(keyIn(context, name)),
  });

  deleteCollection: MemoryRestStorage['deleteCollection'] = async (context, validate, options, listOptions) => {
    const list = await this.list(context, listOptions);
    for (const { object } of list.items) await this.delete(context, object.metadata.name ?? '', validate, options);
    return list;
  };

  #find(context: VerbContext, name: string): Kept {
    const stored = this.#objects.get(keyIn(context, name));
    if (stored === undefined) throw newNotFound(this.#definition, name);
    return stored;
  }

  #select({ namespace }: VerbContext, { labelSelector, fieldSelector }: ParsedListOptions): StoredObject[] {
    return [...this.#objects.entries()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, kept]) => kept)
      .filter(({ value: { metadata } }) => {
        const fields = { 'metadata.name': metadata.name ?? '', 'metadata.namespace': metadata.namespace ?? '' };
        const inNamespace = namespace === '' || metadata.namespace === namespace;
        return inNamespace && labelSelector.matches(metadata.labels) && fieldSelector.matches(fields);
      })
      .map(({ stored }) => stored);
  }

  #keep(object: KubeObject): Kept {
    const json = this.#codec.encodeJson(object);
    const value = cloneJson(object);
    freezeJson(value);
    const { group, version, kind } = this.#codec.gvk;
    const read = () => {
      this.#valuesRead++;
      return value;
    };
    const forms = new Map<WireForm, Uint8Array>();
    const stored: StoredObject = {
      get object() {
        return read();
      },
      resourceVersion: object.metadata.resourceVersion ?? '',
      wire: (form) => {
        const kept = form.contentType === 'application/json' && form.version === version;
        return kept && form.group === group && form.kind === kind ? json : forms.get(form);
      },
      keep: (form, bytes) => void forms.set(form, Uint8Array.from(bytes)),
    };
    return { stored, value };
  }
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

function keyIn({ namespace }: VerbContext, name: string): string {
  return `${namespace}/${name}`;
}
