import type { RuntimeClass } from '@apiserver/api/node/v1';
import { FieldPath } from '@apiserver/apimachinery/field';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { deprecatedNodeLabelWarning } from '../../warnings/deprecated-node-labels.js';
import { validateRuntimeClass, validateRuntimeClassUpdate } from './validation.js';

const NODE_SELECTOR = FieldPath.of('scheduling', 'nodeSelector');

/** Upstream: pkg/registry/node/runtimeclass/strategy.go */
export const runtimeClassStrategy: Strategy<RuntimeClass> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  validate: (_context, runtimeClass) => validateRuntimeClass(runtimeClass),
  warningsOnCreate: (_context, runtimeClass) => nodeSelectorWarnings(runtimeClass),
  validateUpdate: (_context, runtimeClass, old) => validateRuntimeClassUpdate(runtimeClass, old),
  warningsOnUpdate: (_context, runtimeClass) => nodeSelectorWarnings(runtimeClass),
};

/** Upstream: GetWarningsForRuntimeClass of pkg/api/node/util.go */
function nodeSelectorWarnings({ scheduling }: RuntimeClass): string[] {
  return Object.keys(scheduling?.nodeSelector ?? {}).flatMap((label) => {
    const warning = deprecatedNodeLabelWarning(label);
    return warning === undefined ? [] : [`${NODE_SELECTOR}: ${warning}`];
  });
}
