import type { CreateOptions, DeleteOptions, KubeObject, Preconditions, UpdateOptions } from '@apiserver/apimachinery';
import type { ObjectVerbs, RestStorage, VerbContext } from './rest.js';
import type { StoredObject } from './stored-object.js';

/** Completes or reverts the effects of a begin hook, depending on `success`. Called exactly once. */
export type FinishHook = (success: boolean) => void | Promise<void>;

/** The generic store, for a resource's custom verbs. Call them as its methods: they need their `this`. */
export interface GenericStore<T extends KubeObject = KubeObject> extends ObjectVerbs<T> {
  /**
   * Changes a stored object without the strategy's update rules. `change` receives the latest object, frozen, and a
   * copy to change in place; it runs again on every retry and may throw. Returns the stored result. Throws 404, or
   * 409 if a precondition fails.
   */
  modify(
    context: VerbContext,
    name: string,
    options: { readonly preconditions?: Preconditions; readonly dryRun?: readonly string[] },
    change: (draft: T, current: T) => void | Promise<void>,
  ): Promise<StoredObject<T>>;
  /** The current time in the format of metadata: RFC 3339 in UTC with second precision. */
  now(): string;
}

/**
 * Hooks that customize one resource's Store. All are optional, and few resources need any.
 * Upstream: the function fields of k8s.io/apiserver/pkg/registry/generic/registry.Store
 */
export interface StoreHooks<T extends KubeObject = KubeObject> {
  /** Runs before prepareForCreate. The returned function keeps or reverts its effects. */
  beginCreate?(context: VerbContext, object: T, options: CreateOptions): FinishHook | Promise<FinishHook>;
  /** Runs once the object is stored. Must not throw. */
  afterCreate?(object: T, options: CreateOptions): void;
  /** Runs before prepareForUpdate, again on every retry of the update. */
  beginUpdate?(context: VerbContext, object: T, old: T, options: UpdateOptions): FinishHook | Promise<FinishHook>;
  afterUpdate?(object: T, options: UpdateOptions): void;
  /** Runs once the object is deleted; the response waits for it. Must not reject. */
  afterDelete?(object: T, options: DeleteOptions): void | Promise<void>;
  /** Converts every returned object. Must not change its argument: returns it, or a changed copy. */
  decorate?(object: T): T;
  /** Time to live in seconds; 0 for no expiry. */
  ttl?(object: T, update: boolean): number;
  /**
   * Additional check when an update removes the last finalizer of an object marked for deletion; false keeps the
   * object.
   */
  shouldDeleteDuringUpdate?(object: T, existing: T): boolean;
  /** Custom verbs that replace the generic ones (such as deletion of a namespace). */
  override?(generic: GenericStore<T>): Partial<RestStorage<T>>;
}
