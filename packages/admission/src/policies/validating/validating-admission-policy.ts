import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '@apiserver/api/admissionregistration/v1';
import type { AdmissionPlugin } from '@apiserver/apiserver-contracts';
import type { AdmissionPluginDependencies } from '../../plugin-definition.js';
import { validatingPolicyMetrics } from '../shared/policy-metrics.js';
import { PolicyPlugin } from '../shared/policy-plugin.js';
import type { ValidatingPolicy } from './validating-policy.js';

const GROUP = { group: 'admissionregistration.k8s.io', version: 'v1' };

/**
 * Evaluates ValidatingAdmissionPolicies. Without a policy, the plugin is not active.
 * Upstream: k8s.io/apiserver/pkg/admission/plugin/policy/validating/plugin.go
 */
export function validatingAdmissionPolicy(dependencies: AdmissionPluginDependencies): AdmissionPlugin {
  const { authorizer, metrics, matchConditionMetrics: conditions } = dependencies;
  type Plugin = PolicyPlugin<ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding, ValidatingPolicy>;
  const plugin: Plugin = new PolicyPlugin(dependencies, {
    name: 'ValidatingAdmissionPolicy',
    policies: { ...GROUP, resource: 'validatingadmissionpolicies' },
    bindings: { ...GROUP, resource: 'validatingadmissionpolicybindings' },
    loadEngine: async (matcher) => {
      const { ValidatingEngine } = await import('./validating-engine.js');
      return new ValidatingEngine({ matcher, authorizer, conditions, observer: validatingPolicyMetrics(metrics) });
    },
  });
  return {
    name: 'ValidatingAdmissionPolicy',
    handles: (_operation, endpoint) => plugin.handles(endpoint),
    isActive: () => plugin.isActive,
    validate: (attributes) => plugin.run(attributes),
  };
}
