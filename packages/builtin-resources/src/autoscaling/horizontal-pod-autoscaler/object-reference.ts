import type { CrossVersionObjectReference } from '@apiserver/api/autoscaling/v2';
import { type FieldError, type FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { validateSegment } from '../../validation/path-segment.js';

/** Rules for the apiVersion of a reference. */
export interface ReferenceRules {
  /** Allow a reference without a group: to the core group, or without apiVersion. */
  readonly allowEmptyGroup: boolean;
  readonly allowInvalidVersion: boolean;
}

/** Upstream: ValidateCrossVersionObjectReference of pkg/apis/autoscaling/validation/validation.go */
export function validateReference(
  reference: CrossVersionObjectReference,
  rules: ReferenceRules,
  path: FieldPath,
): FieldError[] {
  const fault = rules.allowInvalidVersion ? undefined : apiVersionFault(reference, rules);
  return [
    ...validateSegment(reference.kind, path.child('kind')),
    ...validateSegment(reference.name, path.child('name')),
    ...(fault === undefined ? [] : [fieldInvalid(path.child('apiVersion'), reference.apiVersion ?? '', fault)]),
  ];
}

/** Upstream: ValidateAPIVersion */
export function apiVersionFault(
  { apiVersion = '' }: CrossVersionObjectReference,
  { allowEmptyGroup }: Pick<ReferenceRules, 'allowEmptyGroup'>,
): string | undefined {
  const [group = '', ...rest] = apiVersion === '/' ? [] : apiVersion.split('/');
  if (rest.length > 1) return `unexpected GroupVersion string: ${apiVersion}`;
  const hasGroup = rest.length === 1 && group !== '';
  return hasGroup || allowEmptyGroup ? undefined : 'apiVersion must specify API group';
}
