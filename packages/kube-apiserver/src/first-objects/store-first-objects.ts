import { formatTime } from '@apiserver/apimachinery/values';
import type { Logger } from '@apiserver/apiserver-contracts';
import type { KeyValueStore } from '@apiserver/registry-store';
import { readFileIfPresent } from '../bootstrap-pki/private-file.js';
import type { CompletedOptions } from '../options/complete-options.js';
import { bytesOfFirstObject, type FirstObject } from './first-objects.js';

/** What the objects are stored with. */
export interface FirstObjectsOptions {
  /** Where the build has left them, as JSON. */
  readonly file: string;
  /** What every key begins with. */
  readonly root: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly newUid: () => string;
}

/**
 * Puts what every first start makes into a store that nothing was ever written to, in one commit: the bytes that the road of
 * a request came to when the program was built. Whatever there is, the controllers that make those objects look over it as in
 * every start. Does nothing where the build has left no file. Throws the store's KeyValueError.
 */
export async function storeFirstObjects(
  store: KeyValueStore,
  { file, root, now, newUid }: FirstObjectsOptions,
): Promise<void> {
  if ((await store.currentRevision()) !== EMPTY) return;
  const recorded = readFileIfPresent(file);
  if (recorded === undefined) return;
  const objects: readonly FirstObject[] = JSON.parse(recorded);
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

/**
 * Whether a server with these options would make the objects as the build's did and store them so in a store of its own, and
 * nobody has asked for a log of it.
 */
export function makesObjectsAsRecorded(
  { admission, apiEnablement, storage }: Pick<CompletedOptions, 'admission' | 'apiEnablement' | 'storage'>,
  logger: Logger,
): boolean {
  const { configFile, disabled, enabled, exactly } = admission;
  return (
    storage.mediaType === '' &&
    storage.encryptionConfigFile === '' &&
    apiEnablement.runtimeConfig.size === 0 &&
    configFile === '' &&
    [disabled, enabled, exactly].every((plugins) => plugins.length === 0) &&
    logger.named('rbac').v(2) === undefined
  );
}
