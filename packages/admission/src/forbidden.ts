import { failureStatus, isForbidden, isStatusError, newForbidden, StatusError } from '@apiserver/apimachinery/errors';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';

/**
 * The 403 of an admission plugin. Names the object by what is known of its name yet: on a create with a generated name
 * that is the generateName. A cause that is a 403 already is answered as it is.
 * Upstream: NewForbidden of k8s.io/apiserver/pkg/admission/errors.go
 */
export function newAdmissionForbidden(attributes: AdmissionAttributes, cause: unknown): StatusError {
  if (isStatusError(cause) && isForbidden(cause)) return cause;
  return newForbidden(attributes.resource, nameOf(attributes), cause);
}

/** The 500 without a reason that clients get for errors of a plugin that upstream does not wrap. */
export function newPlainFailure(message: string): StatusError {
  return new StatusError(failureStatus(500, undefined, message));
}

function nameOf({ name, object }: AdmissionAttributes): string {
  if (name !== '') return name;
  const { metadata } = object ?? {};
  return metadata?.name || metadata?.generateName || 'Unknown';
}
