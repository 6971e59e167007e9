import type { DeepReadonly, JsonObject, KubeObject } from '@apiserver/apimachinery';
import type { ConsumableManaged } from '@apiserver/apimachinery/structured-merge-diff';

/** The stored object; undefined if there is none. */
export type Live = DeepReadonly<KubeObject> | undefined;

/** One apply of one manager. */
export interface ApplyRequest {
  /** The configuration, as sent by the client. */
  readonly applied: JsonObject;
  readonly manager: string;
  readonly force: boolean;
}

/** One apply of a large configuration. */
export interface ApplyRequestInSteps extends Omit<ApplyRequest, 'applied'> {
  /** Reads the configuration. It takes as much memory as the object: the caller must not keep the result. */
  readApplied(): Generator<void, JsonObject>;
}

/**
 * Keeps the managed fields of an endpoint's objects, and merges applied configurations. Objects are in the hub version.
 */
export interface ManagedFields {
  /** Records the changes of an update, patch or create. Changes the managed fields of `object` and nothing else. */
  update(live: Live, object: KubeObject, manager: string): void;
  /** The same in steps, for a large object. */
  updateInSteps(live: Live, object: KubeObject, manager: string): Generator<void, void>;
  /** Merges an applied configuration into the live object. Returns a fresh object, defaulted and in the hub version. */
  apply(live: Live, request: ApplyRequest): KubeObject;
  /**
   * The same in steps, for large objects. The result lacks its managed fields until `setOwnersInSteps`: what the first
   * steps need and the second do not is as large as the object. `setOwnersInSteps` consumes the managers.
   */
  applyInSteps(live: Live, request: ApplyRequestInSteps): Generator<void, AppliedObject>;
  setOwnersInSteps(applied: AppliedObject): Generator<void, void>;
}

/** The result of an apply whose managed fields are not yet set. */
export interface AppliedObject {
  readonly object: KubeObject;
  readonly managed: ConsumableManaged;
}
