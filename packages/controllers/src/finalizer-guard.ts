import type { KubeObject } from '@apiserver/apimachinery';
import { isNotFound } from '@apiserver/apimachinery/errors';
import type { Informer, ResourceClient } from '@apiserver/apiserver-contracts';
import type { ControllerContext } from './controller.js';
import { namespacedKey, objectOfKey } from './namespaced-key.js';

/** The objects of one resource that a finalizer protects while they are used. */
export interface ProtectedResource<T extends KubeObject> {
  readonly finalizer: string;
  /** Upstream's name of the queue. */
  readonly queue: string;
  readonly workers: number;
  /** False: only admission adds the finalizer. Default: true. */
  readonly addsMissing?: boolean;
  readonly objects: Informer<T>;
  readonly client: ResourceClient<T>;
  /** Decides from the server's newest state, or from the views whose events add keys to the queue. */
  isUsed(object: T): Promise<boolean> | boolean;
}

/**
 * Adds the finalizer to objects that lack it, if the resource wants that, and removes it from deleted ones that nothing uses.
 * Upstream: pkg/controller/volume/protectionutil
 */
export function guardFinalizer<T extends KubeObject>(context: ControllerContext, resource: ProtectedResource<T>) {
  const { finalizer, objects, client, isUsed, queue: name, workers, addsMissing = true } = resource;
  const finalizersOf = ({ metadata }: KubeObject) => metadata.finalizers ?? [];
  const needsWork = (object: T) => {
    const isProtected = finalizersOf(object).includes(finalizer);
    const isDeleted = object.metadata.deletionTimestamp !== undefined;
    return isDeleted ? isProtected : addsMissing && !isProtected;
  };
  const queue = context.queue({
    name,
    workers,
    sync: async (key) => {
      const { namespace, name: objectName } = objectOfKey(key);
      const object = objects.get(namespace, objectName);
      if (object === undefined || !needsWork(object)) return;
      const isDeleted = object.metadata.deletionTimestamp !== undefined;
      if (isDeleted && (await isUsed(object))) return;
      const others = finalizersOf(object).filter((each) => each !== finalizer);
      const finalizers = isDeleted ? others : [...others, finalizer];
      await client.update(namespace, { ...object, metadata: { ...object.metadata, finalizers } }).catch(ignoreMissing);
    },
  });
  const add = (object: T) => {
    if (needsWork(object)) queue.add(namespacedKey(object));
  };
  return { queue, unsubscribe: objects.subscribe({ added: add, updated: add }) };
}

function ignoreMissing(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
