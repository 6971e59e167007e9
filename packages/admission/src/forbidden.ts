import { isForbidden, isStatusError, newForbidden, type StatusError } from '@apiserver/apimachinery/errors';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';

/**
 * The 403 of an admission plugin. It names the object by its name or, if the name is still to be generated, by its
 * generateName. A cause that is already a 403 is returned unchanged.
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
