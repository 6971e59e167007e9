import type { KubeObject } from '@apiserver/apimachinery';
import type { StoredObject, WatchEvent } from '@apiserver/apiserver-contracts';

/** Receives the state of a resource. */
export interface ResourceSink<T extends KubeObject> {
  /** A fresh list: what is missing from it has been deleted. No event comes before a promise resolves. */
  replace(listed: readonly StoredObject<T>[]): Promise<void> | void;
  /** A change. Bookmarks do not arrive. The next change waits for a promise; its rejection ends the watch. */
  event(event: WatchEvent<T>): Promise<void> | void;
}
