import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { cloneJson, equalJson } from '@apiserver/apimachinery/json';
import { apiApprovalOf, isProtectedGroup } from '../custom-resource-definition/api-approval.js';
import { setCondition } from '../custom-resource-definition/types.js';
import type { DefinitionClient } from './definition-client.js';
import type { DefinitionController } from './definition-queue.js';

const reasons = {
  Approved: ['True', 'ApprovedAnnotation'],
  Bypassed: ['False', 'UnapprovedAnnotation'],
  Missing: ['False', 'MissingAnnotation'],
  Invalid: ['False', 'InvalidAnnotation'],
} as const;

/**
 * Maintains the condition that reports whether an API in a community group is approved.
 *
 * Upstream: k8s.io/apiextensions-apiserver/pkg/controller/apiapproval
 */
export function apiApprovalController(client: DefinitionClient): DefinitionController {
  return {
    name: 'kubernetes_api_approval_conformant_condition_controller',
    sync: async (definition) => {
      if (!isProtectedGroup(definition.spec.group)) return;
      const { state, reason: message } = apiApprovalOf(definition);
      const [status, reason] = reasons[state];
      const changed = cloneJson(definition) as CustomResourceDefinition;
      const type = 'KubernetesAPIApprovalPolicyConformant';
      setCondition(changed, { type, status, reason, message }, client.now());
      if (!equalJson(changed.status, definition.status)) await client.updateStatus(changed);
    },
  };
}
