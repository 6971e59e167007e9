import { type FieldError, type FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import type { Schema } from '@apiserver/apimachinery/schema';
import { FIELD_IMMUTABLE_MESSAGE } from '@apiserver/apimachinery/validation';
import { equalSemantically } from '@apiserver/resource-kit';
import { goForm } from '../text/go-form.js';

/**
 * Checks that a canonical value of a schema did not change, as `equalSemantically` compares.
 * Upstream: ValidateImmutableField of k8s.io/apimachinery/pkg/api/validation
 */
export function validateImmutableValue(schema: Schema, value: unknown, old: unknown, path: FieldPath): FieldError[] {
  if (equalSemantically(value, old, schema)) return [];
  return [fieldInvalid(path, goForm(schema, value), FIELD_IMMUTABLE_MESSAGE)];
}
