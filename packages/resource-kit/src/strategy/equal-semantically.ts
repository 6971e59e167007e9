import { equalJson } from '@apiserver/apimachinery/json';
import type { FieldSchema, Schema } from '@apiserver/apimachinery/schema';
import { Quantity } from '@apiserver/apimachinery/values';

/** Amounts that are compared by value, which takes 2 µs. If more have another notation, the values count as different. */
const MAX_AMOUNTS = 10_000;

/**
 * Deep equality of two canonical values of a schema. An empty list, map or text of bytes equals an absent one, and null.
 * Amounts are compared by value: `1Gi` equals `1073741824`. Members of any JSON must be the same.
 * Upstream: Semantic.DeepEqual in k8s.io/apimachinery/pkg/api/equality/semantic.go
 */
export function equalSemantically(a: unknown, b: unknown, schema: Schema): boolean {
  return equalJson(a, b) || equalBySchema(a, b, schema, { amounts: MAX_AMOUNTS });
}

/** The budget of a comparison. */
interface Left {
  amounts: number;
}

function equalBySchema(a: unknown, b: unknown, schema: Schema, left: Left): boolean {
  if (isEmpty(a, schema) || isEmpty(b, schema)) return isEmpty(a, schema) && isEmpty(b, schema);
  if (schema.type === 'quantity') return a === b || (--left.amounts >= 0 && equalAmounts(a, b));
  if (schema.type === 'list' && Array.isArray(a) && Array.isArray(b)) return equalLists(a, b, schema.element, left);
  if (isMembers(a) && isMembers(b)) {
    if (schema.type === 'struct') return schema.fields.every((field) => equalFields(a, b, field, left));
    if (schema.type === 'map') return equalMaps(a, b, schema.element, left);
  }
  return equalJson(a, b);
}

function isEmpty(value: unknown, { type }: Schema): boolean {
  if (value === undefined || value === null) return true;
  if (type === 'bytes') return value === '';
  if (type === 'list') return Array.isArray(value) && value.length === 0;
  return type === 'map' && isMembers(value) && Object.keys(value).length === 0;
}

function equalAmounts(a: unknown, b: unknown): boolean {
  return typeof a === 'string' && typeof b === 'string' && Quantity.parse(a).equals(Quantity.parse(b));
}

function equalLists(a: readonly unknown[], b: readonly unknown[], element: Schema, left: Left): boolean {
  return a.length === b.length && a.every((item, i) => equalBySchema(item, b[i], element, left));
}

type Members = Readonly<Record<string, unknown>>;

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

function equalFields(a: Members, b: Members, { name, inline, schema }: FieldSchema, left: Left): boolean {
  return inline ? equalBySchema(a, b, schema, left) : equalBySchema(a[name], b[name], schema, left);
}

function equalMaps(a: Members, b: Members, element: Schema, left: Left): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && equalBySchema(a[key], b[key], element, left));
}
