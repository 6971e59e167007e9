import { equalJson } from '../../json/equal-json.js';
import type { DeepReadonly } from '../../types/json.js';
import type { KubeObject, ManagedFieldsEntry } from '../../types/object-meta.js';

/**
 * Restores the times of managed fields if nothing else of an object changed, so that a write without changes stores
 * nothing. Changes `object`, not `old`.
 *
 * Upstream: IgnoreManagedFieldsTimestampsTransformer in
 * k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager/equality.go
 */
export function keepManagedFieldsTimes(object: KubeObject, old: DeepReadonly<KubeObject>): void {
  const before = old.metadata.managedFields;
  const after = object.metadata.managedFields;
  if (before === undefined || after === undefined || after.length === 0 || before.length !== after.length) return;
  if (after.every((entry, i) => entry.time === before[i]?.time)) return;
  if (!after.every((entry, i) => equalButTime(entry, before[i] as DeepReadonly<ManagedFieldsEntry>))) return;
  const kept = { ...object, metadata: { ...object.metadata, managedFields: before } };
  if (equalJson(kept, old)) object.metadata.managedFields = [...before] as ManagedFieldsEntry[];
}

function equalButTime(a: DeepReadonly<ManagedFieldsEntry>, b: DeepReadonly<ManagedFieldsEntry>): boolean {
  if (a === b) return true;
  return (
    a.manager === b.manager &&
    a.operation === b.operation &&
    a.apiVersion === b.apiVersion &&
    a.subresource === b.subresource &&
    a.fieldsType === b.fieldsType &&
    equalJson(a.fieldsV1, b.fieldsV1)
  );
}
