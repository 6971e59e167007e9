import { formatTime } from '@apiserver/apimachinery/values';
import { readFileIfPresent } from '@apiserver/component-base/process';
import type { KeyValueStore } from '@apiserver/registry-store';
import { bytesOfFirstObject, type RecordedObjects } from './first-objects.js';

/** What the objects are stored with. */
export interface FirstObjectsOptions {
  /** Where the build has left them, as JSON. */
  readonly file: string;
  /** Of the options of this server. */
  readonly fingerprint: () => string;
  /** What every key begins with. */
  readonly root: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly newUid: () => string;
}

/**
 * Puts what every first start makes into a store that nothing was ever written to, in one commit: the bytes that the road of
 * a request came to when the program was built. The controllers of those objects look over them as in
 * every start. Does nothing where the build has left no file, or was given options that make other objects. Throws the store's KeyValueError.
 */
export async function storeFirstObjects(
  store: KeyValueStore,
  { file, fingerprint, root, now, newUid }: FirstObjectsOptions,
): Promise<void> {
  if ((await store.currentRevision()) !== EMPTY) return;
  const recorded = readFileIfPresent(file);
  if (recorded === undefined) return;
  const { objects, ...made }: RecordedObjects = JSON.parse(recorded);
  if (made.fingerprint !== fingerprint()) return;
  const time = formatTime(now);
  await Promise.all(
    objects.map((object) => {
      const value = bytesOfFirstObject(object, { uid: newUid(), now: time });
      return store.commit({ type: 'put', key: `${root}/${object.key}`, value, expectedRevision: 0 });
    }),
  );
}

/** The revision of a store that nothing was ever written to. */
const EMPTY = 1;
