import { isMembers } from '../../json/is-members.js';
import type { MergeMap, MergeType } from '../field-set/merge-type.js';

/** A JSON object that is only read. */
export type Members = { readonly [key: string]: unknown };

/**
 * The shape in which a value of a type is handled: its own if the type has it, else the type's first. Null and absent
 * have no shape.
 *
 * Upstream: deduceAtom and handleAtom in sigs.k8s.io/structured-merge-diff/v6/typed/helpers.go
 */
export function shapeKind(type: MergeType, value: unknown): 'map' | 'scalar' | 'list' {
  if (value !== null && value !== undefined) {
    if (typeof value !== 'object') {
      if (type.scalar !== undefined) return 'scalar';
    } else if (Array.isArray(value)) {
      if (type.list !== undefined) return 'list';
    } else if (type.map !== undefined) return 'map';
  }
  if (type.map !== undefined) return 'map';
  return type.scalar === undefined ? 'list' : 'scalar';
}

/** The value as a map; undefined for everything else. */
export function asMap(value: unknown): Members | undefined {
  return isMembers(value) ? value : undefined;
}

/** The value as a list; undefined for everything else. */
export function asList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** Reports whether a map is empty or absent. */
export function isEmptyMap(map: Members | undefined): boolean {
  for (const _key in map) return false;
  return true;
}

/** The type of a map's member; undefined if it is not allowed. */
export function memberType(map: MergeMap, name: string): MergeType | undefined {
  return map.fields.get(name)?.type ?? map.element;
}

/** Reports whether a map has scalars under any key, and nothing else. */
export function isScalarMap({ fields, element }: MergeMap): boolean {
  return fields.size === 0 && element?.scalar !== undefined && element.map === undefined && element.list === undefined;
}
