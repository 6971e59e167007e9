import type { DeleteOptions, GroupVersionResource, KubeObject } from '@apiserver/apimachinery';
import { newAlreadyExists, newConflict, newNotFound } from '@apiserver/apimachinery/errors';
import { cloneJson } from '@apiserver/apimachinery/json';
import type {
  LoopbackClient,
  ResourceClient,
  StoredList,
  WatchEventType,
  WatchSink,
} from '@apiserver/apiserver-contracts';

/** A client whose server keeps objects in a Map, and supports only `key=value` selectors. */
export function fakeClient(): LoopbackClient {
  const objects = new Map<string, KubeObject>();
  const changes = new Map<string, Changes>();
  return {
    resource: <T extends KubeObject>(gvr: GroupVersionResource) =>
      // The test determines the kind of the resource.
      new FakeResource(gvr, objects, changes) as unknown as ResourceClient<T>,
  };
}

type WatchEvent = Parameters<WatchSink['event']>[0];

/** The changes of one resource: all past events, whose count is the version, and the subscribers. */
interface Changes {
  readonly past: WatchEvent[];
  readonly sinks: Set<WatchSink>;
}

class FakeResource implements ResourceClient<KubeObject> {
  readonly resource: GroupVersionResource;
  readonly #objects: Map<string, KubeObject>;
  readonly #changes: Changes;

  constructor(resource: GroupVersionResource, objects: Map<string, KubeObject>, changes: Map<string, Changes>) {
    this.resource = resource;
    this.#objects = objects;
    this.#changes = changes.get(resource.resource) ?? { past: [], sinks: new Set() };
    changes.set(resource.resource, this.#changes);
  }

  async get(namespace: string, name: string): Promise<KubeObject> {
    const object = this.#objects.get(this.#key(namespace, name));
    if (object === undefined) throw newNotFound(this.resource, name);
    return object;
  }

  async list(namespace: string, { labelSelector = '', fieldSelector = '' } = {}): Promise<StoredList> {
    const [label = '', value = ''] = labelSelector.split('=');
    const items = [...this.#objects]
      .filter(([key]) => key.startsWith(namespace === '' ? `${this.resource.resource}/` : this.#key(namespace, '')))
      .map(([, object]) => ({ object }))
      .filter(({ object: { metadata } }) => label === '' || metadata.labels?.[label] === value)
      .filter(({ object: { metadata } }) => fieldSelector === '' || fieldSelector === `metadata.name=${metadata.name}`);
    return { items, resourceVersion: String(this.#changes.past.length) } as unknown as StoredList;
  }

  async watch(
    ...[, options]: Parameters<ResourceClient<KubeObject>['watch']>
  ): ReturnType<ResourceClient<KubeObject>['watch']> {
    const { past, sinks } = this.#changes;
    return {
      start: (sink) => {
        for (const event of past.slice(Number(options?.resourceVersion ?? past.length))) sink.event(event);
        sinks.add(sink);
      },
      close: () => {},
    };
  }

  async create(namespace: string, object: KubeObject): Promise<KubeObject> {
    const key = this.#key(namespace, object.metadata.name ?? '');
    if (this.#objects.has(key)) throw newAlreadyExists(this.resource, object.metadata.name ?? '');
    return this.#put(key, object, 'ADDED');
  }

  async update(namespace: string, object: KubeObject): Promise<KubeObject> {
    await this.get(namespace, object.metadata.name ?? '');
    return this.#put(this.#key(namespace, object.metadata.name ?? ''), object, 'MODIFIED');
  }

  /** Replaces the top-level fields of the stored object. */
  async apply(namespace: string, object: KubeObject): Promise<KubeObject> {
    const { metadata, ...fields } = object;
    const old = await this.get(namespace, metadata.name ?? '');
    return this.#put(this.#key(namespace, metadata.name ?? ''), { ...old, ...fields }, 'MODIFIED');
  }

  async delete(namespace: string, name: string, { preconditions }: DeleteOptions = {}): Promise<void> {
    const object = await this.get(namespace, name);
    const uid = preconditions?.uid ?? object.metadata.uid;
    if (uid !== object.metadata.uid) throw newConflict(this.resource, name, `the UID is ${object.metadata.uid}`);
    this.#objects.delete(this.#key(namespace, name));
    this.#notify('DELETED', object);
  }

  patch(): Promise<never> {
    return Promise.reject(new Error('no patch here'));
  }

  deleteCollection(): Promise<never> {
    return Promise.reject(new Error('no deletecollection here'));
  }

  #put(key: string, object: KubeObject, type: WatchEventType): KubeObject {
    const kept = cloneJson(object) as KubeObject;
    this.#objects.set(key, kept);
    this.#notify(type, kept);
    return kept;
  }

  #notify(type: WatchEventType, object: KubeObject): void {
    const resourceVersion = String(this.#changes.past.length + 1);
    const versioned = { ...object, metadata: { ...object.metadata, resourceVersion } };
    const event = { type, object: { object: versioned, resourceVersion }, frames: new Map() } as unknown as WatchEvent;
    this.#changes.past.push(event);
    for (const sink of this.#changes.sinks) sink.event(event);
  }

  #key(namespace: string, name: string): string {
    return `${this.resource.resource}/${namespace}/${name}`;
  }
}
