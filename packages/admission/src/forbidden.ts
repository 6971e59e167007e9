import { isForbidden, isStatusError, newForbidden, type StatusError } from '@apiserver/apimachinery/errors';
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

function nameOf({ name, object }: AdmissionAttributes): string {
  if (name !== '') return name;
  const { metadata } = object ?? {};
  return metadata?.name || metadata?.generateName || 'Unknown';
}
