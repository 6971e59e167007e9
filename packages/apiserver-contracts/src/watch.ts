import type { KubeObject } from '@apiserver/apimachinery';
import type { StatusError } from '@apiserver/apimachinery/errors';
import type { StoredObject } from './stored-object.js';

/** The change of an object; a bookmark only reports a version. An ERROR is no event here: it ends the sink. */
export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';

/**
 * One event. All watchers of the object share it, so that each frame is encoded once. The encoder caches its frames
 * in `frames`.
 */
export interface WatchEvent<T extends KubeObject = KubeObject> {
  readonly type: WatchEventType;
  readonly object: StoredObject<T>;
  /** Encoded frames by the encoder's key of a form; filled by the encoder, shared by all watchers of the event. */
  readonly frames: Map<string, Uint8Array>;
}

/** The receiver of a watch. Both methods are called synchronously, in revision order, never re-entrantly. */
export interface WatchSink<T extends KubeObject = KubeObject> {
  /**
   * True if the sink takes the restore of a whole store as a series of changes. An object may then return to an earlier
   * version. Absent: the watch ends with 410, as for clients.
   */
  readonly followsRestore?: true;
  event(event: WatchEvent<T>): void;
  /** Called once, when all past events were delivered. Not called if the watch ends before. */
  caughtUp?(): void;
  /**
   * Called between two batches of past events; a promise delays the next batch until the client has accepted the last
   * one. Absent: always ready. Live events do not wait; a client that cannot accept them is disconnected.
   */
  ready?(): Promise<void> | undefined;
  /**
   * The last call. With an error, the source has failed (410 after compaction, lost storage), and the client receives
   * an ERROR event.
   */
  end(error?: StatusError): void;
}

/** An accepted watch that has not yet started. */
export interface WatchSource<T extends KubeObject = KubeObject> {
  /** Starts delivery; call it once. Past events come first, in batches, then live ones. */
  start(sink: WatchSink<T>): void;
  /** Stops delivery and releases all resources; the sink receives no further call. Idempotent. */
  close(): void;
}
