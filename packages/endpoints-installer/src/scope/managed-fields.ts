import type { DeepReadonly, JsonObject, KubeObject } from '@apiserver/apimachinery';

/** The stored object; undefined if there is none. */
export type Live = DeepReadonly<KubeObject> | undefined;

/** One apply of one manager. */
export interface ApplyRequest {
  /** The configuration, as sent by the client. */
  readonly applied: JsonObject;
  readonly manager: string;
  readonly force: boolean;
}

/** Keeps the managed fields of an endpoint's objects, and merges applied configurations. Objects are in the hub version. */
export interface ManagedFields {
  /** Records the changes of an update, patch or create. Changes the managed fields of `object` and nothing else. */
  update(live: Live, object: KubeObject, manager: string): void;
  /** The same in steps, for a large object. */
  updateInSteps(live: Live, object: KubeObject, manager: string): Generator<void, void>;
  /** Merges an applied configuration into the live object. Returns a fresh object, defaulted and in the hub version. */
  apply(live: Live, request: ApplyRequest): KubeObject;
  /** The same in steps, for large objects. */
  applyInSteps(live: Live, request: ApplyRequest): Generator<void, KubeObject>;
}
