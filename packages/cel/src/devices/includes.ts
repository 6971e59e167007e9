import type { Signatures } from '../check/declarations.js';
import { equalValues } from '../values/equality.js';
import { type Implementations, implement } from '../values/implementation.js';
import { EvaluationError, ListValue, type Result, type Value } from '../values/value.js';

/**
 * Most values of an attribute. Upstream: ResourceSliceMaxAttributeValuesPerDevice of k8s.io/api/resource/v1/types.go
 */
const MAX_VALUES = 48;

/** `includes` of attributes, which may be lists. Upstream: k8s.io/dynamic-resource-allocation/cel/compile.go */
export const INCLUDES: Signatures = { includes: ['dra_includes_dyn_dyn: dyn.(dyn) -> bool'] };

export const INCLUDES_IMPLEMENTATIONS: Implementations = {
  dra_includes_dyn_dyn: implement(['any', 'any'], includes),
};

function includes(target: Value, value: Value): Result {
  if (!(target instanceof ListValue)) return equalValues(target, value) === true;
  for (let index = 0; index < target.size; index++) {
    if (index >= MAX_VALUES) {
      return new EvaluationError(`'includes' function cannot be applied to lists longer than ${MAX_VALUES} values`);
    }
    if (equalValues(target.at(index), value) === true) return true;
  }
  return false;
}
