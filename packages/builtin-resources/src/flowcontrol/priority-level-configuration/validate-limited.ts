import type {
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  QueuingConfiguration,
} from '@apiserver/api/flowcontrol/v1';
import {
  type FieldError,
  type FieldPath,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import { MAX_HASH_BITS, requiredEntropyBits } from '@apiserver/flowcontrol';
import { validateRequiredEnum } from '../../validation/enum-field.js';

const RESPONSES = ['Queue', 'Reject'];
const MAX_QUEUES = 10_000_000;

/** Upstream: ValidateLimitedPriorityLevelConfiguration of pkg/apis/flowcontrol/validation/validation.go */
export function validateLimited(limited: LimitedPriorityLevelConfiguration, path: FieldPath): FieldError[] {
  const { borrowingLimitPercent: borrowing = 0 } = limited;
  return [
    ...validateShares(limited.nominalConcurrencyShares, path.child('nominalConcurrencyShares')),
    ...validateResponse(limited.limitResponse, path.child('limitResponse')),
    ...validatePercent(limited.lendablePercent, path.child('lendablePercent')),
    ...(borrowing < 0
      ? [fieldInvalid(path.child('borrowingLimitPercent'), borrowing, 'if specified, must be a non-negative integer')]
      : []),
  ];
}

export function validateShares(shares: number | null | undefined, path: FieldPath): FieldError[] {
  return (shares ?? 0) < 0 ? [fieldInvalid(path, shares, 'must be a non-negative integer')] : [];
}

export function validatePercent(percent: number | undefined, path: FieldPath): FieldError[] {
  if (percent === undefined || (percent >= 0 && percent <= 100)) return [];
  return [fieldInvalid(path, percent, 'must be between 0 and 100, inclusive')];
}

function validateResponse({ type, queuing }: LimitResponse, path: FieldPath): FieldError[] {
  const queuingPath = path.child('queuing');
  if (type === 'Reject') {
    const message = 'must be nil if limited.limitResponse.type is not Limited';
    return queuing === undefined ? [] : [fieldForbidden(queuingPath, message)];
  }
  if (type !== 'Queue') return validateRequiredEnum(type, RESPONSES, path.child('type'));
  if (queuing !== undefined) return validateQueuing(queuing, queuingPath);
  return [fieldRequired(queuingPath, 'must not be empty if limited.limitResponse.type is Limited')];
}

function validateQueuing(queuing: QueuingConfiguration, path: FieldPath): FieldError[] {
  const { queues = 0, handSize = 0, queueLengthLimit = 0 } = queuing;
  const errors: FieldError[] = [];
  if (queueLengthLimit <= 0) errors.push(fieldInvalid(path.child('queueLengthLimit'), queueLengthLimit, POSITIVE));
  const queuesFault = queuesFaultOf(queues);
  if (queuesFault !== undefined) errors.push(fieldInvalid(path.child('queues'), queues, queuesFault));
  const handFault = handFaultOf(queues, handSize);
  if (handFault !== undefined) errors.push(fieldInvalid(path.child('handSize'), handSize, handFault));
  return errors;
}

const POSITIVE = 'must be positive';

function queuesFaultOf(queues: number): string | undefined {
  if (queues <= 0) return POSITIVE;
  return queues > MAX_QUEUES ? `must not be greater than ${MAX_QUEUES}` : undefined;
}

function handFaultOf(queues: number, handSize: number): string | undefined {
  if (handSize <= 0) return POSITIVE;
  if (handSize > queues) return `should not be greater than queues (${queues})`;
  if (requiredEntropyBits(queues, handSize) <= MAX_HASH_BITS) return undefined;
  return `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${MAX_HASH_BITS}`;
}
