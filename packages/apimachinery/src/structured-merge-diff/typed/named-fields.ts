import { type FieldEntry, FieldSet } from '../field-set/field-set.js';
import type { MergeType } from '../field-set/merge-type.js';
import { fieldNameOf, isKeyElement, type PathElement } from '../field-set/path-element.js';

/**
 * Adds every declared field above a member as a member. Pruning needs it: a struct that was only owned through its
 * fields must be removed with the last of them.
 *
 * Upstream: Set.EnsureNamedFieldsAreMembers in sigs.k8s.io/structured-merge-diff/v6/fieldpath/set.go
 */
export function withNamedFields(set: FieldSet, type: MergeType | undefined): FieldSet {
  let changed: Map<PathElement, FieldEntry> | undefined;
  for (const [element, entry] of set.entries) {
    if (entry.children === undefined) continue;
    const name = fieldNameOf(element);
    const children = withNamedFields(entry.children, typeBelow(type, element, name));
    const member = entry.member || (name !== undefined && type?.map?.fields.has(name) === true);
    if (member === entry.member && children === entry.children) continue;
    changed ??= new Map(set.entries);
    changed.set(element, { member, children });
  }
  return changed === undefined ? set : new FieldSet(changed);
}

function typeBelow(type: MergeType | undefined, element: PathElement, name: string | undefined): MergeType | undefined {
  if (name !== undefined) return type?.map?.fields.get(name)?.type ?? type?.map?.element;
  return isKeyElement(element) ? type?.list?.element : undefined;
}
