import { formatTime } from '@apiserver/apimachinery/values';
import { readFileIfPresent } from '@apiserver/component-base/process';
import type { KeyValueStore } from '@apiserver/registry-store';
import { bytesOfFirstObjects, type FirstObject, type RecordedObjects } from './first-objects.js';

/** Options of `storeFirstObjects`. */
export interface FirstObjectsOptions {
  /** The objects that a server with the same options created; undefined if there are none. */
  readonly recorded: () => readonly FirstObject[] | undefined;
  /** The prefix of all keys. */
  readonly root: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly newUid: () => string;
}

/** The state of a store: it had objects before, it has none because none are recorded, or it has the recorded ones. */
export type FirstObjectsOutcome = 'had objects' | 'none recorded' | 'stored';

/**
 * Stores the objects of a first start in a store that was never written to, in one commit. Their bytes are those that
 * requests produced earlier. Throws the store's KeyValueError.
 */
export async function storeFirstObjects(
  store: KeyValueStore,
  { recorded, root, now, newUid }: FirstObjectsOptions,
): Promise<FirstObjectsOutcome> {
  if ((await store.currentRevision()) !== EMPTY) return 'had objects';
  const objects = recorded();
  if (objects === undefined) return 'none recorded';
  const values = bytesOfFirstObjects(objects, { newUid, now: formatTime(now) });
  const results = await Promise.all(
    values.map((value, index) =>
      store.commit({ type: 'put', key: `${root}/${objects[index]?.key}`, value, expectedRevision: 0 }),
    ),
  );
  // Another server on the same store may have come first.
  return results.every(({ committed }) => committed) ? 'stored' : 'had objects';
}

/** The objects in the build's file, if servers with these options create the same ones. */
export function readFirstObjects(file: string, fingerprint: () => string): readonly FirstObject[] | undefined {
  const text = readFileIfPresent(file);
  if (text === undefined) return undefined;
  const { objects, ...made }: RecordedObjects = JSON.parse(text);
  return made.fingerprint === fingerprint() ? objects : undefined;
}

/** The revision of a store that was never written to. */
const EMPTY = 1;
