import type { PodCertificateRequest, PodCertificateRequestStatus } from '@apiserver/api/certificates/v1beta1';
import {
  type FieldError,
  FieldPath,
  fieldInvalid,
  fieldNotSupported,
  OMITTED_VALUE,
} from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import { validateConditions } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { notSupported } from '../../validation/enum-field.js';
import { validateIssued } from './issued-certificate.js';

const STATUS = FieldPath.of('status');
const TYPES = ['Issued', 'Denied', 'Failed'];

/**
 * A status changes once: to issued, denied or failed. `now` is in milliseconds.
 * Upstream: ValidatePodCertificateRequestStatusUpdate of pkg/apis/certificates/validation/validation.go
 */
export function validatePodCertificateRequestStatusUpdate(
  request: PodCertificateRequest,
  old: PodCertificateRequest,
  now: number,
): readonly FieldError[] {
  const { status } = request;
  const metadata = validateBuiltInObjectMetaUpdate(request.metadata, old.metadata);
  if (metadata.length > 0) return metadata;
  const { conditions = [] } = status;
  const faults = [...validateTypes(conditions), ...validateConditions(conditions, STATUS.child('conditions'))];
  if (faults.length > 0) return faults;
  if (TYPES.some((type) => has(old.status, type))) {
    return validateSame(status, old.status, 'immutable after PodCertificateRequest is issued, denied, or failed');
  }
  if (has(status, 'Denied') || has(status, 'Failed')) {
    const fault = 'non-condition status fields must be empty when denying or failing the PodCertificateRequest';
    return validateSame(status, { conditions }, fault);
  }
  if (has(status, 'Issued')) return validateIssued(request, old, now);
  return validateSame(
    status,
    old.status,
    'status is immutable unless transitioning to "Issued", "Denied", or "Failed"',
  );
}

/** Compares statuses; an absent field equals an empty one. */
export function isSameStatus(status: PodCertificateRequestStatus, old: PodCertificateRequestStatus): boolean {
  const whole = ({ conditions = [], certificateChain = '', ...times }: PodCertificateRequestStatus) => ({
    ...times,
    conditions,
    certificateChain,
  });
  return equalJson(whole(status), whole(old));
}

function validateSame(status: PodCertificateRequestStatus, old: PodCertificateRequestStatus, fault: string) {
  return isSameStatus(status, old) ? [] : [fieldInvalid(STATUS, OMITTED_VALUE, fault)];
}

function has({ conditions = [] }: PodCertificateRequestStatus, wanted: string): boolean {
  return conditions.some(({ type, status }) => type === wanted && status === 'True');
}

/** At most one condition, which must be a known one and true. */
function validateTypes(conditions: NonNullable<PodCertificateRequestStatus['conditions']>): FieldError[] {
  let known = 0;
  return conditions.flatMap(({ type, status }, i) => {
    // Upstream makes the index a name, which has a dot before it.
    const at = STATUS.child('conditions', `[${i}]`);
    if (!TYPES.includes(type)) return [fieldNotSupported(at.child('type'), type, TYPES)];
    known++;
    const fault = 'There may be at most one condition with type "Issued", "Denied", or "Failed"';
    return [
      ...(known > 1 ? [fieldInvalid(at.child('type'), type, fault)] : []),
      ...(status === 'True' ? [] : [notSupported(at.child('status'), status, ['True'])]),
    ];
  });
}
