import { EMPTY_SET, entryOf, type FieldEntry, FieldSet, LEAF } from '../field-set/field-set.js';
import type { MergeList, MergeMap, MergeType } from '../field-set/merge-type.js';
import { fieldElement, type PathElement } from '../field-set/path-element.js';
import { itemElements } from './list-items.js';
import { asList, asMap, isEmptyMap, memberType, shapeKind } from './value-shape.js';

/**
 * Every leaf and every list item that a value mentions. List items without a distinct element are skipped: validation
 * has rejected them where they matter.
 *
 * Upstream: TypedValue.ToFieldSet in sigs.k8s.io/structured-merge-diff/v6/typed/tofieldset.go
 */
export function toFieldSet(type: MergeType, value: unknown): FieldSet {
  return entryFor(type, value)?.children ?? EMPTY_SET;
}

function entryFor(type: MergeType, value: unknown): FieldEntry | undefined {
  switch (shapeKind(type, value)) {
    case 'map':
      return mapEntry(type.map as MergeMap, value);
    case 'scalar':
      return LEAF;
    default:
      return listEntry(type.list as MergeList, value);
  }
}

function mapEntry(map: MergeMap, value: unknown): FieldEntry | undefined {
  if (map.atomic) return LEAF;
  const members = asMap(value);
  if (members === undefined) return undefined;
  const entries = new Map<PathElement, FieldEntry>();
  for (const name of Object.keys(members)) {
    const member = members[name];
    const field = map.fields.get(name);
    const type = memberType(map, name);
    const entry = type === undefined ? undefined : entryFor(type, member);
    const isMember = field === undefined || member === null || (entry?.children === undefined && isNoMembers(member));
    const whole = isMember ? entryOf(true, entry?.children) : entry;
    if (whole !== undefined) entries.set(field?.element ?? fieldElement(name), whole);
  }
  return entryOf(false, new FieldSet(entries));
}

function isNoMembers(value: unknown): boolean {
  const map = asMap(value);
  return map !== undefined && isEmptyMap(map);
}

function listEntry(list: MergeList, value: unknown): FieldEntry | undefined {
  if (list.atomic) return LEAF;
  const items = asList(value);
  if (items === undefined) return undefined;
  const entries = new Map<PathElement, FieldEntry>();
  const elements = itemElements(list, items, () => {});
  for (let i = 0; i < elements.length; i++) {
    const element = elements[i];
    if (element === undefined) continue;
    const before = entries.size;
    entries.set(element, LEAF);
    // The set has the element of a duplicate, but nothing inside its copies.
    const children = entries.size === before ? undefined : entryFor(list.element, items[i])?.children;
    if (children !== undefined) entries.set(element, { member: true, children });
  }
  return entryOf(false, new FieldSet(entries));
}
