import { type FieldError, FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { validateNonnegative } from '@apiserver/apimachinery/validation';

/** The counts in the status of a ReplicaSet or ReplicationController. */
export interface ReplicaCounts {
  readonly replicas: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly observedGeneration?: number | bigint;
}

const STATUS = FieldPath.of('status');
const COUNTS = ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'] as const;

/** Upstream: ValidateReplicaSetStatus of pkg/apis/apps/validation/validation.go */
export function validateReplicaCounts(status: ReplicaCounts, path: FieldPath = STATUS): FieldError[] {
  const { replicas, fullyLabeledReplicas = 0, readyReplicas = 0, availableReplicas = 0, terminatingReplicas } = status;
  const errors = COUNTS.flatMap((field) => validateNonnegative(status[field] ?? 0, path.child(field)));
  errors.push(...validateNonnegative(status.observedGeneration ?? 0, path.child('observedGeneration')));
  if (terminatingReplicas !== undefined) {
    errors.push(...validateNonnegative(terminatingReplicas, path.child('terminatingReplicas')));
  }
  const message = 'cannot be greater than status.replicas';
  if (fullyLabeledReplicas > replicas) {
    errors.push(fieldInvalid(path.child('fullyLabeledReplicas'), fullyLabeledReplicas, message));
  }
  if (readyReplicas > replicas) errors.push(fieldInvalid(path.child('readyReplicas'), readyReplicas, message));
  if (availableReplicas > replicas) {
    errors.push(fieldInvalid(path.child('availableReplicas'), availableReplicas, message));
  }
  if (availableReplicas > readyReplicas) {
    const beyondReady = 'cannot be greater than readyReplicas';
    errors.push(fieldInvalid(path.child('availableReplicas'), availableReplicas, beyondReady));
  }
  return errors;
}
