import type { KubeObject } from '@apiserver/apimachinery';
import type { RestStorage, SubresourceDefinition } from '@apiserver/apiserver-contracts';
import { newGenericStore } from './generic-store.js';
import type { StoreOptions } from './store-options.js';

/** The member of RestStorage for each verb; patch is a get and an update. */
const MEMBER_OF_VERB: ReadonlyMap<string, keyof RestStorage> = new Map([
  ['get', 'get'],
  ['list', 'list'],
  ['watch', 'watch'],
  ['create', 'create'],
  ['update', 'update'],
  ['delete', 'delete'],
  ['deletecollection', 'deleteCollection'],
]);

/** The default verbs of a subresource that is stored with its parent. */
const SUBRESOURCE_VERBS = ['get', 'update', 'patch'];

/**
 * The storage of a resource's endpoint: the generic verbs that the definition names; verbs that the resource implements
 * itself replace them.
 */
export function createStore<T extends KubeObject>(options: StoreOptions<T>): RestStorage<T> {
  const { definition } = options;
  const generic = newGenericStore(options);
  const own = definition.storeHooks?.override?.(generic) ?? {};
  return withVerbs({ ...generic, ...own }, definition.verbs);
}

/**
 * The storage of a subresource. A stored one (status, finalize) has its own rules over the parent's storage, and never
 * creates. Any other is made from the parent's store (scale).
 */
export function createSubresourceStore<T extends KubeObject>(
  options: StoreOptions<T>,
  subresource: SubresourceDefinition<T>,
): RestStorage<T> {
  const verbs = subresource.verbs ?? SUBRESOURCE_VERBS;
  const own = subresource.override?.(newGenericStore(options));
  if (own !== undefined) return withVerbs(own as RestStorage<T>, verbs);
  const generic = newGenericStore({ ...options, strategy: subresource.strategy });
  const store: RestStorage<T> = {
    get: generic.get,
    update: (context, request) => generic.update(context, { ...request, forceAllowCreate: false }),
  };
  return withVerbs(store, verbs);
}

/** Plain loops: a server makes more than a hundred stores at its start. */
function withVerbs<T extends KubeObject>(store: RestStorage<T>, verbs: readonly string[]): RestStorage<T> {
  const { connecter, streamer, deleteCorrupt } = store;
  const offered: RestStorage<T> = {};
  for (const [verb, member] of MEMBER_OF_VERB) {
    if (store[member] !== undefined && verbs.includes(verb)) Reflect.set(offered, member, store[member]);
  }
  return {
    ...offered,
    ...(deleteCorrupt && verbs.includes('delete') && { deleteCorrupt }),
    ...(connecter && { connecter }),
    ...(streamer && { streamer }),
  };
}
