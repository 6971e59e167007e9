import { FieldPath } from '../../../field/path.js';
import type { Members } from '../../../json/is-members.js';
import type { StructuralNode } from '../structural-node.js';

/** A resource inside a custom resource. */
export interface InnerResource {
  readonly resource: Members;
  readonly path: FieldPath;
}

interface Place {
  readonly value: object;
  readonly node: StructuralNode;
  readonly path: FieldPath;
}

/**
 * The values of a schema's embedded resources, in document order, and each before those inside it. The caller may change
 * one when it comes: its members are read later.
 */
export function* walkResources(
  value: unknown,
  node: StructuralNode | undefined,
  at: FieldPath = FieldPath.none,
): Generator<InnerResource, void> {
  const open: Place[] = [];
  push(open, value, node, at);
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (Array.isArray(place.value)) pushItems(open, place.value, place);
    else {
      const resource = place.value as Members;
      if (place.node.embeddedResource) yield { resource, path: place.path };
      pushMembers(open, resource, place);
    }
  }
}

function push(open: Place[], value: unknown, node: StructuralNode | undefined, path: FieldPath): void {
  if (node !== undefined && typeof value === 'object' && value !== null) open.push({ value, node, path });
}

// The last value of the stack comes first.

function pushItems(open: Place[], items: readonly unknown[], { node, path }: Place): void {
  for (let i = items.length - 1; i >= 0; i--) push(open, items[i], node.items, path.index(i));
}

function pushMembers(open: Place[], members: Members, { node, path }: Place): void {
  for (const name of Object.keys(members).reverse()) {
    const field = node.fields.get(name);
    if (field !== undefined) push(open, members[name], field, path.child(name));
    else if (node.rest !== 'open') push(open, members[name], node.rest, path.key(name));
  }
}
