import type { Lease, LeaseSpec } from '@apiserver/api/coordination/v1';
import { type FieldError, FieldPath, fieldForbidden, fieldInvalid } from '@apiserver/apimachinery/field';
import { validateObjectMeta, validateObjectMetaUpdate } from '@apiserver/apimachinery/validation';
import { validateCoordinatedStrategy } from '../coordinated-strategy.js';

const SPEC = FieldPath.of('spec');

/** Upstream: ValidateLease of pkg/apis/coordination/validation/validation.go */
export function validateLease(lease: Lease): readonly FieldError[] {
  return [
    // The rules of any kind: unlike other built-in kinds, a Lease may have any finalizer.
    ...validateObjectMeta(lease.metadata, { namespaced: true }),
    ...validateLeaseSpec(lease.spec),
  ];
}

/** Upstream: ValidateLeaseUpdate */
export function validateLeaseUpdate(lease: Lease, old: Lease): readonly FieldError[] {
  return [...validateObjectMetaUpdate(lease.metadata, old.metadata), ...validateLeaseSpec(lease.spec)];
}

function validateLeaseSpec(spec: LeaseSpec): FieldError[] {
  const { leaseDurationSeconds: duration, leaseTransitions: transitions } = spec;
  const errors: FieldError[] = [];
  if (duration !== undefined && duration <= 0) {
    errors.push(fieldInvalid(SPEC.child('leaseDurationSeconds'), duration, 'must be greater than 0'));
  }
  if (transitions !== undefined && transitions < 0) {
    const fault = 'must be greater than or equal to 0';
    errors.push(fieldInvalid(SPEC.child('leaseTransitions'), transitions, fault));
  }
  if (spec.strategy !== undefined) errors.push(...validateCoordinatedStrategy(spec.strategy, SPEC.child('strategy')));
  if (spec.preferredHolder && !spec.strategy) {
    errors.push(fieldForbidden(SPEC.child('preferredHolder'), 'may only be specified if `strategy` is defined'));
  }
  return errors;
}
