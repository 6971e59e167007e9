import type { DeleteOptions, KubeObject } from '@apiserver/apimachinery';
import { TimeSlice } from '@apiserver/apimachinery/clock';
import { isNotFound } from '@apiserver/apimachinery/errors';
import {
  loadedObject,
  type ParsedListOptions,
  type StoredList,
  type StoredObject,
  type ValidateObject,
  type VerbContext,
} from '@apiserver/apiserver-contracts';
import { listObjects } from '../read.js';
import type { StoreCore } from '../store-core.js';
import { deleteObject } from './delete.js';

/** Number of objects per page if the client sets no limit. Upstream: deleteCollectionPageSize */
const PAGE_SIZE = 10_000;
/** Maximum number of deletions of one worker that wait for their commits. */
const MAX_BEGUN = 32;

/** The client's request for a deletecollection. */
interface DeleteCollectionRequest<T extends KubeObject> {
  readonly validate: ValidateObject<T>;
  readonly options: DeleteOptions;
  readonly listOptions: ParsedListOptions;
}

/**
 * Deletes everything that the list options select, and returns the list. Not atomic: after an error some objects are
 * deleted and some are not. Objects that are concurrently deleted are not an error.
 * Upstream: Store.DeleteCollection of k8s.io/apiserver/pkg/registry/generic/registry/store.go
 */
export async function deleteCollection<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  request: DeleteCollectionRequest<T>,
): Promise<StoredList<T>> {
  const limited = (request.listOptions.limit ?? 0) > 0;
  let page = await listObjects(
    core,
    context,
    limited ? request.listOptions : { ...request.listOptions, limit: PAGE_SIZE },
  );
  await deletePage(core, context, request, page.items);
  if (limited) return page;
  const first = page;
  const items = [...page.items];
  while (page.continue) {
    context.signal.throwIfAborted();
    page = await listObjects(core, context, nextPage(request.listOptions, page.continue));
    await deletePage(core, context, request, page.items);
    for (const item of page.items) items.push(item);
  }
  // The metadata of the first page, as upstream.
  return { ...first, items };
}

/** The continue token contains the version; a separate one would be an error. */
function nextPage(options: ParsedListOptions, token: string): ParsedListOptions {
  const { resourceVersion: _version, resourceVersionMatch: _match, ...rest } = options;
  return { ...rest, limit: PAGE_SIZE, continue: token };
}

/** Each worker takes the next object until none is left or a deletion fails; the first failure is thrown. */
async function deletePage<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  request: DeleteCollectionRequest<T>,
  items: readonly StoredObject<T>[],
): Promise<void> {
  const queue = items[Symbol.iterator]();
  const work = () => deleteInOrder(core, context, request, queue);
  const workers = Array.from({ length: Math.min(core.deleteCollectionWorkers, items.length) }, work);
  const outcomes = await Promise.allSettled(workers);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/**
 * The work of one worker. A deletion begins when admission has accepted the last one, so that those that wait for the
 * disk share a commit. None begins after a failure.
 */
async function deleteInOrder<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  request: DeleteCollectionRequest<T>,
  queue: Iterable<StoredObject<T>>,
): Promise<void> {
  const slice = new TimeSlice();
  const begun: Promise<void>[] = [];
  const failures: unknown[] = [];
  try {
    for (const item of queue) {
      if (begun.length === MAX_BEGUN) await begun.shift();
      if (failures.length > 0) break;
      context.signal.throwIfAborted();
      const deletion = beginDeletion(core, context, request, item);
      begun.push(deletion.done);
      // It is thrown when its turn comes.
      deletion.done.catch((error: unknown) => failures.push(error));
      await Promise.race([deletion.admitted, deletion.done]);
      if (slice.over) await slice.yield();
    }
    await Promise.all(begun);
  } finally {
    await Promise.allSettled(begun);
  }
}

interface BegunDeletion {
  /** Resolves when admission accepts the deletion, if it is asked. */
  readonly admitted: Promise<void>;
  readonly done: Promise<void>;
}

function beginDeletion<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  request: DeleteCollectionRequest<T>,
  item: StoredObject<T>,
): BegunDeletion {
  const { promise: admitted, resolve } = Promise.withResolvers<void>();
  const validate = async (object: T): Promise<void> => {
    await request.validate(object);
    resolve();
  };
  return { admitted, done: deleteItem(core, context, { ...request, validate }, item) };
}

async function deleteItem<T extends KubeObject>(
  core: StoreCore<T>,
  context: VerbContext,
  request: DeleteCollectionRequest<T>,
  item: StoredObject<T>,
): Promise<void> {
  const loading = loadedObject(item);
  const name = (loading instanceof Promise ? await loading : loading).metadata.name ?? '';
  try {
    await deleteObject(core, context, { name, validate: request.validate, options: request.options });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
