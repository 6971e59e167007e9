import {
  type FieldError,
  fieldDuplicate,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
} from '../field/field-error.js';
import type { FieldPath } from '../field/path.js';
import { printedAsJson } from '../field/print-value.js';
import { validateLabelName } from './labels.js';
import { isLongerThan, patternMessage } from './messages.js';

/** A condition of the common form, as in statuses. */
export interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly observedGeneration?: number | bigint;
  readonly lastTransitionTime?: string | null;
  readonly reason?: string;
  readonly message?: string;
}

const STATUSES = ['False', 'True', 'Unknown'];
const MAX_REASON_LENGTH = 1024;
const MAX_MESSAGE_LENGTH = 32 * 1024;
const REASON_PATTERN = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
const REASON_FAULT = patternMessage(
  'a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric ' +
    "characters or '_,:', and must end with an alphanumeric character or '_'",
  REASON_PATTERN,
  ...['my_name', 'MY_NAME', 'MyName', 'ReasonA,ReasonB', 'ReasonA:ReasonB'],
);

/** Checks conditions of the common form. Upstream: k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go */
export function validateConditions(conditions: readonly Condition[], path: FieldPath): FieldError[] {
  const seen = new Set<string>();
  return conditions.flatMap((condition, i) => {
    const { type = '' } = condition;
    const duplicate = seen.has(type) ? [fieldDuplicate(path.index(i).child('type'), type)] : [];
    seen.add(type);
    return [...duplicate, ...validateCondition(condition, path.index(i))];
  });
}

/** Checks one condition of the common form. */
function validateCondition(condition: Condition, path: FieldPath): FieldError[] {
  const { type = '', status = '', observedGeneration = 0, lastTransitionTime, reason = '', message = '' } = condition;
  const errors = validateLabelName(type, path.child('type'));
  if (!STATUSES.includes(status)) {
    errors.push(fieldNotSupported(path.child('status'), printedAsJson(status), STATUSES));
  }
  if (observedGeneration < 0) {
    const detail = 'must be greater than or equal to zero';
    errors.push(fieldInvalid(path.child('observedGeneration'), observedGeneration, detail));
  }
  if (!lastTransitionTime) errors.push(fieldRequired(path.child('lastTransitionTime'), ''));
  errors.push(...validateReason(reason, path.child('reason')));
  if (isLongerThan(message, MAX_MESSAGE_LENGTH)) errors.push(fieldTooLong(path.child('message'), MAX_MESSAGE_LENGTH));
  return errors;
}

function validateReason(reason: string, path: FieldPath): FieldError[] {
  if (reason === '') return [fieldRequired(path, '')];
  const errors: FieldError[] = [];
  if (!/^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/.test(reason)) errors.push(fieldInvalid(path, reason, REASON_FAULT));
  if (isLongerThan(reason, MAX_REASON_LENGTH)) errors.push(fieldTooLong(path, MAX_REASON_LENGTH));
  return errors;
}
