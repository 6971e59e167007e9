import { equalJson } from '../../json/equal-json.js';
import { isMembers } from '../../json/is-members.js';
import type { ValueValidation } from '../../schema/value-validation.js';
import { stringifyJson } from '../json/stringify-json.js';

/**
 * The old value of an update. `schema` is its node in the structural schema, which determines how elements are matched.
 * Rules inside allOf, anyOf, oneOf and not have no effect on that.
 *
 * Upstream: CorrelatedObject of k8s.io/apiserver/pkg/cel/common/equality.go
 */
export interface OldValue {
  readonly value: unknown;
  readonly schema: ValueValidation;
}

/** The old value of a member; undefined for an absent member, or one that is not in the schema. */
export function oldMember(old: OldValue | undefined, name: string): OldValue | undefined {
  if (old === undefined || !isMembers(old.value) || !Object.hasOwn(old.value, name)) return undefined;
  const schema = memberSchema(old.schema, name);
  return schema && { value: old.value[name], schema };
}

function memberSchema({ properties, additionalProperties }: ValueValidation, name: string) {
  return properties?.get(name) ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
}

/** Finds the old element of a list with keys; undefined for any other list. */
export function oldElements(old: OldValue | undefined): ((element: unknown) => OldValue | undefined) | undefined {
  const { listMapKeys, items } = old?.schema ?? {};
  if (listMapKeys === undefined || items === undefined || !Array.isArray(old?.value)) return undefined;
  const byKey = new Map<string, unknown>();
  for (const element of old.value) {
    const key = keyOf(element, listMapKeys);
    if (key !== undefined && !byKey.has(key)) byKey.set(key, element);
  }
  return (element) => {
    const key = keyOf(element, listMapKeys);
    return key !== undefined && byKey.has(key) ? { value: byKey.get(key), schema: items } : undefined;
  };
}

/** Undefined for an element that lacks a key, or has one that is not a scalar. */
function keyOf(element: unknown, names: readonly string[]): string | undefined {
  if (!isMembers(element)) return undefined;
  const keys = names.map((name) => (Object.hasOwn(element, name) ? element[name] : undefined));
  return keys.some((key) => key === undefined || typeof key === 'object') ? undefined : stringifyJson(keys);
}

/**
 * True for an unchanged value. Elements of a list with keys may be in another order. An object with a member that is
 * not in the schema always counts as changed.
 *
 * Upstream: CachedDeepEqual of k8s.io/apiserver/pkg/cel/common/equality.go
 */
export function isUnchanged(value: unknown, old: OldValue): boolean {
  if (Array.isArray(value)) return Array.isArray(old.value) && sameElements(value, old);
  if (!isMembers(value)) return value === old.value;
  if (!isMembers(old.value)) return false;
  const names = Object.keys(value);
  return (
    names.length === Object.keys(old.value).length &&
    names.every((name) => {
      const before = oldMember(old, name);
      return before !== undefined && isUnchanged(value[name], before);
    })
  );
}

function sameElements(value: readonly unknown[], old: OldValue): boolean {
  if (value.length !== (old.value as readonly unknown[]).length) return false;
  const before = oldElements(old);
  if (before === undefined) return equalJson(value, old.value);
  return value.every((element) => {
    const was = before(element);
    return was !== undefined && isUnchanged(element, was);
  });
}
