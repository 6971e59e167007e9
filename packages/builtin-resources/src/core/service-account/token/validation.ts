import type { TokenRequest } from '@apiserver/api/authentication/v1';
import { type FieldError, FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';

const EXPIRATION = FieldPath.of('spec').child('expirationSeconds');
const MIN_SECONDS = 10 * 60;
const MAX_SECONDS = 2 ** 32;

/** Upstream: ValidateTokenRequest of pkg/apis/authentication/validation/validation.go */
export function validateTokenRequest({ spec }: TokenRequest): readonly FieldError[] {
  const seconds = spec.expirationSeconds ?? 0;
  if (seconds < MIN_SECONDS) {
    return [fieldInvalid(EXPIRATION, seconds, 'may not specify a duration less than 10 minutes')];
  }
  if (seconds <= MAX_SECONDS) return [];
  return [fieldInvalid(EXPIRATION, seconds, 'may not specify a duration larger than 2^32 seconds')];
}
