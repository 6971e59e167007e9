import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { ESTABLISHED, type NewCondition } from '../custom-resource-definition/types.js';
import { hasInvalidCABundle } from '../custom-resource-definition/validation/validate-conversion.js';

const INVALID_CA_BUNDLE: NewCondition = {
  type: 'Established',
  status: 'False',
  reason: 'InvalidCABundle',
  message: 'The conversion webhook CABundle is invalid',
};

/**
 * The condition of a definition that is served.
 *
 * Upstream: sync of k8s.io/apiextensions-apiserver/pkg/controller/establish/establishing_controller.go
 */
export function servedCondition(definition: CustomResourceDefinition): NewCondition {
  return hasInvalidCABundle(definition) ? INVALID_CA_BUNDLE : ESTABLISHED;
}
