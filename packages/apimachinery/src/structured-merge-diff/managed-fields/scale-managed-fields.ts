import type { DeepReadonly } from '../../types/json.js';
import type { ManagedFieldsEntry } from '../../types/object-meta.js';
import { FieldSet } from '../field-set/field-set.js';
import { type FieldPathElements, fieldElement } from '../field-set/path-element.js';
import { decodeManagedFields, encodeManagedFields, type Managed, NO_MANAGERS } from './managed-entries.js';
import type { VersionedSet } from './managers.js';

type Entries = readonly DeepReadonly<ManagedFieldsEntry>[];

/**
 * The path of the replicas that the scale of a resource shows, by apiVersion of the resource. Null for a version
 * without a scale; entries of other versions are dropped.
 */
export type ReplicasPaths = Readonly<Record<string, FieldPathElements | null>>;

const SCALE_VERSION = 'autoscaling/v1';
const SCALE_REPLICAS: FieldPathElements = [fieldElement('spec'), fieldElement('replicas')];

/** The path of a field below fields: `['spec', 'replicas']`. */
export function fieldPathOf(...names: readonly string[]): FieldPathElements {
  return names.map(fieldElement);
}

/**
 * Converts the managed fields of a resource to those of its scale: only managers of the replicas. Throws
 * ManagedFieldsError.
 *
 * Upstream: ScaleHandler.ToSubresource in k8s.io/apimachinery/pkg/util/managedfields/scalehandler.go
 */
export function managedFieldsToScale(
  parent: Entries | undefined,
  paths: ReplicasPaths,
): ManagedFieldsEntry[] | undefined {
  const managed = decodeManagedFields(parent);
  const managers = new Map<string, VersionedSet>();
  for (const [identifier, { set, apiVersion, applied }] of managed.managers) {
    const path = paths[apiVersion];
    if (path && set.has(path)) {
      managers.set(identifier, { set: FieldSet.of(SCALE_REPLICAS), apiVersion: SCALE_VERSION, applied });
    }
  }
  return encodeManagedFields({ ...NO_MANAGERS, managers, times: managed.times });
}

/**
 * The managed fields of a resource after a write to its scale; the arguments include those of the scale. Throws
 * ManagedFieldsError.
 *
 * Upstream: ScaleHandler.ToParent in k8s.io/apimachinery/pkg/util/managedfields/scalehandler.go
 */
export function managedFieldsFromScale(
  scale: Entries | undefined,
  parent: Entries | undefined,
  { apiVersion, paths }: { readonly apiVersion: string; readonly paths: ReplicasPaths },
): ManagedFieldsEntry[] | undefined {
  const before = decodeManagedFields(parent);
  const scaled = new Map(decodeManagedFields(scale).managers);
  const managers = new Map<string, VersionedSet>();
  for (const [identifier, owned] of before.managers) {
    const path = paths[owned.apiVersion];
    if (path === undefined) continue;
    const kept = keptByParent(owned, path, scaled.has(identifier));
    if (kept !== undefined) managers.set(identifier, kept);
    if (path !== null && owned.set.has(path)) scaled.delete(identifier);
  }
  const path = paths[apiVersion];
  for (const [identifier, { set, applied }] of scaled) {
    if (!set.has(SCALE_REPLICAS) || !path) continue;
    managers.set(identifier, { set: FieldSet.of(path), apiVersion, applied });
  }
  return encodeManagedFields({ ...before, managers } satisfies Managed);
}

/** The entry of a manager without the replicas, which a manager of the scale took over. */
function keptByParent(
  owned: VersionedSet,
  path: FieldPathElements | null,
  stillOwnsScale: boolean,
): VersionedSet | undefined {
  if (path === null || stillOwnsScale || !owned.set.has(path)) return owned;
  const set = owned.set.difference(FieldSet.of(path));
  return set.empty ? undefined : { ...owned, set };
}
