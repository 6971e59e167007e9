import {
  type FieldError,
  type FieldPath,
  fieldInvalid,
  fieldRequired,
  fieldTooLong,
} from '@apiserver/apimachinery/field';
import { lowerCase } from '@apiserver/apimachinery/text';
import { byteLength, isQualifiedName, TOTAL_ANNOTATION_SIZE_LIMIT } from '@apiserver/apimachinery/validation';

/**
 * Checks what authors of pods pass to signers: keys with a domain, and a limit of all bytes together.
 * Upstream: ValidateUserAnnotations of pkg/apis/core/validation/validation.go
 */
export function validateUserAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  path: FieldPath,
): FieldError[] {
  const entries = Object.entries(annotations ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const bytes = entries.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
  return [
    ...entries.flatMap(([key]) => validateDomainPrefixedKey(lowerCase(key), path)),
    ...(bytes > TOTAL_ANNOTATION_SIZE_LIMIT ? [fieldTooLong(path, TOTAL_ANNOTATION_SIZE_LIMIT)] : []),
  ];
}

/** Upstream: IsDomainPrefixedKey of k8s.io/apimachinery/pkg/util/validation/validation.go */
function validateDomainPrefixedKey(key: string, path: FieldPath): FieldError[] {
  if (key === '') return [fieldRequired(path, '')];
  const faults = [...isQualifiedName(key)];
  if (faults.length === 0 && !key.includes('/')) {
    faults.push('must be a domain-prefixed key (such as "acme.io/foo")');
  }
  return faults.map((fault) => fieldInvalid(path, key, fault));
}
