import type { KubeObject } from '@apiserver/apimachinery';
import type { StoredList, StoredObject, StoreHooks, WatchEvent, WatchSource } from '@apiserver/apiserver-contracts';
import { unstoredObject } from './unstored-object.js';

type Decorate<T extends KubeObject> = StoreHooks<T>['decorate'];

/** The object as the exit hook answers it; the very same, bytes and all, where there is no hook or it changes nothing. */
export function decorated<T extends KubeObject>(decorate: Decorate<T>, stored: StoredObject<T>): StoredObject<T> {
  if (decorate === undefined) return stored;
  const object = decorate(stored.object);
  return object === stored.object ? stored : unstoredObject(object);
}

/** Every item of a list, decorated. */
export function decoratedList<T extends KubeObject>(decorate: Decorate<T>, list: StoredList<T>): StoredList<T> {
  if (decorate === undefined) return list;
  return { ...list, items: list.items.map((item) => decorated(decorate, item)) };
}

/** Every event of a watch, decorated. */
export function decoratedWatch<T extends KubeObject>(decorate: Decorate<T>, source: WatchSource<T>): WatchSource<T> {
  if (decorate === undefined) return source;
  return {
    start: (sink) =>
      source.start({
        event: (event) => sink.event(decoratedEvent(decorate, event)),
        end: (error) => sink.end(error),
      }),
    close: () => source.close(),
  };
}

function decoratedEvent<T extends KubeObject>(decorate: Decorate<T>, event: WatchEvent<T>): WatchEvent<T> {
  if (event.type === 'BOOKMARK') return event;
  const object = decorated(decorate, event.object);
  return object === event.object ? event : { type: event.type, object, frames: new Map() };
}
