import type { JsonObject } from './json.js';

/** Any API object as plain JSON. Concrete kinds narrow the index signature. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** Metadata of every persisted object. Times are RFC 3339 in UTC with second precision. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  /** Absent on cluster-scoped objects. */
  namespace?: string;
  selfLink?: string;
  uid?: string;
  /** Opaque to clients; here the decimal revision of the object's last write. */
  resourceVersion?: string;
  generation?: number | bigint;
  /** Null only in client input; the server sets a time or omits it. */
  creationTimestamp?: string | null;
  deletionTimestamp?: string | null;
  deletionGracePeriodSeconds?: number | bigint | null;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
}

/** A reference to the object that owns this one, in the same namespace or cluster-scoped. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** The fields one manager set with one kind of request. */
export interface ManagedFieldsEntry {
  manager?: string;
  operation?: string;
  apiVersion?: string;
  time?: string | null;
  fieldsType?: string;
  /** The field set in its JSON form (`f:`, `k:`, `v:`, `i:` keys). */
  fieldsV1?: JsonObject;
  subresource?: string;
}

/** Metadata of a list. */
export interface ListMeta {
  selfLink?: string;
  resourceVersion?: string;
  /** Opaque token that fetches the next page; absent on the last page. */
  continue?: string;
  /** Number of objects after this page, if known. */
  remainingItemCount?: number;
  shardInfo?: { selector: string };
}

/** Finalizer that makes the garbage collector orphan the object's dependents. */
export const FINALIZER_ORPHAN_DEPENDENTS = 'orphan';

/** Finalizer that makes the garbage collector delete the object's dependents first. */
export const FINALIZER_DELETE_DEPENDENTS = 'foregroundDeletion';
