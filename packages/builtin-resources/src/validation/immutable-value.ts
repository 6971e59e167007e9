import { type FieldError, type FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import type { FieldSchema, Schema } from '@apiserver/apimachinery/schema';
import { FIELD_IMMUTABLE_MESSAGE } from '@apiserver/apimachinery/validation';
import { Quantity } from '@apiserver/apimachinery/values';
import { goForm } from '../text/go-form.js';

/**
 * Checks that a value of a type did not change. Amounts are compared in any notation, and an empty list, map or text of
 * bytes equals an absent one. Both values must be canonical.
 * Upstream: ValidateImmutableField of k8s.io/apimachinery/pkg/api/validation, which uses equality.Semantic
 */
export function validateImmutableValue(schema: Schema, value: unknown, old: unknown, path: FieldPath): FieldError[] {
  if (areEqual(schema, value, old)) return [];
  return [fieldInvalid(path, goForm(schema, value), FIELD_IMMUTABLE_MESSAGE)];
}

function areEqual(schema: Schema, a: unknown, b: unknown): boolean {
  if (isEmpty(schema, a) || isEmpty(schema, b)) return isEmpty(schema, a) && isEmpty(schema, b);
  if (schema.type === 'quantity') return a === b || equalAmounts(a, b);
  if (schema.type === 'list' && Array.isArray(a) && Array.isArray(b)) return equalLists(schema.element, a, b);
  if (isMembers(a) && isMembers(b)) {
    if (schema.type === 'struct') return schema.fields.every((field) => equalField(field, a, b));
    if (schema.type === 'map') return equalMaps(schema.element, a, b);
  }
  return equalJson(a, b);
}

function isEmpty({ type }: Schema, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (type === 'bytes') return value === '';
  if (type !== 'list' && type !== 'map') return false;
  return Object.keys(value).length === 0;
}

function equalAmounts(a: unknown, b: unknown): boolean {
  return typeof a === 'string' && typeof b === 'string' && Quantity.parse(a).equals(Quantity.parse(b));
}

function equalLists(element: Schema, a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, i) => areEqual(element, item, b[i]));
}

type Members = Readonly<Record<string, unknown>>;

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

function equalField({ name, inline, schema }: FieldSchema, a: Members, b: Members): boolean {
  return inline ? areEqual(schema, a, b) : areEqual(schema, a[name], b[name]);
}

function equalMaps(element: Schema, a: Members, b: Members): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && areEqual(element, a[key], b[key]));
}
