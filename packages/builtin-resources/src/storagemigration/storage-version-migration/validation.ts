import { type StorageVersionMigration, StorageVersionMigrationSpec } from '@apiserver/api/storagemigration/v1beta1';
import { type FieldError, FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { isDNS1035Label, isDNS1123Subdomain } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateImmutableValue } from '../../validation/immutable-value.js';

const SPEC = FieldPath.of('spec');

/** Upstream: ValidateStorageVersionMigration of pkg/apis/storagemigration/validation/validation.go */
export function validateStorageVersionMigration({ metadata, spec }: StorageVersionMigration): readonly FieldError[] {
  const { group, resource } = spec.resource;
  const path = SPEC.child('resource');
  return [
    ...validateBuiltInObjectMeta(metadata, { namespaced: false }),
    ...(resource === ''
      ? [fieldRequired(path.child('resource'), 'resource is required to be set')]
      : joined(isDNS1035Label(resource), resource, path.child('resource'))),
    ...(group === '' ? [] : joined(isDNS1123Subdomain(group), group, path.child('group'))),
  ];
}

/** Upstream: ValidateStorageVersionMigrationUpdate */
export function validateStorageVersionMigrationUpdate(
  migration: StorageVersionMigration,
  old: StorageVersionMigration,
): readonly FieldError[] {
  const { metadata, spec } = migration;
  return [
    ...validateStorageVersionMigration(migration),
    ...validateBuiltInObjectMetaUpdate(metadata, old.metadata),
    ...validateImmutableValue(StorageVersionMigrationSpec, spec, old.spec, SPEC),
  ];
}

/** All faults of a value are one error. */
function joined(faults: readonly string[], value: string, path: FieldPath): FieldError[] {
  return faults.length === 0 ? [] : [fieldInvalid(path, value, faults.join(','))];
}
