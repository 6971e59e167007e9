import type { StorageClass } from '@apiserver/api/storage/v1';
import { FieldPath } from '@apiserver/apimachinery/field';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { deprecatedNodeLabelWarning } from '../../warnings/deprecated-node-labels.js';
import { validateStorageClass, validateStorageClassUpdate } from './validation.js';

const ALLOWED_TOPOLOGIES = FieldPath.of('allowedTopologies');

/** Upstream: pkg/registry/storage/storageclass/strategy.go */
export const storageClassStrategy: Strategy<StorageClass> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  validate: (_context, storageClass) => validateStorageClass(storageClass),
  warningsOnCreate: (_context, storageClass) => topologyWarnings(storageClass),
  // Runs both validations; faults of the class itself come first.
  validateUpdate: (_context, storageClass, old) => [
    ...validateStorageClass(storageClass),
    ...validateStorageClassUpdate(storageClass, old),
  ],
  warningsOnUpdate: (_context, storageClass) => topologyWarnings(storageClass),
};

/** Upstream: GetWarningsForStorageClass of pkg/api/storage/util.go */
function topologyWarnings({ allowedTopologies = [] }: StorageClass): string[] {
  return allowedTopologies.flatMap(({ matchLabelExpressions = [] }, i) =>
    matchLabelExpressions.flatMap(({ key }, j) => {
      const warning = deprecatedNodeLabelWarning(key);
      const path = ALLOWED_TOPOLOGIES.index(i).child('matchLabelExpressions').index(j).child('key');
      return warning === undefined ? [] : [`${path}: ${warning}`];
    }),
  );
}
