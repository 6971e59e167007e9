import type { KubeObject } from '@apiserver/apimachinery';
import type { StatusError } from '@apiserver/apimachinery/errors';
import type { StoredObject } from './stored-object.js';

/** What became of an object; a bookmark tells a version alone. An ERROR is no event here: it ends the sink. */
export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';

/**
 * One event. The same value goes to every watcher that gets this type of it, so a frame encoded for one serves all:
 * `frames` is where the encoder keeps them.
 */
export interface WatchEvent<T extends KubeObject = KubeObject> {
  readonly type: WatchEventType;
  readonly object: StoredObject<T>;
  /** Encoded frames by the encoder's own key for a form; filled by who encodes, shared by all watchers of the event. */
  readonly frames: Map<string, Uint8Array>;
}

/** Where a watch delivers. Both are called synchronously, in revision order, never re-entrantly. */
export interface WatchSink<T extends KubeObject = KubeObject> {
  event(event: WatchEvent<T>): void;
  /**
   * Asked between two batches of past events: a promise means that the client has to take what it has got first.
   * Absent: always ready. Live events do not ask; who cannot take them is cut off.
   */
  ready?(): Promise<void> | undefined;
  /** The last call. With an error: the source broke (410 after compaction, storage gone); the client is told by an ERROR event. */
  end(error?: StatusError): void;
}

/** A watch that was accepted and not yet started. */
export interface WatchSource<T extends KubeObject = KubeObject> {
  /** Starts delivery; may be called once. Past events come first, with a pause between batches, then live ones. */
  start(sink: WatchSink<T>): void;
  /** Stops delivery and frees everything; the sink gets no further call. Idempotent. */
  close(): void;
}
