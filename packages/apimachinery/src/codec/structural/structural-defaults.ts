import { cloneJson } from '../../json/clone-json.js';
import { setOwn } from '../../json/set-own.js';
import type { StructuralNode } from './structural-node.js';

type Members = { [key: string]: unknown };

/**
 * Writes a structural schema's defaults where values are absent, or null without being nullable. Mutates.
 *
 * Upstream: Default of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting
 */
export function applyStructuralDefaults(value: unknown, node: StructuralNode | undefined): void {
  if (node === undefined || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) defaultItems(value, node.items);
  else defaultMembers(value as Members, node);
}

function defaultItems(items: unknown[], node: StructuralNode | undefined): void {
  if (node === undefined) return;
  for (let i = 0; i < items.length; i++) {
    if (isStrayNull(items[i], node) && node.default !== undefined) items[i] = cloneJson(node.default);
    applyStructuralDefaults(items[i], node);
  }
}

function defaultMembers(object: Members, node: StructuralNode): void {
  for (const [name, field] of node.fields) {
    if (field.default === undefined) continue;
    if (!Object.hasOwn(object, name) || isStrayNull(object[name], field))
      setOwn(object, name, cloneJson(field.default));
  }
  for (const name of Object.keys(object)) {
    const child = node.fields.get(name) ?? node.rest;
    if (child === undefined || child === 'open') continue;
    if (isStrayNull(object[name], child) && child.default !== undefined) setOwn(object, name, cloneJson(child.default));
    applyStructuralDefaults(object[name], child);
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
