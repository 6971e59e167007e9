import { DecodeError } from '../../errors/decode-error.js';
import { cloneJson } from '../../json/clone-json.js';
import { setOwn } from '../../json/set-own.js';
import type { StructuralNode } from './structural-node.js';

type Members = { [key: string]: unknown };

/** The room that all defaults of one object may take: as much as a stored object has. */
const MAX_BYTES = 1.5 * 1024 * 1024;
/** The room of a value besides its text: the limit of 100,000 values in a body is that of stored objects, too. */
const VALUE_BYTES = 16;

/** Sizes of defaults that are objects or lists; they belong to schemas and never change. */
const sizes = new WeakMap<object, number>();

/**
 * Copies of defaults for one object. A short list of empty objects may ask for any number of them, so the room that
 * they take is bounded.
 */
class DefaultCopies {
  #left = MAX_BYTES;

  /** A copy of a default. Throws a DecodeError if there is no room left. */
  of<T>(value: T): T {
    this.#left -= sizeOf(value);
    if (this.#left < 0) throw new DecodeError('values', 'the defaults of the object take more than 1.5 MiB');
    return cloneJson(value);
  }
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return VALUE_BYTES + value.length;
  if (typeof value !== 'object' || value === null) return VALUE_BYTES;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  let size = VALUE_BYTES;
  for (const [key, member] of Object.entries(value)) {
    size += sizeOf(member) + (Array.isArray(value) ? 0 : key.length);
  }
  sizes.set(value, size);
  return size;
}

/**
 * Writes a structural schema's defaults where values are absent, or null without being nullable. Mutates. Throws a
 * DecodeError when the defaults of a value take more room than a stored object has.
 *
 * Upstream: Default of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting
 */
export function applyStructuralDefaults(value: unknown, node: StructuralNode | undefined): void {
  defaultValue(value, node, new DefaultCopies());
}

function defaultValue(value: unknown, node: StructuralNode | undefined, copies: DefaultCopies): void {
  if (node === undefined || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) defaultItems(value, node.items, copies);
  else defaultMembers(value as Members, node, copies);
}

function defaultItems(items: unknown[], node: StructuralNode | undefined, copies: DefaultCopies): void {
  if (node === undefined) return;
  for (let i = 0; i < items.length; i++) {
    if (isStrayNull(items[i], node) && node.default !== undefined) items[i] = copies.of(node.default);
    defaultValue(items[i], node, copies);
  }
}

function defaultMembers(object: Members, node: StructuralNode, copies: DefaultCopies): void {
  for (const [name, field] of node.fields) {
    if (field.default === undefined) continue;
    if (!Object.hasOwn(object, name) || isStrayNull(object[name], field)) {
      setOwn(object, name, copies.of(field.default));
    }
  }
  for (const name of Object.keys(object)) {
    const child = node.fields.get(name) ?? node.rest;
    if (child === undefined || child === 'open') continue;
    if (isStrayNull(object[name], child) && child.default !== undefined) setOwn(object, name, copies.of(child.default));
    defaultValue(object[name], child, copies);
  }
}

/**
 * Removes null members that are not nullable. Those with a default stay, and are replaced by it. Mutates.
 *
 * Upstream: PruneNonNullableNullsWithoutDefaults of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting
 */
export function dropStrayNulls(value: unknown, node: StructuralNode | undefined): void {
  if (node === undefined || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) dropStrayNulls(item, node.items);
    return;
  }
  const object = value as Members;
  for (const name of Object.keys(object)) {
    const child = node.fields.get(name) ?? node.rest;
    if (child === undefined || child === 'open') continue;
    if (!isStrayNull(object[name], child)) dropStrayNulls(object[name], child);
    else if (child.default === undefined) delete object[name];
  }
}

function isStrayNull(value: unknown, node: StructuralNode): boolean {
  return value === null && !node.nullable;
}
