import type { StorageVersionMigration, StorageVersionMigrationStatus } from '@apiserver/api/storagemigration/v1beta1';
import { type FieldError, FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { FIELD_IMMUTABLE_MESSAGE, validateConditions } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';

const RESOURCE_VERSION = FieldPath.of('status', 'resourceVersion');
const CONDITIONS = FieldPath.of('status', 'conditions');

/**
 * The resource version is a positive number of any size. Once it is set, it stays; so does an end.
 * Upstream: ValidateStorageVersionMigrationStatusUpdate of pkg/apis/storagemigration/validation/validation.go
 */
export function validateStorageVersionMigrationStatusUpdate(
  { metadata, status }: StorageVersionMigration,
  old: StorageVersionMigration,
): readonly FieldError[] {
  const { resourceVersion = '', conditions } = status;
  const before = old.status.resourceVersion ?? '';
  const faults = conditionFaults(status, old.status);
  return [
    ...validateBuiltInObjectMetaUpdate(metadata, old.metadata),
    ...(/^[1-9][0-9]*$/.test(resourceVersion)
      ? []
      : [versionError(resourceVersion, `resource version is not well formed: ${resourceVersion}`)]),
    ...validateConditions(conditions ?? [], CONDITIONS),
    ...(before === '' || before === resourceVersion ? [] : [versionError(resourceVersion, FIELD_IMMUTABLE_MESSAGE)]),
    ...faults.map((fault) => fieldInvalid(CONDITIONS, conditions ?? null, fault)),
  ];
}

function versionError(resourceVersion: string, detail: string): FieldError {
  return fieldInvalid(RESOURCE_VERSION, resourceVersion, detail);
}

function conditionFaults(status: StorageVersionMigrationStatus, old: StorageVersionMigrationStatus): string[] {
  const [succeeded, failed, running] = ['Succeeded', 'Failed', 'Running'].map((type) => isTrue(type, status));
  return [
    ...(succeeded && failed ? ['Both success and failed conditions cannot be true at the same time'] : []),
    ...(succeeded && running ? ['Running condition cannot be true when success condition is true'] : []),
    ...(failed && running ? ['Running condition cannot be true when failed condition is true'] : []),
    ...(isTrue('Succeeded', old) && !succeeded ? ['Success condition cannot be set to false once it is true'] : []),
    ...(isTrue('Failed', old) && !failed ? ['Failed condition cannot be set to false once it is true'] : []),
  ];
}

/** The first condition of a type counts. */
function isTrue(type: string, { conditions = [] }: StorageVersionMigrationStatus): boolean {
  return conditions.find((condition) => condition.type === type)?.status === 'True';
}
