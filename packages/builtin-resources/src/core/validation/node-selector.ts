import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from '@apiserver/api/core/v1';
import {
  type FieldError,
  type FieldPath,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  printedAsJson,
} from '@apiserver/apimachinery/field';
import { isLabelValue, nameIsDNSSubdomain, validateLabelName } from '@apiserver/apimachinery/validation';

/** Options for the validation of a node selector. */
export interface NodeSelectorRules {
  /** Accept values that are invalid as label values. */
  readonly allowInvalidLabelValue: boolean;
}

/** Upstream: ValidateNodeSelector of pkg/apis/core/validation/validation.go */
export function validateNodeSelector(selector: NodeSelector, rules: NodeSelectorRules, path: FieldPath): FieldError[] {
  const terms = selector.nodeSelectorTerms ?? [];
  const termsPath = path.child('nodeSelectorTerms');
  if (terms.length === 0) return [fieldRequired(termsPath, 'must have at least one node selector term')];
  return terms.flatMap((term, i) => validateNodeSelectorTerm(term, rules, termsPath.index(i)));
}

/** Upstream: ValidateNodeSelectorTerm */
export function validateNodeSelectorTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  rules: NodeSelectorRules,
  path: FieldPath,
): FieldError[] {
  return [
    ...matchExpressions.flatMap((requirement, i) =>
      validateExpression(requirement, rules, path.child('matchExpressions').index(i)),
    ),
    ...matchFields.flatMap((requirement, i) => validateField(requirement, path.child('matchFields').index(i))),
  ];
}

function validateExpression(
  { key, operator, values = [] }: NodeSelectorRequirement,
  rules: NodeSelectorRules,
  path: FieldPath,
): FieldError[] {
  const valuesPath = path.child('values');
  const errors = [...validateExpressionOperator(operator, values, path), ...validateLabelName(key, path.child('key'))];
  if (rules.allowInvalidLabelValue) return errors;
  for (const [i, value] of values.entries()) {
    errors.push(...isLabelValue(value).map((fault) => fieldInvalid(valuesPath.index(i), value, fault)));
  }
  return errors;
}

function validateExpressionOperator(operator: string, values: readonly string[], path: FieldPath): FieldError[] {
  const valuesPath = path.child('values');
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) return [];
      return [fieldRequired(valuesPath, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return [];
      return [fieldForbidden(valuesPath, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case 'Gt':
    case 'Lt':
      if (values.length === 1) return [];
      return [fieldRequired(valuesPath, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [fieldInvalid(path.child('operator'), printedAsJson(operator), 'not a valid selector operator')];
  }
}

/** The only supported field of a node is its name. Upstream: ValidateNodeFieldSelectorRequirement */
function validateField({ key, operator, values = [] }: NodeSelectorRequirement, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const valuesPath = path.child('values');
  if (operator !== 'In' && operator !== 'NotIn') {
    errors.push(fieldInvalid(path.child('operator'), printedAsJson(operator), 'not a valid selector operator'));
  } else if (values.length !== 1) {
    const message = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(fieldRequired(valuesPath, message));
  }
  if (key !== 'metadata.name') {
    return [...errors, fieldInvalid(path.child('key'), key, 'not a valid field selector key')];
  }
  for (const [i, value] of values.entries()) {
    errors.push(...nameIsDNSSubdomain(value).map((fault) => fieldInvalid(valuesPath.index(i), value, fault)));
  }
  return errors;
}
