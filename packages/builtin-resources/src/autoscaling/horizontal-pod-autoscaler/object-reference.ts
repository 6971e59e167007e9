import type { CrossVersionObjectReference } from '@apiserver/api/autoscaling/v2';
import {
  type FieldError,
  type FieldPath,
  fieldInvalid,
  fieldRequired,
  validatePathSegmentName,
} from '@apiserver/apimachinery';

/** What the apiVersion of a reference may be. */
export interface ReferenceRules {
  /** Of no group: of the core group, or nothing at all. */
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
    ...validateSegment(reference.kind, '', path.child('kind')),
    ...validateSegment(reference.name, '', path.child('name')),
    ...(fault === undefined ? [] : [fieldInvalid(path.child('apiVersion'), reference.apiVersion ?? '', fault)]),
  ];
}

/** A text that is there and could stand in a path. */
export function validateSegment(text: string, missing: string, path: FieldPath): FieldError[] {
  if (text === '') return [fieldRequired(path, missing)];
  return validatePathSegmentName(text, false).map((fault) => fieldInvalid(path, text, fault));
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
