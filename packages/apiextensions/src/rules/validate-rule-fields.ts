import type { JSONSchemaProps, ValidationRule } from '@apiserver/api/apiextensions/v1';
import {
  type FieldError,
  type FieldPath,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  printedAsJson,
} from '@apiserver/apimachinery/field';
import { isParseError, trimSpace } from '@apiserver/apimachinery/text';
import { resolveFieldPath } from '../schema/resolve-field-path.js';
import { unsupportedConstruct } from '../schema/unsupported-construct.js';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const LINE_BREAK = /[\n\r]/;

/**
 * Finds faults of a schema's own rules that need no reading of their expressions.
 *
 * Upstream: ValidateCustomResourceDefinitionOpenAPISchema of
 * k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation
 */
export function validateRuleFields(props: JSONSchemaProps, at: FieldPath): FieldError[] {
  const rules = props['x-kubernetes-validations'] ?? [];
  return rules.flatMap((rule, index) => {
    const path = at.child('x-kubernetes-validations').index(index);
    return [...validateTexts(rule, path), ...validateReason(rule, path), ...validateFieldPath(rule, props, path)];
  });
}

function validateTexts({ rule, message = '', messageExpression = '' }: ValidationRule, at: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const trimmed = trimSpace(rule);
  const trimmedMessage = trimSpace(message);
  const messageAt = at.child('message');
  if (trimmed === '') {
    errors.push(fieldRequired(at.child('rule'), 'rule is not specified'));
  } else if (message !== '' && trimmedMessage === '') {
    errors.push(fieldInvalid(messageAt, message, 'must be non-empty if specified'));
  } else if (LINE_BREAK.test(trimmedMessage)) {
    errors.push(fieldInvalid(messageAt, message, 'must not contain line breaks'));
  } else if (LINE_BREAK.test(trimmed) && trimmedMessage === '') {
    errors.push(fieldRequired(messageAt, 'message must be specified if rule contains line breaks'));
  }
  if (messageExpression !== '' && trimSpace(messageExpression) === '') {
    const detail = 'messageExpression must be non-empty if specified';
    errors.push(fieldRequired(at.child('messageExpression'), detail));
  }
  return errors;
}

function validateReason({ reason }: ValidationRule, at: FieldPath): FieldError[] {
  if (reason === undefined || REASONS.includes(reason)) return [];
  return [fieldNotSupported(at.child('reason'), printedAsJson(reason), REASONS)];
}

function validateFieldPath({ fieldPath = '' }: ValidationRule, props: JSONSchemaProps, at: FieldPath): FieldError[] {
  if (fieldPath === '') return [];
  const path = at.child('fieldPath');
  const errors: FieldError[] = [];
  if (trimSpace(fieldPath) === '') errors.push(fieldInvalid(path, fieldPath, 'must be non-empty if specified'));
  if (LINE_BREAK.test(fieldPath)) errors.push(fieldInvalid(path, fieldPath, 'must not contain line breaks'));
  if (!refersToField(fieldPath, props)) errors.push(fieldInvalid(path, fieldPath, 'must be a valid path'));
  return errors;
}

/** A schema without a structural form, which has errors of its own, takes any path. */
function refersToField(fieldPath: string, props: JSONSchemaProps): boolean {
  return unsupportedConstruct(props) !== undefined || normalizedFieldPath(fieldPath, props) !== undefined;
}

/** The path of a rule in the form of field errors; undefined for an invalid path, or none. */
export function normalizedFieldPath(fieldPath: string, props: JSONSchemaProps): string | undefined {
  if (fieldPath === '') return undefined;
  try {
    return String(resolveFieldPath(fieldPath, props, 'subscripts').path);
  } catch (error) {
    if (isParseError(error)) return undefined;
    throw error;
  }
}
