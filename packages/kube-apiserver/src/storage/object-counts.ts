import type { ObjectStats } from '@apiserver/flowcontrol';
import type { ObjectCounter } from '@apiserver/registry-store';

/** The numbers and sizes of the objects in the watch caches, of built-in and custom resources. */
export class ObjectCounts {
  /** The last one of each resource: a definition may return under the same name. */
  readonly #counters = new Map<string, ObjectCounter>();

  readonly add = (counter: ObjectCounter): void => {
    this.#counters.set(keyOf(counter.group, counter.resource), counter);
  };

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
