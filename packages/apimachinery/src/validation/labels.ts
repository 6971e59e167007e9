import { isKnownValid, noteValid } from '../field/collect-field-errors.js';
import { type FieldError, fieldForbidden, fieldInvalid, fieldRequired } from '../field/field-error.js';
import type { FieldPath } from '../field/path.js';
import { printedAsJson } from '../field/print-value.js';
import type { LabelSelectorRequirementSpec, LabelSelectorSpec } from '../types/label-selector-spec.js';
import type { Labels } from '../types/labels.js';
import { isLabelKey, isLabelValue } from './label.js';

/** One error per fault of a label key. Upstream: k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go */
export function validateLabelName(name: string, path: FieldPath): FieldError[] {
  return isLabelKey(name).map((fault) => ({ ...fieldInvalid(path, name, fault), origin: 'format=k8s-label-key' }));
}

/** Checks the keys and values of a set of labels, in key order. */
export function validateLabels(labels: Labels | undefined, path: FieldPath): FieldError[] {
  return labels === undefined || !hasFaults(labels) ? [] : labelErrors(labels, path);
}

function labelErrors(labels: Labels, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of Object.keys(labels).sort()) {
    const value = labels[key] ?? '';
    errors.push(...validateLabelName(key, path));
    errors.push(...isLabelValue(value).map((fault) => fieldInvalid(path, value, fault)));
  }
  return errors;
}

/** From this number on, valid labels are remembered: metadata is checked up to five times in an update. */
const MANY = 1_000;

/** Most labels are valid and need neither sorting nor messages. */
function hasFaults(labels: Labels): boolean {
  let count = 0;
  for (const key in labels) {
    if (++count === MANY && isKnownValid(labels)) return false;
    const value = labels[key] ?? '';
    if (isLabelKey(key).length > 0 || isLabelValue(value).length > 0) return true;
  }
  if (count >= MANY) noteValid(labels);
  return false;
}

/** Options for checking a selector in an object's spec. */
export interface LabelSelectorValidationOptions {
  /** Accept values that no label can have; only for objects that were stored with such values. Default: false. */
  readonly allowInvalidLabelValueInSelector?: boolean;
  /** Accept operators that a newer client may know. Default: false. Upstream: AllowUnknownOperatorInRequirement */
  readonly allowUnknownOperator?: boolean;
}

/** Checks a selector in an object's spec; an absent one is valid. */
export function validateLabelSelector(
  selector: LabelSelectorSpec | null | undefined,
  options: LabelSelectorValidationOptions,
  path: FieldPath,
): FieldError[] {
  if (selector === undefined || selector === null) return [];
  const expressions = path.child('matchExpressions');
  return [
    ...validateLabels(selector.matchLabels, path.child('matchLabels')),
    ...(selector.matchExpressions ?? []).flatMap((expression, i) =>
      validateLabelSelectorRequirement(expression, options, expressions.index(i)),
    ),
  ];
}

/** Checks one requirement of a selector. */
export function validateLabelSelectorRequirement(
  { key, operator, values = [] }: LabelSelectorRequirementSpec,
  options: LabelSelectorValidationOptions,
  path: FieldPath,
): FieldError[] {
  const valuesPath = path.child('values');
  return [
    ...(options.allowUnknownOperator && !SELECTOR_OPERATORS.includes(operator)
      ? []
      : validateSelectorOperator(operator, values, path)),
    ...validateLabelName(key, path.child('key')),
    ...(options.allowInvalidLabelValueInSelector
      ? []
      : values.flatMap((value, i) =>
          isLabelValue(value).map((fault) => fieldInvalid(valuesPath.index(i), value, fault)),
        )),
  ];
}

const SELECTOR_OPERATORS: readonly string[] = ['In', 'NotIn', 'Exists', 'DoesNotExist'];

function validateSelectorOperator(operator: string, values: readonly string[], path: FieldPath): FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) return [];
      return [fieldRequired(path.child('values'), "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return [];
      return [
        fieldForbidden(path.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      ];
    default:
      return [fieldInvalid(path.child('operator'), printedAsJson(operator), 'not a valid selector operator')];
  }
}
