import type { JsonObject } from '@apiserver/apimachinery';
import { isMembers } from '@apiserver/apimachinery/json';
import { parseTime } from '@apiserver/apimachinery/values';
import { metadataOf } from './merge-failures.js';

const TEXTS = ['manager', 'operation', 'apiVersion', 'fieldsType', 'subresource'] as const;

/**
 * Reports whether a configuration states managed fields, which it must not. A list with an entry that cannot be read
 * counts as none; its faults are found later.
 * Upstream: GetManagedFields in k8s.io/apimachinery/pkg/apis/meta/v1/unstructured/unstructured.go
 */
export function statesManagedFields(applied: JsonObject): boolean {
  const entries: unknown = metadataOf(applied)['managedFields'];
  return Array.isArray(entries) && entries.every(isReadable);
}

function isReadable(entry: unknown): boolean {
  return isMembers(entry) && TEXTS.every((name) => isTextOrNull(entry[name])) && isTimeOrNull(entry['time']);
}

function isTextOrNull(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'string';
}

function isTimeOrNull(value: unknown): boolean {
  if (typeof value !== 'string') return value === undefined || value === null;
  try {
    parseTime(value);
    return true;
  } catch {
    return false;
  }
}
