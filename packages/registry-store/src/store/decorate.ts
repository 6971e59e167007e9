import type { KubeObject } from '@apiserver/apimachinery';
import { TimeSlice } from '@apiserver/apimachinery/clock';
import { freezeJson } from '@apiserver/apimachinery/json';
import type { StoredList, StoredObject, StoreHooks, WatchEvent, WatchSource } from '@apiserver/apiserver-contracts';
import { unstoredObject } from './unstored-object.js';

/** Size from which an object is decoded on demand. */
const LARGE = 256 * 1024;

type Decorate<T extends KubeObject> = StoreHooks<T>['decorate'];

/** The object after the exit hook; the same one, including its bytes, if there is no hook or it changes nothing. */
export function decorated<T extends KubeObject>(decorate: Decorate<T>, stored: StoredObject<T>): StoredObject<T> {
  if (decorate === undefined) return stored;
  const object = decorate(stored.object);
  return object === stored.object ? stored : unstoredObject(object);
}

/** Decorates every item of a list; large ones are decoded in several turns. */
export async function decoratedList<T extends KubeObject>(
  decorate: Decorate<T>,
  list: StoredList<T>,
): Promise<StoredList<T>> {
  if (decorate === undefined) return list;
  const slice = new TimeSlice();
  const items: StoredObject<T>[] = [];
  for (const item of list.items) {
    const loading = item.load?.();
    if (loading !== undefined) await loading;
    else if (slice.over) await slice.yield();
    items.push(decorated(decorate, item));
  }
  // Runs are those of the objects without decoration.
  const { runs: _, ...rest } = list;
  return { ...rest, items };
}

/** Decorates every event of a watch. */
export function decoratedWatch<T extends KubeObject>(decorate: Decorate<T>, source: WatchSource<T>): WatchSource<T> {
  if (decorate === undefined) return source;
  return {
    start: (sink) =>
      source.start({
        ...(sink.followsRestore && { followsRestore: true }),
        event: (event) => sink.event(decoratedEvent(decorate, event)),
        end: (error) => sink.end(error),
      }),
    close: () => source.close(),
  };
}

function decoratedEvent<T extends KubeObject>(decorate: NonNullable<Decorate<T>>, event: WatchEvent<T>): WatchEvent<T> {
  if (event.type === 'BOOKMARK') return event;
  const isLarge = (event.object.byteLength ?? 0) >= LARGE;
  const object = isLarge ? new DecoratedObject(decorate, event.object) : decorated(decorate, event.object);
  return object === event.object ? event : { type: event.type, object, frames: new Map() };
}

/** A large object that is decorated on demand; until then it is unknown whether its kept bytes are valid. */
class DecoratedObject<T extends KubeObject> implements StoredObject<T> {
  readonly resourceVersion: string;
  readonly byteLength: number;
  readonly #decorate: NonNullable<Decorate<T>>;
  readonly #stored: StoredObject<T>;

  constructor(decorate: NonNullable<Decorate<T>>, stored: StoredObject<T>) {
    this.#decorate = decorate;
    this.#stored = stored;
    this.resourceVersion = stored.resourceVersion;
    this.byteLength = stored.byteLength ?? 0;
  }

  get object(): T {
    return freezeJson(this.#decorate(this.#stored.object)) as T;
  }

  load(): Promise<T> | undefined {
    return this.#stored.load?.()?.then((object) => freezeJson(this.#decorate(object)) as T);
  }

  wire(): undefined {
    return undefined;
  }
}
