import { type FieldError, type FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import {
  dns1123SubdomainFaults,
  isDNS1123Label,
  isDNS1123Subdomain,
  isQualifiedName,
  type ValidateName,
} from '@apiserver/apimachinery/validation';

/** Validates a DNS label. Upstream: ValidateDNS1123Label of pkg/apis/core/validation/validation.go */
export function validateDNS1123Label(text: string, path: FieldPath): FieldError[] {
  return isDNS1123Label(text).map((fault) => fieldInvalid(path, text, fault));
}

/** Validates a DNS name. Upstream: ValidateDNS1123Subdomain of pkg/apis/core/validation/validation.go */
export function validateDNS1123Subdomain(text: string, path: FieldPath): FieldError[] {
  return isDNS1123Subdomain(text).map((fault) => fieldInvalid(path, text, fault));
}

/** Validates a qualified name. Upstream: ValidateQualifiedName of pkg/apis/core/validation/validation.go */
export function validateQualifiedName(text: string, path: FieldPath): FieldError[] {
  return isQualifiedName(text).map((fault) => fieldInvalid(path, text, fault));
}

/**
 * The newer rule for an object's name: a generateName is not judged, only the name made from it.
 * Upstream: ValidateObjectMetaAccessorWithOpts with LongName of k8s.io/apimachinery/pkg/api/validate
 */
export const validateLongName: ValidateName = (name, isPrefix) =>
  isPrefix ? [] : dns1123SubdomainFaults(name, 'bytes');
