/** The type of a field error; also the `reason` of its cause in an Invalid Status. */
export type FieldErrorType =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooShort'
  | 'FieldValueTooMany'
  | 'FieldValueTooFew'
  | 'FieldValueTypeInvalid'
  | 'InternalError';

/**
 * One error of one field. Validation collects these and never throws.
 *
 * Upstream: k8s.io/apimachinery/pkg/util/validation/field/errors.go
 */
export interface FieldError {
  readonly type: FieldErrorType;
  /** The printed FieldPath. */
  readonly field: string;
  readonly badValue: unknown;
  /** May be empty. */
  readonly detail: string;
  /** The violated rule (`maximum`, `format=k8s-short-name`), for tests and for comparing two validations. */
  readonly origin?: string;
}
