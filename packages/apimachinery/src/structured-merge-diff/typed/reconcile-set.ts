import { type FieldEntry, FieldSet, LEAF } from '../field-set/field-set.js';
import { DEDUCED, type MergeType } from '../field-set/merge-type.js';
import { fieldNameOf, type PathElement } from '../field-set/path-element.js';

/**
 * Adapts a manager's set to a type that has changed since the set was written: types that became atomic are owned as a
 * whole instead of in parts. Types that became granular count as always granular; fields that are no longer declared
 * stay. Returns the same set if nothing changes.
 *
 * Upstream: ReconcileFieldSetWithSchema in sigs.k8s.io/structured-merge-diff/v6/typed/reconcile_schema.go
 */
export function reconcileSet(set: FieldSet, type: MergeType): FieldSet {
  if (set.fits === type) return set;
  const reconciled = isDeducedMap(type) ? set : reconcileBelow(set, type);
  // The sets of regular writers are then only checked once.
  reconciled.fits = type;
  return reconciled;
}

function reconcileBelow(set: FieldSet, type: MergeType): FieldSet {
  let changed: Map<PathElement, FieldEntry> | undefined;
  for (const [element, entry] of set.entries) {
    if (entry.children === undefined) continue;
    const below = typeBelow(type, element);
    const reconciled = below === undefined ? entry : reconcileEntry(entry, entry.children, below);
    if (reconciled === entry) continue;
    changed ??= new Map(set.entries);
    changed.set(element, reconciled);
  }
  return changed === undefined ? set : new FieldSet(changed);
}

function reconcileEntry(entry: FieldEntry, below: FieldSet, type: MergeType): FieldEntry {
  if (isDeducedMap(type) || (type.map === undefined && type.scalar !== undefined)) return entry;
  if (type.map?.atomic ?? type.list?.atomic) return LEAF;
  const children = reconcileBelow(below, type);
  return children === below ? entry : { member: entry.member, children };
}

function typeBelow({ map, list }: MergeType, element: PathElement): MergeType | undefined {
  if (map === undefined) return list?.element;
  const name = fieldNameOf(element);
  return (name === undefined ? undefined : map.fields.get(name)?.type) ?? map.element;
}

/** True for a map without declarations: changes cannot be detected. */
function isDeducedMap({ map }: MergeType): boolean {
  return map !== undefined && map.element === DEDUCED && map.fields.size === 0;
}
