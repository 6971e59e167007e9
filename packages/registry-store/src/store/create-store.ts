import type { KubeObject } from '@apiserver/apimachinery';
import type { RestStorage, SubresourceDefinition, UpdateRequest, VerbContext } from '@apiserver/apiserver-contracts';
import { newGenericStore, StoreVerbs } from './generic-store.js';
import type { StoreOptions } from './store-options.js';

/** The members of RestStorage for each verb; patch is a get and an update. */
const MEMBERS_OF_VERB: ReadonlyMap<string, readonly (keyof RestStorage)[]> = new Map([
  ['get', ['get']],
  ['list', ['list']],
  ['watch', ['watch']],
  ['create', ['create']],
  ['update', ['update']],
  ['delete', ['delete', 'deleteCorrupt']],
  ['deletecollection', ['deleteCollection']],
]);

/** The default verbs of a subresource that is stored with its parent. */
const SUBRESOURCE_VERBS = ['get', 'update', 'patch'];

/**
 * The storage of a resource's endpoint: the generic verbs that the definition names; verbs that the resource implements
 * itself replace them.
 */
export function createStore<T extends KubeObject>(options: StoreOptions<T>): RestStorage<T> {
  const { verbs, storeHooks } = options.definition;
  const store: RestStorage<T> = new (withVerbs(StoreVerbs<T>, verbs))(options);
  const own = storeHooks?.override?.(newGenericStore(options));
  return own === undefined ? store : Object.assign(store, offered(own, verbs));
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
  if (own !== undefined) return offered<T>(own, verbs);
  const updatable = verbs.filter((verb) => SUBRESOURCE_VERBS.includes(verb));
  return new (withVerbs(SubresourceVerbs<T>, updatable))({ ...options, strategy: subresource.strategy });
}

class SubresourceVerbs<T extends KubeObject = KubeObject> extends StoreVerbs<T> {
  override update(context: VerbContext, request: UpdateRequest<T>) {
    return super.update(context, { ...request, forceAllowCreate: false });
  }
}

type StoreClass<T extends KubeObject> = new (options: StoreOptions<T>) => RestStorage<T>;

/** Subclasses of a class of Stores by the verbs that they have, such as `get,update`. */
const restricted = new WeakMap<object, Map<string, object>>();

/**
 * The class without the members of other verbs. One class serves all Stores with the same verbs: none has members of
 * its own.
 */
function withVerbs<T extends KubeObject>(base: StoreClass<T>, verbs: readonly string[]): StoreClass<T> {
  const classes = restricted.get(base) ?? new Map<string, object>();
  restricted.set(base, classes);
  const key = verbs.join();
  const known = classes.get(key);
  if (known !== undefined) return known as StoreClass<T>;
  const made = class extends base {};
  for (const [verb, members] of MEMBERS_OF_VERB) {
    if (verbs.includes(verb)) continue;
    for (const member of members) Object.defineProperty(made.prototype, member, { value: undefined });
  }
  classes.set(key, made);
  return made;
}

/** The members of a resource's own that its verbs allow. */
function offered<T extends KubeObject>(own: RestStorage | RestStorage<T>, verbs: readonly string[]): RestStorage<T> {
  const { connecter, streamer } = own;
  const allowed: RestStorage<T> = {};
  for (const [verb, members] of MEMBERS_OF_VERB) {
    if (!verbs.includes(verb)) continue;
    for (const member of members) if (own[member] !== undefined) Reflect.set(allowed, member, own[member]);
  }
  return { ...allowed, ...(connecter && { connecter }), ...(streamer && { streamer }) };
}
