import type { CreateOptions, DeleteOptions, GetOptions, KubeObject } from '@apiserver/apimachinery';
import type {
  GenericStore,
  ParsedListOptions,
  UpdateRequest,
  ValidateObject,
  VerbContext,
} from '@apiserver/apiserver-contracts';
import { createObject } from './create.js';
import { deleteObject } from './delete/delete.js';
import { deleteCollection } from './delete/delete-collection.js';
import { deleteCorruptObject } from './delete/delete-corrupt.js';
import { type Modification, modifyObject } from './modify.js';
import { getObject, listObjects, watchObjects } from './read.js';
import { newStoreCore, type StoreCore, timestamp } from './store-core.js';
import type { StoreOptions } from './store-options.js';
import { updateObject } from './update.js';

/**
 * Every verb over one resource's storage, with the rules of its strategy. It has no state of its own: objects are in
 * `options.storage`, which the caller disposes.
 * Upstream: k8s.io/apiserver/pkg/registry/generic/registry.Store
 */
export function newGenericStore<T extends KubeObject>(options: StoreOptions<T>): GenericStore<T> {
  return new StoreVerbs(options);
}

/** A class, because a server has more than a hundred Stores, and most of them are never asked for anything. */
export class StoreVerbs<T extends KubeObject = KubeObject> implements GenericStore<T> {
  readonly #options: StoreOptions<T>;
  #core: StoreCore<T> | undefined = undefined;

  constructor(options: StoreOptions<T>) {
    this.#options = options;
  }

  get(context: VerbContext, name: string, options: GetOptions) {
    return getObject(this.#made(), context, name, options);
  }

  list(context: VerbContext, options: ParsedListOptions) {
    return listObjects(this.#made(), context, options);
  }

  watch(context: VerbContext, options: ParsedListOptions) {
    return watchObjects(this.#made(), context, options);
  }

  create(context: VerbContext, object: T, validate: ValidateObject<T>, options: CreateOptions) {
    return createObject(this.#made(), context, { object, validate, options });
  }

  update(context: VerbContext, request: UpdateRequest<T>) {
    return updateObject(this.#made(), context, request);
  }

  delete(context: VerbContext, name: string, validate: ValidateObject<T>, options: DeleteOptions) {
    return deleteObject(this.#made(), context, { name, validate, options });
  }

  deleteCorrupt(context: VerbContext, name: string) {
    return deleteCorruptObject(this.#made(), context, name);
  }

  deleteCollection(
    context: VerbContext,
    validate: ValidateObject<T>,
    options: DeleteOptions,
    listOptions: ParsedListOptions,
  ) {
    return deleteCollection(this.#made(), context, { validate, options, listOptions });
  }

  modify(context: VerbContext, name: string, options: Modification<T>['options'], change: Modification<T>['change']) {
    return modifyObject(this.#made(), context, name, { options, change });
  }

  now(): string {
    return timestamp(this.#made());
  }

  #made(): StoreCore<T> {
    this.#core ??= newStoreCore(this.#options);
    return this.#core;
  }
}
