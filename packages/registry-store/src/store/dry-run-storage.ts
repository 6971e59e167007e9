import type { KubeObject } from '@apiserver/apimachinery';
import type { Storage, StoredObject, WriteOptions } from '@apiserver/apiserver-contracts';
import { isStorageError, newInvalidPreconditionsError, newKeyExistsError } from '../storage-error.js';
import { unstoredObjectInTurns } from './unstored-object.js';

/**
 * Aborts a write before its commit, after all checks and callbacks: a dry run thus has the preconditions and errors of
 * a real write.
 */
class CommitSkipped<T extends KubeObject> extends Error {
  readonly object: T;
  readonly created: boolean;
  readonly options: WriteOptions;

  constructor(object: T, created: boolean, options: WriteOptions = {}) {
    super('dry run');
    this.object = object;
    this.created = created;
    this.options = options;
  }
}

/**
 * The same storage without writes. Writes return the object as it would be read after it; an update keeps the resource
 * version it started from. Disposing it does nothing: the owner disposes the underlying storage. `keyPrefix` is that of
 * the resource: a failed precondition names the key without the root, as upstream, where it is checked before the root
 * is added.
 * Upstream: k8s.io/apiserver/pkg/registry/generic/registry/dryrun.go
 */
export function dryRunStorage<T extends KubeObject>(storage: Storage<T>, keyPrefix: string): Storage<T> {
  const withoutRoot = (key: string) => `/${keyPrefix}/${key}`;
  return {
    create: (key, object, options = {}) => dryRunCreate(storage, key, { object, ...options }),
    delete: (key, preconditions, validate) =>
      checked(
        withoutRoot(key),
        untilCommit(
          storage.delete(key, preconditions, async (object) => {
            await validate(object);
            throw new CommitSkipped(object, false);
          }),
        ),
      ),
    guaranteedUpdate: (key, preconditions, update) =>
      checked(withoutRoot(key), dryRunUpdate(storage, key, { preconditions, update })),
    deleteUnread: (key) => storage.deleteUnread(key),
    get: (key, requirement) => storage.get(key, requirement),
    list: (prefix, options) => storage.list(prefix, options),
    watch: (prefix, options) => storage.watch(prefix, options),
    reread: (object, options) => storage.reread(object, options),
    currentResourceVersion: () => storage.currentResourceVersion(),
    ready: (signal) => storage.ready(signal),
    [Symbol.asyncDispose]: async () => {},
  };
}

async function dryRunCreate<T extends KubeObject>(
  storage: Storage<T>,
  key: string,
  write: { readonly object: T } & WriteOptions,
) {
  const { stored } = await dryRunUpdate(storage, key, {
    preconditions: {},
    update: async (current) => {
      if (current !== undefined) throw newKeyExistsError(key, 0);
      return write;
    },
  });
  return stored;
}

type Update<T extends KubeObject> = Parameters<Storage<T>['guaranteedUpdate']>;

async function dryRunUpdate<T extends KubeObject>(
  storage: Storage<T>,
  key: string,
  write: { readonly preconditions: Update<T>[1]; readonly update: Update<T>[2] },
): Promise<{ stored: StoredObject<T>; created: boolean }> {
  try {
    return await storage.guaranteedUpdate(key, write.preconditions, async (current) => {
      const { object, ...options } = await write.update(current);
      if (current !== undefined) object.metadata.resourceVersion = current.resourceVersion;
      throw new CommitSkipped(object, current === undefined, options);
    });
  } catch (error) {
    const { object, created, options } = skippedCommit<T>(error);
    return { stored: await unstoredObjectInTurns(await storage.reread(object, options)), created };
  }
}

async function untilCommit<T extends KubeObject>(write: Promise<StoredObject<T>>): Promise<StoredObject<T>> {
  try {
    return await write;
  } catch (error) {
    return unstoredObjectInTurns(skippedCommit<T>(error).object);
  }
}

/** Names `key` in a failed precondition. */
async function checked<R>(key: string, write: Promise<R>): Promise<R> {
  try {
    return await write;
  } catch (error) {
    if (!isStorageError(error) || error.storageErrorCode !== 'InvalidPreconditions') throw error;
    throw newInvalidPreconditionsError(key, error.details.message ?? '');
  }
}

function skippedCommit<T extends KubeObject>(error: unknown): CommitSkipped<T> {
  if (error instanceof CommitSkipped) return error;
  throw error;
}
