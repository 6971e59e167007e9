import type { APIGroupInfo } from '@apiserver/apiserver-contracts';
import { builtinGroup, type GroupDependencies } from '../builtin-group.js';
import type { AdmissionRegistrationDependencies } from './dependencies.js';
import { mutatingAdmissionPolicies } from './mutating-admission-policy/index.js';
import { mutatingAdmissionPolicyBindings } from './mutating-admission-policy-binding/index.js';
import { mutatingWebhookConfigurations } from './mutating-webhook-configuration/index.js';
import { validatingAdmissionPolicies } from './validating-admission-policy/index.js';
import { validatingAdmissionPolicyBindings } from './validating-admission-policy-binding/index.js';
import { validatingWebhookConfigurations } from './validating-webhook-configuration/index.js';

/** Dependencies of webhook configurations and admission policies on their server. */
export interface AdmissionRegistrationGroupDependencies extends GroupDependencies, AdmissionRegistrationDependencies {}

/** The group admissionregistration.k8s.io. */
export function admissionRegistrationGroup(dependencies: AdmissionRegistrationGroupDependencies): APIGroupInfo {
  const { install, features } = dependencies;
  return builtinGroup('admissionregistration.k8s.io', [
    install(mutatingAdmissionPolicies(dependencies)),
    install(mutatingAdmissionPolicyBindings(dependencies)),
    install(mutatingWebhookConfigurations(features)),
    install(validatingAdmissionPolicies(dependencies)),
    install(validatingAdmissionPolicyBindings(dependencies)),
    install(validatingWebhookConfigurations(features)),
  ]);
}
