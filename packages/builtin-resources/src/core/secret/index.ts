import { Secret } from '@apiserver/api/core/v1';
import { defineResource } from '@apiserver/resource-kit';
import { secretColumns } from './columns.js';
import { applySecretDefaults, foldStringData } from './defaults.js';
import { secretStrategy } from './strategy.js';

/** Secrets: named confidential values. */
export const secrets = defineResource<Secret>({
  versions: [{ schema: Secret, applyDefaults: applySecretDefaults, normalize: foldStringData }],
  strategy: secretStrategy,
  columns: secretColumns,
  selectableFieldNames: ['type'],
  selectableFields: ({ type }) => ({ type: type ?? '' }),
});
