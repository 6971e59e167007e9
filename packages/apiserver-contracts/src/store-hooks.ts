import type { CreateOptions, DeleteOptions, KubeObject, Preconditions, UpdateOptions } from '@apiserver/apimachinery';
import type { ObjectVerbs, RestStorage, VerbContext } from './rest.js';
import type { StoredObject } from './stored-object.js';

/** Ends what a begin hook started: keeps it (`success`) or takes it back. Called exactly once. */
export type FinishHook = (success: boolean) => void | Promise<void>;

/** What a resource's own verbs may build on. */
export interface GenericStore<T extends KubeObject = KubeObject> extends ObjectVerbs<T> {
  /**
   * Changes a stored object past the rules for updates. `change` gets the newest object, frozen, and a copy of it to
   * change in place; again for every retry. It may throw. Answers what is stored then. Throws 404, and 409 if a precondition fails.
   */
  modify(
    context: VerbContext,
    name: string,
    options: { readonly preconditions?: Preconditions; readonly dryRun?: readonly string[] },
    change: (draft: T, current: T) => void | Promise<void>,
  ): Promise<StoredObject<T>>;
  /** Now, as metadata writes it: RFC 3339 in UTC with second precision. */
  now(): string;
}

/**
 * Where one resource's Store differs from the generic one. All optional; almost no resource needs any.
 * Upstream: the function fields of k8s.io/apiserver/pkg/registry/generic/registry.Store
 */
export interface StoreHooks<T extends KubeObject = KubeObject> {
  /** Before prepareForCreate. Whatever it takes is kept or given back by the function it answers. */
  beginCreate?(context: VerbContext, object: T, options: CreateOptions): FinishHook | Promise<FinishHook>;
  /** Once stored. Must not throw: the object is there. */
  afterCreate?(object: T, options: CreateOptions): void;
  /** Before prepareForUpdate; again for every retry of the update. */
  beginUpdate?(context: VerbContext, object: T, old: T, options: UpdateOptions): FinishHook | Promise<FinishHook>;
  afterUpdate?(object: T, options: UpdateOptions): void;
  /** Once gone; the client is answered when it is done. Must not reject: the object is gone. */
  afterDelete?(object: T, options: DeleteOptions): void | Promise<void>;
  /** Exit hook of every object answered. Must not change its argument: answers it, or a changed copy. */
  decorate?(object: T): T;
  /** Seconds to live; 0 for ever. */
  ttl?(object: T, update: boolean): number;
  /** Asked in addition when an update took the last finalizer of an object marked for deletion; false keeps it. */
  shouldDeleteDuringUpdate?(object: T, existing: T): boolean;
  /** Verbs that replace the generic ones (the deletion of a namespace). */
  override?(generic: GenericStore<T>): Partial<RestStorage<T>>;
}
