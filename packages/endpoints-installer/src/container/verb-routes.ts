import type { ApiResponse, Exchange, RestStorage } from '@apiserver/apiserver-contracts';
import { handleCreate } from '../handlers/create.js';
import { handleDelete } from '../handlers/delete.js';
import { handleDeleteCollection } from '../handlers/delete-collection.js';
import { handleGet } from '../handlers/get.js';
import { handleList } from '../handlers/list.js';
import { handlePatch } from '../handlers/patch.js';
import { handleUpdate } from '../handlers/update.js';
import { handleWatch } from '../handlers/watch.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';

/** A verb of one endpoint, ready to be called. */
export type VerbHandler = (exchange: Exchange) => Promise<ApiResponse>;

/** The verbs that an endpoint has. */
export type VerbHandlers = ReadonlyMap<string, VerbHandler>;

type Bind = (scope: EndpointScope, storage: RestStorage) => VerbHandler | undefined;

/** How each verb is bound to a storage; undefined when the storage does not have what it takes. */
const binders: Readonly<Record<string, Bind>> = {
  get: (scope, storage) => (has(storage, 'get') ? (exchange) => handleGet(scope, storage, exchange) : undefined),
  list: (scope, storage) => (has(storage, 'list') ? (exchange) => handleList(scope, storage, exchange) : undefined),
  watch: (scope, storage) => (has(storage, 'watch') ? (exchange) => handleWatch(scope, storage, exchange) : undefined),
  create: (scope, storage) =>
    has(storage, 'create') ? (exchange) => handleCreate(scope, storage, exchange) : undefined,
  update: (scope, storage) =>
    has(storage, 'update') ? (exchange) => handleUpdate(scope, storage, exchange) : undefined,
  patch: (scope, storage) =>
    has(storage, 'get') && has(storage, 'update') ? (exchange) => handlePatch(scope, storage, exchange) : undefined,
  delete: (scope, storage) =>
    has(storage, 'delete') ? (exchange) => handleDelete(scope, storage, exchange) : undefined,
  deletecollection: (scope, storage) =>
    has(storage, 'deleteCollection') ? (exchange) => handleDeleteCollection(scope, storage, exchange) : undefined,
};

function has<K extends keyof RestStorage>(
  storage: RestStorage,
  verb: K,
): storage is RestStorage & Required<Pick<RestStorage, K>> {
  return storage[verb] !== undefined;
}

/** The handlers of those of the `verbs` that the scope's storage can serve. */
export function bindVerbs(scope: EndpointScope, verbs: readonly string[]): VerbHandlers {
  const handlers = new Map<string, VerbHandler>();
  for (const verb of verbs) {
    const handler = binders[verb]?.(scope, scope.storage);
    if (handler !== undefined) handlers.set(verb, handler);
  }
  return handlers;
}
