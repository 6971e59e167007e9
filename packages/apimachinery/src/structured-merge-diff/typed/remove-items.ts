import { setOwn } from '../../json/set-own.js';
import { EMPTY_SET, type FieldSet } from '../field-set/field-set.js';
import type { MergeList, MergeMap, MergeType } from '../field-set/merge-type.js';
import { fieldElement } from '../field-set/path-element.js';
import { itemElements } from './list-items.js';
import { asList, asMap, memberType, shapeKind } from './value-shape.js';

/**
 * The value without the fields and items that are members of the set. Values that become empty are null. The argument
 * is not changed; the result shares parts of it.
 *
 * Upstream: TypedValue.RemoveItems in sigs.k8s.io/structured-merge-diff/v6/typed/remove.go
 */
export function removeItems(type: MergeType, value: unknown, items: FieldSet): unknown {
  if (items.empty) return value;
  switch (shapeKind(type, value)) {
    case 'map':
      return removeFromMap(type.map as MergeMap, value, items);
    case 'scalar':
      return value;
    default:
      return removeFromList(type.list as MergeList, value, items);
  }
}

/**
 * The value with only the fields and items that are members of the set, and their ancestors.
 *
 * Upstream: TypedValue.ExtractItems in sigs.k8s.io/structured-merge-diff/v6/typed/remove.go
 */
export function extractItems(type: MergeType, value: unknown, items: FieldSet): unknown {
  switch (shapeKind(type, value)) {
    case 'map':
      return extractFromMap(type.map as MergeMap, value, items);
    case 'scalar':
      return value;
    default:
      return extractFromList(type.list as MergeList, value, items);
  }
}

function removeFromMap(map: MergeMap, value: unknown, items: FieldSet): unknown {
  const members = asMap(value);
  if (members === undefined || map.atomic) return null;
  const out: { [key: string]: unknown } = {};
  let kept = false;
  for (const name of Object.keys(members)) {
    const entry = items.entries.get(fieldElement(name));
    if (entry?.member) continue;
    const type = memberType(map, name);
    const below = entry?.children;
    const rest = below === undefined || type === undefined ? members[name] : removeItems(type, members[name], below);
    setOwn(out, name, rest);
    kept = true;
  }
  return kept ? out : null;
}

function removeFromList(list: MergeList, value: unknown, items: FieldSet): unknown {
  const source = asList(value);
  if (source === undefined || list.atomic) return null;
  const out: unknown[] = [];
  for (const [i, element] of itemElements(list, source, () => {}).entries()) {
    const entry = element === undefined ? undefined : items.entries.get(element);
    if (entry?.member) continue;
    const below = entry?.children;
    out.push(below === undefined ? source[i] : removeItems(list.element, source[i], below));
  }
  return out.length > 0 ? out : null;
}

function extractFromMap(map: MergeMap, value: unknown, items: FieldSet): unknown {
  const members = asMap(value);
  if (members === undefined || Object.keys(members).length === 0) return null;
  if (map.atomic) return value;
  const out: { [key: string]: unknown } = {};
  let kept = false;
  for (const name of Object.keys(members)) {
    const entry = items.entries.get(fieldElement(name));
    const type = memberType(map, name);
    if (entry === undefined || type === undefined) continue;
    // Below a member upstream uses the set of the level above, which usually leaves nothing of a map.
    setOwn(out, name, extractItems(type, members[name], entry.member ? items : (entry.children ?? EMPTY_SET)));
    kept = true;
  }
  return kept ? out : null;
}

function extractFromList(list: MergeList, value: unknown, items: FieldSet): unknown {
  const source = asList(value);
  if (source === undefined || source.length === 0) return null;
  if (list.atomic) return value;
  const out: unknown[] = [];
  for (const [i, element] of itemElements(list, source, () => {}).entries()) {
    const entry = element === undefined ? undefined : items.entries.get(element);
    if (entry === undefined) continue;
    const below = entry.children;
    out.push(below === undefined ? source[i] : extractItems(list.element, source[i], below));
  }
  return out.length > 0 ? out : null;
}
