import type {
  FieldSelectorAttributes,
  LabelSelectorAttributes,
  LocalSubjectAccessReview,
  NonResourceAttributes,
  ResourceAttributes,
  SelfSubjectAccessReview,
  SelfSubjectAccessReviewSpec,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
} from '@apiserver/api/authorization/v1';
import type { FieldSelectorRequirement } from '@apiserver/api/meta/v1';
import type { ObjectMeta } from '@apiserver/apimachinery';
import { type FieldError, FieldPath, fieldForbidden, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { validateLabelSelectorRequirement } from '@apiserver/apimachinery/validation';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const RESOURCE_ATTRIBUTES = SPEC.child('resourceAttributes');
const NON_RESOURCE_ATTRIBUTES = SPEC.child('nonResourceAttributes');

/** Upstream: ValidateSubjectAccessReview of pkg/apis/authorization/validation/validation.go */
export function validateSubjectAccessReview({ spec, metadata }: SubjectAccessReview): readonly FieldError[] {
  return [...validateSubjectSpec(spec), ...validateEmpty(metadata, [], 'must be empty')];
}

/** Upstream: ValidateSelfSubjectAccessReview */
export function validateSelfSubjectAccessReview({ spec, metadata }: SelfSubjectAccessReview): readonly FieldError[] {
  return [
    ...validateAttributes(spec),
    ...validateSelectors(spec.resourceAttributes),
    ...validateEmpty(metadata, [], 'must be empty'),
  ];
}

/** Upstream: ValidateLocalSubjectAccessReview */
export function validateLocalSubjectAccessReview({ spec, metadata }: LocalSubjectAccessReview): readonly FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = spec;
  const errors = [
    ...validateSubjectSpec(spec),
    ...validateEmpty(metadata, ['namespace'], 'must be empty except for namespace'),
  ];
  const namespace = resourceAttributes?.namespace ?? '';
  if (resourceAttributes !== undefined && namespace !== (metadata.namespace ?? '')) {
    errors.push(fieldInvalid(RESOURCE_ATTRIBUTES.child('namespace'), namespace, 'must match metadata.namespace'));
  }
  if (nonResourceAttributes !== undefined) {
    errors.push(
      fieldInvalid(NON_RESOURCE_ATTRIBUTES, internalForm(nonResourceAttributes), 'disallowed on this kind of request'),
    );
  }
  return errors;
}

function validateSubjectSpec(spec: SubjectAccessReviewSpec): FieldError[] {
  const { user = '', groups = [], resourceAttributes } = spec;
  const isNobody = user === '' && groups.length === 0;
  return [
    ...validateAttributes(spec),
    ...(isNobody ? [fieldInvalid(SPEC.child('user'), user, 'at least one of user or group must be specified')] : []),
    ...validateSelectors(resourceAttributes),
  ];
}

function validateAttributes({ resourceAttributes, nonResourceAttributes }: SelfSubjectAccessReviewSpec): FieldError[] {
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    const value = internalForm(nonResourceAttributes);
    return [fieldInvalid(NON_RESOURCE_ATTRIBUTES, value, 'cannot be specified in combination with resourceAttributes')];
  }
  if (resourceAttributes !== undefined || nonResourceAttributes !== undefined) return [];
  const message = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [fieldInvalid(RESOURCE_ATTRIBUTES, null, message)];
}

/** Formatted as upstream's internal type, whose fields have no JSON names. */
function internalForm({ path = '', verb = '' }: NonResourceAttributes) {
  return { Path: path, Verb: verb };
}

function validateEmpty(metadata: ObjectMeta, allowed: readonly string[], message: string): FieldError[] {
  const set = Object.entries(metadata).filter(([, value]) => value !== undefined && value !== null);
  const isEmpty = set.every(([name]) => name === 'managedFields' || allowed.includes(name));
  return isEmpty ? [] : [fieldInvalid(METADATA, metadata, message)];
}

function validateSelectors(attributes: ResourceAttributes | undefined): FieldError[] {
  return [
    ...validateFieldSelector(attributes?.fieldSelector, RESOURCE_ATTRIBUTES.child('fieldSelector')),
    ...validateLabelSelector(attributes?.labelSelector, RESOURCE_ATTRIBUTES.child('labelSelector')),
  ];
}

function validateFieldSelector(selector: FieldSelectorAttributes | undefined, path: FieldPath): FieldError[] {
  if (selector === undefined) return [];
  const { requirements = [] } = selector;
  return [
    ...validateOneForm(selector, path),
    ...requirements.flatMap((requirement, i) =>
      validateFieldRequirement(requirement, path.child('requirements').index(i)),
    ),
  ];
}

function validateLabelSelector(selector: LabelSelectorAttributes | undefined, path: FieldPath): FieldError[] {
  if (selector === undefined) return [];
  const { requirements = [] } = selector;
  return [
    ...validateOneForm(selector, path),
    ...requirements.flatMap((requirement, i) =>
      // A newer client may use operators that this server does not know.
      validateLabelSelectorRequirement(
        requirement,
        { allowUnknownOperator: true },
        path.child('requirements').index(i),
      ),
    ),
  ];
}

function validateOneForm(
  { rawSelector = '', requirements = [] }: { rawSelector?: string; requirements?: readonly unknown[] },
  path: FieldPath,
): FieldError[] {
  if (rawSelector !== '' && requirements.length > 0) {
    return [fieldInvalid(path.child('rawSelector'), rawSelector, 'may not specified at the same time as requirements')];
  }
  if (rawSelector !== '' || requirements.length > 0) return [];
  const message = `when ${path.toString()} is specified, requirements or rawSelector is required`;
  return [fieldRequired(path.child('requirements'), message)];
}

/** Upstream: ValidateFieldSelectorRequirement of k8s.io/apimachinery/pkg/apis/meta/v1/validation */
function validateFieldRequirement(
  { key, operator, values = [] }: FieldSelectorRequirement,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (key === '') errors.push(fieldRequired(path.child('key'), 'must be specified'));
  const valuesPath = path.child('values');
  const takesValues = operator === 'In' || operator === 'NotIn';
  if (takesValues && values.length === 0) {
    errors.push(fieldRequired(valuesPath, "must be specified when `operator` is 'In' or 'NotIn'"));
  }
  if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0) {
    errors.push(fieldForbidden(valuesPath, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  }
  return errors;
}
