import type { MatchResources, ParamRef } from '@apiserver/api/admissionregistration/v1';
import { type FieldError, FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { nameIsDNSSubdomain } from '@apiserver/apimachinery/validation';
import { validateMatchResources } from './match-resources.js';
import { validateParamRef } from './params.js';

const SPEC = FieldPath.of('spec');

/** The part of the spec that bindings of either kind have. */
export interface BindingSpec {
  readonly policyName?: string;
  readonly paramRef?: ParamRef;
  readonly matchResources?: MatchResources;
}

/** Upstream: validateMutatingAdmissionPolicyBindingSpec of pkg/apis/admissionregistration/validation/validation.go */
export function validateBindingSpec({ policyName = '', paramRef, matchResources }: BindingSpec): FieldError[] {
  return [
    ...validatePolicyName(policyName, SPEC.child('policyName')),
    ...(paramRef === undefined ? [] : validateParamRef(paramRef, SPEC.child('paramRef'))),
    ...(matchResources === undefined ? [] : validateMatchResources(matchResources, SPEC.child('matchResources'))),
  ];
}

function validatePolicyName(name: string, path: FieldPath): FieldError[] {
  if (name === '') return [fieldRequired(path, '')];
  return nameIsDNSSubdomain(name).map((fault) => fieldInvalid(path, name, fault));
}
