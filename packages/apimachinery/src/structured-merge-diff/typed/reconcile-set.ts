import { type FieldEntry, FieldSet, LEAF } from '../field-set/field-set.js';
import { DEDUCED, type MergeType } from '../field-set/merge-type.js';
import { fieldNameOf, type PathElement } from '../field-set/path-element.js';

/**
 * A manager's set after the type has changed since the set was written: what became atomic is owned as a whole, and not
 * by its parts. What became granular counts as if it had always been so; fields that are not declared any more stay.
 * Answers the very set when there is nothing to change.
 *
 * Upstream: ReconcileFieldSetWithSchema in sigs.k8s.io/structured-merge-diff/v6/typed/reconcile_schema.go
 */
export function reconcileSet(set: FieldSet, type: MergeType): FieldSet {
  if (set.fits === type) return set;
  const reconciled = isDeducedMap(type) ? set : reconcileBelow(set, type);
  // Steady writers have their sets looked at once.
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

/** A map of which nothing is declared: there is no telling what has changed. */
function isDeducedMap({ map }: MergeType): boolean {
  return map !== undefined && map.element === DEDUCED && map.fields.size === 0;
}
