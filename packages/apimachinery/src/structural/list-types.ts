import { stringifyJson } from '../codec/stringify-json.js';
import { type FieldError, fieldDuplicate, fieldInvalid } from '../field/field-error.js';
import type { FieldPath } from '../field/path.js';
import type { StructuralNode } from './structural-node.js';

/**
 * Duplicates in lists that are sets or maps.
 *
 * Upstream: ValidateListSetsAndMaps of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype
 */
export function validateListTypes(value: unknown, node: StructuralNode | undefined, at: FieldPath): FieldError[] {
  if (node === undefined || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) {
    const own = node.listType === 'set' ? duplicatesOf(value, at, asIs) : keyedErrors(value, node, at);
    return [...own, ...value.flatMap((item, i) => validateListTypes(item, node.items, at.index(i)))];
  }
  const members = value as { readonly [key: string]: unknown };
  return Object.keys(members)
    .sort()
    .flatMap((name) => {
      const field = node.fields.get(name);
      if (field !== undefined) return validateListTypes(members[name], field, at.child(name));
      return node.rest === 'open' ? [] : validateListTypes(members[name], node.rest, at.key(name));
    });
}

const asIs = (item: unknown) => item;

function keyedErrors(items: readonly unknown[], node: StructuralNode, at: FieldPath): FieldError[] {
  if (node.listType !== 'map') return [];
  const odd = items.findIndex((item) => typeof item !== 'object' || item === null || Array.isArray(item));
  if (odd !== -1) {
    return [fieldInvalid(at.index(odd), items[odd], 'must be an object for an array of list-type map')];
  }
  return duplicatesOf(items, at, (item) => keysOf(item as { readonly [key: string]: unknown }, node.listMapKeys));
}

/** The keys that an element has; those it lacks do not count. */
function keysOf(
  item: { readonly [key: string]: unknown },
  names: readonly string[],
): { readonly [key: string]: unknown } {
  return Object.fromEntries(
    names
      .filter((name) => Object.hasOwn(item, name))
      .sort()
      .map((name) => [name, item[name]]),
  );
}

/** One error for each value that stands more than once, at its second place. */
function duplicatesOf(items: readonly unknown[], at: FieldPath, identity: (item: unknown) => unknown): FieldError[] {
  const seen = new Map<string, number>();
  return items.flatMap((item, i) => {
    const shown = identity(item);
    const key = stringifyJson(shown);
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    return times === 2 ? [fieldDuplicate(at.index(i), shown)] : [];
  });
}
