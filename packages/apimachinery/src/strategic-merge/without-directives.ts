import { isMembers } from '../json/is-members.js';
import { setOwn } from '../json/set-own.js';
import type { Json } from '../types/json.js';

/**
 * A value without the objects that carry `$patch`; undefined when it is one itself. Nulls in its objects are dropped
 * too, unless `nulls` keeps them. Changes the value.
 *
 * Upstream: removeDirectives and discardNullValuesFromPatch in k8s.io/apimachinery/pkg/util/strategicpatch/patch.go
 */
export function withoutDirectives(value: Json, keep: { readonly nulls: boolean }): Json | undefined {
  if (Array.isArray(value)) {
    return value.map((item) => withoutDirectives(item, keep)).filter((item) => item !== undefined);
  }
  if (!isMembers(value)) return value;
  if (Object.hasOwn(value, '$patch') && (value['$patch'] !== null || keep.nulls)) return undefined;
  for (const key of Object.keys(value)) {
    const member = value[key] ?? null;
    const kept = member === null ? (keep.nulls ? null : undefined) : withoutDirectives(member, keep);
    if (kept === undefined) delete value[key];
    else setOwn(value, key, kept);
  }
  return value;
}
