import type { APIGroupInfo, FeatureGates } from '@apiserver/apiserver-contracts';
import { builtinGroup, type GroupDependencies } from '../builtin-group.js';
import { mutatingAdmissionPolicies } from './mutating-admission-policy/index.js';
import { mutatingAdmissionPolicyBindings } from './mutating-admission-policy-binding/index.js';
import { mutatingWebhookConfigurations } from './mutating-webhook-configuration/index.js';
import { validatingAdmissionPolicies } from './validating-admission-policy/index.js';
import { validatingAdmissionPolicyBindings } from './validating-admission-policy-binding/index.js';
import { validatingWebhookConfigurations } from './validating-webhook-configuration/index.js';

/** Dependencies of webhook configurations and admission policies on their server. */
export interface AdmissionRegistrationGroupDependencies extends GroupDependencies {
  readonly features: FeatureGates;
}

/** The group admissionregistration.k8s.io. */
export function admissionRegistrationGroup({
  install,
  features,
}: AdmissionRegistrationGroupDependencies): APIGroupInfo {
  return builtinGroup('admissionregistration.k8s.io', [
    install(mutatingAdmissionPolicies(features)),
    install(mutatingAdmissionPolicyBindings(features)),
    install(mutatingWebhookConfigurations(features)),
    install(validatingAdmissionPolicies(features)),
    install(validatingAdmissionPolicyBindings(features)),
    install(validatingWebhookConfigurations(features)),
  ]);
}
