import type { AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { newAdmissionForbidden } from '../forbidden.js';

/** Handles no operation, so the chain never calls it. Upstream: plugin/pkg/admission/admit */
export function alwaysAdmit(): AdmissionPlugin {
  return { name: 'AlwaysAdmit', handles: () => false, admit: () => {}, validate: () => {} };
}

/** Refuses every write. Upstream: plugin/pkg/admission/deny */
export function alwaysDeny(): AdmissionPlugin {
  const refuse: AdmissionPlugin['validate'] = (attributes) => {
    throw newAdmissionForbidden(attributes, 'admission control is denying all modifications');
  };
  return { name: 'AlwaysDeny', handles: () => true, admit: refuse, validate: refuse };
}
