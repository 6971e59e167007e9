import { isMembers } from '../json/is-members.js';
import { setOwn } from '../json/set-own.js';
import type { Json } from '../types/json.js';

/**
 * A value without the objects that carry `$patch`; undefined when it is one itself. Changes the value.
 *
 * Upstream: removeDirectives in k8s.io/apimachinery/pkg/util/strategicpatch/patch.go
 */
export function withoutDirectives(value: Json): Json | undefined {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isMembers(value)) return value;
  if (Object.hasOwn(value, '$patch')) return undefined;
  for (const key of Object.keys(value)) {
    const kept = withoutDirectives(value[key] ?? null);
    if (kept === undefined) delete value[key];
    else setOwn(value, key, kept);
  }
  return value;
}

/**
 * Drops nulls in objects, also in those that carry `$patch`.
 *
 * Upstream: discardNullValuesFromPatch in k8s.io/apimachinery/pkg/util/strategicpatch/patch.go
 */
export function dropNulls(value: Json): void {
  if (Array.isArray(value)) {
    for (const item of value) dropNulls(item);
    return;
  }
  if (!isMembers(value)) return;
  for (const key of Object.keys(value)) {
    const member = value[key] ?? null;
    if (member === null) delete value[key];
    else dropNulls(member);
  }
}
