import type { StorageVersion } from '@apiserver/api/apiserverinternal/v1alpha1';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { restoreForStatus } from '@apiserver/resource-kit';
import { validateStorageVersion, validateStorageVersionStatus } from './validation.js';

/** An update is valid: the spec has no fields. Upstream: pkg/registry/apiserverinternal/storageversion/strategy.go */
export const storageVersionStrategy: Strategy<StorageVersion> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
  resetFields: ['status'],
  prepareForCreate(_context, version) {
    version.status = {};
  },
  validate: (_context, version) => validateStorageVersion(version),
  prepareForUpdate(_context, version, old) {
    version.status = cloneJson(old.status);
  },
  validateUpdate: () => [],
};

/** Strategy of the status endpoint. */
export const storageVersionStatusStrategy: Strategy<StorageVersion> = {
  ...storageVersionStrategy,
  resetFields: ['metadata', 'spec'],
  prepareForUpdate: (_context, version, old) => restoreForStatus(version, old),
  validateUpdate: (_context, version) => validateStorageVersionStatus(version.status),
};
