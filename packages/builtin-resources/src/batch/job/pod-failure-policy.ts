import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
} from '@apiserver/api/batch/v1';
import {
  appendAll,
  type FieldError,
  type FieldPath,
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
  fieldTooMany,
  OMITTED_VALUE,
  seenBefore,
} from '@apiserver/apimachinery/field';
import { quote } from '@apiserver/apimachinery/text';
import { validateQualifiedName } from '../../core/validation/dns-fields.js';
import { validateEnum } from '../../validation/enum-field.js';

const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const OPERATORS = ['In', 'NotIn'];
const STATUSES = ['False', 'True', 'Unknown'];
const MAX_RULES = 20;
const MAX_VALUES = 255;
const MAX_PATTERNS = 20;

/** Upstream: validatePodFailurePolicy of pkg/apis/batch/validation/validation.go */
export function validatePodFailurePolicy(spec: JobSpec, path: FieldPath): FieldError[] {
  const rules = spec.podFailurePolicy?.rules ?? [];
  const rulesPath = path.child('rules');
  const podSpec = spec.template.spec;
  const names = new Set([...(podSpec.containers ?? []), ...(podSpec.initContainers ?? [])].map(({ name }) => name));
  return [
    ...(rules.length > MAX_RULES ? [fieldTooMany(rulesPath, rules.length, MAX_RULES)] : []),
    ...rules.flatMap((rule, i) => validateRule(rule, spec, names, rulesPath.index(i))),
  ];
}

function validateRule(
  rule: PodFailurePolicyRule,
  spec: JobSpec,
  names: ReadonlySet<string>,
  path: FieldPath,
): FieldError[] {
  const { action, onExitCodes, onPodConditions = [] } = rule;
  const actionPath = path.child('action');
  const errors: FieldError[] = [];
  if (action === 'FailIndex' && spec.backoffLimitPerIndex === undefined) {
    errors.push(fieldInvalid(actionPath, action, 'requires the backoffLimitPerIndex to be set'));
  } else errors.push(...validateChosen(action, ACTIONS, actionPath));
  if (onExitCodes !== undefined) appendAll(errors, validateExitCodes(onExitCodes, names, path.child('onExitCodes')));
  appendAll(errors, validatePatterns(onPodConditions, path.child('onPodConditions')));
  const both = onExitCodes !== undefined && onPodConditions.length > 0;
  const neither = onExitCodes === undefined && onPodConditions.length === 0;
  if (both) {
    const message = 'specifying both OnExitCodes and OnPodConditions is not supported';
    errors.push(fieldInvalid(path, OMITTED_VALUE, message));
  }
  if (neither) {
    const message = 'specifying one of OnExitCodes and OnPodConditions is required';
    errors.push(fieldInvalid(path, OMITTED_VALUE, message));
  }
  return errors;
}

function validatePatterns(patterns: readonly PodFailurePolicyOnPodConditionsPattern[], path: FieldPath): FieldError[] {
  return [
    ...(patterns.length > MAX_PATTERNS ? [fieldTooMany(path, patterns.length, MAX_PATTERNS)] : []),
    ...patterns.flatMap(({ type, status = '' }, i) => [
      ...validateQualifiedName(type, path.index(i).child('type')),
      ...validateChosen(status, STATUSES, path.index(i).child('status')),
    ]),
  ];
}

function validateExitCodes(
  { operator, containerName, values: given }: PodFailurePolicyOnExitCodesRequirement,
  names: ReadonlySet<string>,
  path: FieldPath,
): FieldError[] {
  const values = given ?? [];
  const valuesPath = path.child('values');
  const errors = validateChosen(operator, OPERATORS, path.child('operator'));
  if (containerName !== undefined && !names.has(containerName)) {
    const message = 'must be one of the container or initContainer names in the pod template';
    errors.push(fieldInvalid(path.child('containerName'), containerName, message));
  }
  if (values.length === 0) errors.push(fieldInvalid(valuesPath, given, 'at least one value is required'));
  else if (values.length > MAX_VALUES) errors.push(fieldTooMany(valuesPath, values.length, MAX_VALUES));
  const isRepeated = seenBefore<number>();
  for (const [i, value] of values.entries()) {
    const place = valuesPath.index(i);
    if (operator === 'In' && value === 0) errors.push(fieldInvalid(place, value, 'must not be 0 for the In operator'));
    if (isRepeated(value)) errors.push(fieldDuplicate(place, value));
  }
  const isOrdered = values.every((value, i) => i === 0 || (values[i - 1] ?? value) <= value);
  return isOrdered ? errors : [...errors, fieldInvalid(valuesPath, values, 'must be ordered')];
}

function validateChosen(value: string, choices: readonly string[], path: FieldPath): FieldError[] {
  if (value !== '') return validateEnum(value, choices, path);
  return [fieldRequired(path, `valid values: [${choices.map((choice) => quote(choice)).join(' ')}]`)];
}
