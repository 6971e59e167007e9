import { type FieldError, type FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { isDNS1123Label, isDNS1123Subdomain, isQualifiedName } from '@apiserver/apimachinery/validation';

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
