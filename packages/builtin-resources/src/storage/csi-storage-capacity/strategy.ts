import type { CSIStorageCapacity } from '@apiserver/api/storage/v1';
import { FieldPath } from '@apiserver/apimachinery/field';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { deprecatedNodeLabelWarning } from '../../warnings/deprecated-node-labels.js';
import { validateCSIStorageCapacity, validateCSIStorageCapacityUpdate } from './validation.js';

const NODE_TOPOLOGY = FieldPath.of('nodeTopology');

/** Upstream: pkg/registry/storage/csistoragecapacity/strategy.go */
export const csiStorageCapacityStrategy: Strategy<CSIStorageCapacity> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
  validate: (_context, capacity) => validateCSIStorageCapacity(capacity),
  warningsOnCreate: (_context, capacity) => topologyWarnings(capacity),
  validateUpdate: (_context, capacity, old) => validateCSIStorageCapacityUpdate(capacity, old),
  warningsOnUpdate: (_context, capacity) => topologyWarnings(capacity),
};

/** Upstream: GetWarningsForNodeSelector of pkg/api/node/util.go */
function topologyWarnings({ nodeTopology }: CSIStorageCapacity): string[] {
  const expressions = (nodeTopology?.matchExpressions ?? []).flatMap(({ key }, i) => {
    const warning = deprecatedNodeLabelWarning(key);
    const path = NODE_TOPOLOGY.child('matchExpressions').index(i).child('key');
    return warning === undefined ? [] : [`${path}: ${key} is ${warning}`];
  });
  const labels = Object.keys(nodeTopology?.matchLabels ?? {}).flatMap((label) => {
    const warning = deprecatedNodeLabelWarning(label);
    return warning === undefined ? [] : [`${NODE_TOPOLOGY.child('matchLabels', label)}: ${warning}`];
  });
  return [...expressions, ...labels];
}
