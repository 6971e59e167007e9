import type { GroupResource } from '@apiserver/apimachinery';
import type { ObjectStats } from '@apiserver/apiserver-contracts';
import type { ObjectCounter } from './storage-provider.js';

/** Follows the resources that are counted. */
export interface CountsObserver {
  added(counter: ObjectCounter): void;
  /** The resource has no counter any more. */
  removed(resource: GroupResource): void;
}

/** The counters of built-in and custom resources. */
export class ObjectCounts implements Iterable<ObjectCounter> {
  /** The last one of each resource: a definition has one for each version, and may return under the same name. */
  readonly #counters = new Map<string, ObjectCounter>();
  #observer: CountsObserver | undefined = undefined;

  /** Counts a resource until the returned function is called. See StorageProviderOptions. */
  readonly add = (counter: ObjectCounter): (() => void) => {
    const key = keyOf(counter.group, counter.resource);
    this.#counters.set(key, counter);
    this.#observer?.added(counter);
    return () => {
      if (!this.has(counter)) return;
      this.#counters.delete(key);
      this.#observer?.removed(counter);
    };
  };

  /** Tells the observer of changes from now on, instead of an earlier observer. */
  observe(observer: CountsObserver): void {
    this.#observer = observer;
  }

  /** Reports whether the counter still counts its resource. */
  has(counter: ObjectCounter): boolean {
    return this.#counters.get(keyOf(counter.group, counter.resource)) === counter;
  }

  [Symbol.iterator](): Iterator<ObjectCounter> {
    return this.#counters.values();
  }

  /** Undefined: the resource is unknown here, or its cache is not filled. */
  statsOf(group: string, resource: string): ObjectStats | undefined {
    const counter = this.#counters.get(keyOf(group, resource));
    const count = counter?.cachedCount();
    if (count === undefined) return undefined;
    return { count, averageBytes: count === 0 ? 0 : (counter?.storedBytes() ?? 0) / count };
  }
}

function keyOf(group: string, resource: string): string {
  return `${resource}.${group}`;
}
