import type { FeatureGates } from '@apiserver/apiserver-contracts';
import type { ParamAccessOptions } from './access/param-access.js';

/** Dependencies of admission policies and their bindings on their server. */
export interface AdmissionRegistrationDependencies {
  readonly features: FeatureGates;
  readonly paramAccess: ParamAccessOptions;
}
