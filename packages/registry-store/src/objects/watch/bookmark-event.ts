import type { KubeObject } from '@apiserver/apimachinery';
import type { WatchEvent } from '@apiserver/apiserver-contracts';
import { ObjectEvent } from '../change.js';
import { type EntryKind, StoredEntry } from '../stored-entry.js';

/** Upstream: k8s.io/apimachinery/pkg/apis/meta/v1.InitialEventsAnnotationKey */
const END_ANNOTATION = 'k8s.io/initial-events-end';
const INITIAL_EVENTS_END = { [END_ANNOTATION]: 'true' };

/** States that everything up to `revision` has been sent. */
export function newBookmark<T extends KubeObject>(kind: EntryKind<T>, revision: number): WatchEvent<T> {
  return bookmark(kind, revision, kind.form.bookmark(revision));
}

/** States that the complete state at `revision` has been sent and changes follow. */
export function initialEventsEnd<T extends KubeObject>(kind: EntryKind<T>, revision: number): WatchEvent<T> {
  return bookmark(kind, revision, kind.form.bookmark(revision, INITIAL_EVENTS_END));
}

/** Reports whether a bookmark is that of `initialEventsEnd`. */
export function isInitialEventsEnd({ object }: WatchEvent): boolean {
  return object.object.metadata.annotations?.[END_ANNOTATION] === 'true';
}

function bookmark<T extends KubeObject>(kind: EntryKind<T>, revision: number, bytes: Uint8Array): WatchEvent<T> {
  return new ObjectEvent('BOOKMARK', new StoredEntry(kind, '', revision, { bytes, stale: false }));
}
