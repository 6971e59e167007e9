import type { KubeObject } from '@apiserver/apimachinery';
import type { GenericStore } from '@apiserver/apiserver-contracts';
import { createObject } from './create.js';
import { deleteObject } from './delete/delete.js';
import { deleteCollection } from './delete/delete-collection.js';
import { deleteCorruptObject } from './delete/delete-corrupt.js';
import { modifyObject } from './modify.js';
import { getObject, listObjects, watchObjects } from './read.js';
import { newStoreCore, timestamp } from './store-core.js';
import type { StoreOptions } from './store-options.js';
import { updateObject } from './update.js';

/**
 * Every verb over one resource's storage, with the rules of its strategy. It has no state of its own: objects are in
 * `options.storage`, which the caller disposes.
 * Upstream: k8s.io/apiserver/pkg/registry/generic/registry.Store
 */
export function newGenericStore<T extends KubeObject>(options: StoreOptions<T>): GenericStore<T> {
  const core = newStoreCore(options);
  return {
    get: (context, name, getOptions) => getObject(core, context, name, getOptions),
    list: (context, listOptions) => listObjects(core, context, listOptions),
    watch: (context, listOptions) => watchObjects(core, context, listOptions),
    create: (context, object, validate, createOptions) =>
      createObject(core, context, { object, validate, options: createOptions }),
    update: (context, request) => updateObject(core, context, request),
    delete: (context, name, validate, deleteOptions) =>
      deleteObject(core, context, { name, validate, options: deleteOptions }),
    deleteCorrupt: (context, name) => deleteCorruptObject(core, context, name),
    deleteCollection: (context, validate, deleteOptions, listOptions) =>
      deleteCollection(core, context, { validate, options: deleteOptions, listOptions }),
    modify: (context, name, modifyOptions, change) =>
      modifyObject(core, context, name, { options: modifyOptions, change }),
    now: () => timestamp(core),
  };
}
