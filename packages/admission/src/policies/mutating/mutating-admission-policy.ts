import type { MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding } from '@apiserver/api/admissionregistration/v1';
import type { AdmissionPlugin } from '@apiserver/apiserver-contracts';
import type { AdmissionPluginDependencies } from '../../plugin-definition.js';
import { mutatingPolicyMetrics } from '../shared/policy-metrics.js';
import { PolicyPlugin } from '../shared/policy-plugin.js';
import type { MutatingPolicy } from './mutating-policy.js';

const GROUP = { group: 'admissionregistration.k8s.io', version: 'v1' };

/**
 * Changes objects by MutatingAdmissionPolicies. Without a policy, the plugin is not active.
 * Upstream: k8s.io/apiserver/pkg/admission/plugin/policy/mutating/plugin.go
 */
export function mutatingAdmissionPolicy(dependencies: AdmissionPluginDependencies): AdmissionPlugin {
  const { authorizer, features, metrics, matchConditionMetrics: conditions } = dependencies;
  // Its resources are not served by an emulated release without it.
  if (!features.enabled('MutatingAdmissionPolicy'))
    return { name: 'MutatingAdmissionPolicy', handles: () => false, admit: () => {} };
  type Plugin = PolicyPlugin<MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding, MutatingPolicy>;
  const plugin: Plugin = new PolicyPlugin(dependencies, {
    name: 'MutatingAdmissionPolicy',
    policies: { ...GROUP, resource: 'mutatingadmissionpolicies' },
    bindings: { ...GROUP, resource: 'mutatingadmissionpolicybindings' },
    loadEngine: async (matcher) => {
      const { MutatingEngine } = await import('./mutating-engine.js');
      return new MutatingEngine({ matcher, authorizer, conditions, observer: mutatingPolicyMetrics(metrics) });
    },
  });
  return {
    name: 'MutatingAdmissionPolicy',
    // A DELETE has no object to change.
    handles: (operation, endpoint) => operation !== 'DELETE' && plugin.handles(endpoint),
    isActive: () => plugin.isActive,
    admit: (attributes) => plugin.run(attributes),
  };
}
