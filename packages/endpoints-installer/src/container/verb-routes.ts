import type { ApiResponse, Exchange, RestStorage } from '@apiserver/apiserver-contracts';
import { handleCreate } from '../handlers/create.js';
import { handleDelete } from '../handlers/delete.js';
import { handleDeleteCollection } from '../handlers/delete-collection.js';
import { handleGet } from '../handlers/get.js';
import { handleGetStream } from '../handlers/get-stream.js';
import { handleList } from '../handlers/list.js';
import { handlePatch } from '../handlers/patch.js';
import { handleUpdate } from '../handlers/update.js';
import { handleWatch } from '../handlers/watch.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';

/** The handler of a verb of one endpoint. */
export type VerbHandler = (exchange: Exchange) => Promise<ApiResponse>;

/** The handlers of an endpoint by verb. */
export type VerbHandlers = ReadonlyMap<string, VerbHandler>;

/** The binding of a verb to a storage, if the storage supports it. */
interface Binding {
  serves(storage: RestStorage): boolean;
  bind(scope: EndpointScope): VerbHandler | undefined;
}

type Having<K extends keyof RestStorage> = RestStorage & Required<Pick<RestStorage, K>>;

/** Binds a verb that needs these members of a storage. */
function binding<K extends keyof RestStorage>(
  members: readonly K[],
  handle: (scope: EndpointScope, storage: Having<K>, exchange: Exchange) => Promise<ApiResponse>,
): Binding {
  const serves = (storage: RestStorage): storage is Having<K> =>
    members.every((member) => storage[member] !== undefined);
  return {
    serves,
    bind: (scope) => {
      const { storage } = scope;
      return serves(storage) ? (exchange) => handle(scope, storage, exchange) : undefined;
    },
  };
}

/** Uses the first of two bindings that the storage supports. */
function either(first: Binding, second: Binding): Binding {
  return {
    serves: (storage) => first.serves(storage) || second.serves(storage),
    bind: (scope) => first.bind(scope) ?? second.bind(scope),
  };
}

const bindings: Readonly<Record<string, Binding>> = {
  get: either(binding(['get'], handleGet), binding(['streamer'], handleGetStream)),
  list: binding(['list'], handleList),
  watch: binding(['watch'], handleWatch),
  create: binding(['create'], handleCreate),
  update: binding(['update'], handleUpdate),
  patch: binding(['get', 'update'], handlePatch),
  delete: binding(['delete'], handleDelete),
  deletecollection: binding(['deleteCollection'], handleDeleteCollection),
};

/** The declared verbs that the storage supports, in their order. */
export function servedVerbs(declared: readonly string[], storage: RestStorage): readonly string[] {
  return declared.filter((verb) => bindings[verb]?.serves(storage));
}

/** The handlers of those `verbs` that the scope's storage supports. */
export function bindVerbs(scope: EndpointScope, verbs: readonly string[]): VerbHandlers {
  const handlers = new Map<string, VerbHandler>();
  for (const verb of verbs) {
    const handler = bindings[verb]?.bind(scope);
    if (handler !== undefined) handlers.set(verb, handler);
  }
  return handlers;
}
