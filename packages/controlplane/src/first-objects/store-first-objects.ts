import { formatTime } from '@apiserver/apimachinery/values';
import { readFileIfPresent } from '@apiserver/component-base/process';
import type { KeyValueStore } from '@apiserver/registry-store';
import { bytesOfFirstObject, type RecordedObjects } from './first-objects.js';

/** Options of `storeFirstObjects`. */
export interface FirstObjectsOptions {
  /** The build's file, in JSON. */
  readonly file: string;
  /** The fingerprint of this server's options. */
  readonly fingerprint: () => string;
  /** The prefix of all keys. */
  readonly root: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly newUid: () => string;
}

/**
 * Stores the objects of a first start in a store that was never written to, in one commit. Their bytes are those that
 * requests produced at build time. Controllers check these objects as at every start. Does nothing if the build left
 * no file, or if its options would create other objects. Throws the store's KeyValueError.
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

/** The revision of a store that was never written to. */
const EMPTY = 1;
