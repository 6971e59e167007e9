import type { KubeObject } from '@apiserver/apimachinery';
import type { StoredObject, WatchEvent, WatchEventType } from '@apiserver/apiserver-contracts';
import type { Selection } from './selection.js';
import type { StoredEntry } from './stored-entry.js';

/** A watch event; its map of frames is created on demand by an encoder. */
export class ObjectEvent<T extends KubeObject> implements WatchEvent<T> {
  readonly type: WatchEventType;
  readonly object: StoredObject<T>;
  #frames: Map<string, Uint8Array> | undefined;

  constructor(type: WatchEventType, object: StoredObject<T>) {
    this.type = type;
    this.object = object;
  }

  get frames(): Map<string, Uint8Array> {
    this.#frames ??= new Map();
    return this.#frames;
  }
}

/** One change of one key, and the at most three events that watchers see, each created once for all of them. */
export class Change<T extends KubeObject> {
  readonly key: string;
  readonly revision: number;
  /** Undefined if the key was deleted. */
  readonly current: StoredEntry<T> | undefined;
  readonly previous: StoredEntry<T> | undefined;
  #added: WatchEvent<T> | undefined;
  #modified: WatchEvent<T> | undefined;
  #deleted: WatchEvent<T> | undefined;

  constructor(
    key: string,
    revision: number,
    states: { readonly current: StoredEntry<T> | undefined; readonly previous: StoredEntry<T> | undefined },
  ) {
    this.key = key;
    this.revision = revision;
    this.current = states.current;
    this.previous = states.previous;
  }

  /** Approximate memory that the change retains. */
  get bytes(): number {
    return (this.current?.byteLength ?? 0) + (this.previous?.byteLength ?? 0);
  }

  /**
   * The event of a change for a watcher. An object that begins to match is ADDED. One that no longer does is DELETED,
   * with its last matching state at the revision of the change. Undefined: no event.
   * Upstream: k8s.io/apiserver/pkg/storage/cacher/cache_watcher.go
   */
  eventFor(selection: Selection): WatchEvent<T> | undefined {
    const { current, previous } = this;
    const matches = current !== undefined && (selection.empty || selection.matches(current));
    const matched = previous !== undefined && (selection.empty || selection.matches(previous));
    if (matches) return matched ? this.#asModified(current) : this.#asAdded(current);
    return matched ? this.#asDeleted(previous) : undefined;
  }

  /**
   * Drops events after delivery to all watchers, with their frames. They would live as long as the change; later
   * readers create them again.
   */
  forgetEvents(): void {
    this.#added = undefined;
    this.#modified = undefined;
    this.#deleted = undefined;
  }

  #asAdded(current: StoredEntry<T>): WatchEvent<T> {
    this.#added ??= new ObjectEvent('ADDED', current);
    return this.#added;
  }

  #asModified(current: StoredEntry<T>): WatchEvent<T> {
    this.#modified ??= new ObjectEvent('MODIFIED', current);
    return this.#modified;
  }

  #asDeleted(previous: StoredEntry<T>): WatchEvent<T> {
    this.#deleted ??= new ObjectEvent('DELETED', previous.atRevision(this.revision));
    return this.#deleted;
  }
}
