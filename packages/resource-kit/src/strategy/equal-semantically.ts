import { equalJson, getOwn, setOwn } from '@apiserver/apimachinery/json';
import type { FieldSchema, Schema } from '@apiserver/apimachinery/schema';
import { Quantity } from '@apiserver/apimachinery/values';

/**
 * Deep equality of two parts of an object, where an empty list equals an absent one. Some fields of an object that a
 * client has sent keep their empty lists, which no stored object has. Not for members of any JSON, where they differ.
 * With the schema of both, amounts are compared by value: `1Gi` equals `1073741824`.
 * Upstream: Semantic.DeepEqual in k8s.io/apimachinery/pkg/api/equality/semantic.go
 */
export function equalSemantically(a: unknown, b: unknown, schema?: Schema): boolean {
  if (equalJson(a, b)) return true;
  if (schema !== undefined) return equalBySchema(a, b, schema);
  return equalJson(withoutEmptyLists(a), withoutEmptyLists(b));
}

function withoutEmptyLists(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutEmptyLists);
  const rest: { [key: string]: unknown } = {};
  for (const [key, member] of Object.entries(value)) {
    if (!Array.isArray(member) || member.length > 0) setOwn(rest, key, withoutEmptyLists(member));
  }
  return rest;
}

type Members = Readonly<Record<string, unknown>>;

function equalBySchema(a: unknown, b: unknown, schema: Schema): boolean {
  switch (schema.type) {
    case 'quantity':
      return typeof a === 'string' && typeof b === 'string' && Quantity.parse(a).equals(Quantity.parse(b));
    case 'list':
      return equalLists(itemsOf(a), itemsOf(b), schema.element);
    case 'map':
      return equalMaps(isMembers(a) ? a : {}, isMembers(b) ? b : {}, schema.element);
    case 'struct':
      if (!isMembers(a) || !isMembers(b)) return equalJson(a, b);
      return schema.fields.every((field) => equalFields(a, b, field));
    default:
      return equalJson(a, b);
  }
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An absent list has none. */
function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function equalFields(a: Members, b: Members, { name, inline, schema }: FieldSchema): boolean {
  if (inline) return equalBySchema(a, b, schema);
  return equalJson(a[name], b[name]) || equalBySchema(a[name], b[name], schema);
}

function equalLists(a: readonly unknown[], b: readonly unknown[], element: Schema): boolean {
  return a.length === b.length && a.every((value, i) => equalBySchema(value, b[i], element));
}

function equalMaps(a: Members, b: Members, element: Schema): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && equalBySchema(a[key], getOwn(b, key), element));
}
