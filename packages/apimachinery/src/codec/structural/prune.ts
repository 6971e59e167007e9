import { MAX_ERROR_TEXT, MAX_ERRORS } from '../../field/capped-errors.js';
import { isResourceField, type StructuralNode } from './structural-node.js';

type Members = { [key: string]: unknown };

/**
 * Removes members of a custom resource that are not in its schema. Mutates. Returns their paths (`spec.items[0].no`),
 * sorted.
 *
 * Upstream: PruneWithOptions of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning
 */
export function prune(object: Members, root: StructuralNode): readonly string[] {
  const unknown: UnknownPaths = { paths: [], size: 0 };
  pruneValue(object, root, '', unknown);
  return unknown.paths.sort();
}

/** Paths of removed members, as many as a response reports: each may repeat a key of a megabyte. */
interface UnknownPaths {
  readonly paths: string[];
  /** UTF-16 units. */
  size: number;
}

function note(unknown: UnknownPaths, path: string): void {
  if (unknown.paths.length >= MAX_ERRORS || unknown.size >= MAX_ERROR_TEXT) return;
  unknown.size += path.length;
  unknown.paths.push(path);
}

function pruneValue(value: unknown, node: StructuralNode | undefined, path: string, unknown: UnknownPaths): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    const keep = node?.preserveUnknownFields === true;
    if (keep && node?.items === undefined) return;
    const items = keep && node?.items !== undefined ? { ...node.items, preserveUnknownFields: true } : node?.items;
    for (const [i, item] of value.entries()) pruneValue(item, items, `${path}[${i}]`, unknown);
    return;
  }
  pruneMembers(value as Members, node, path, unknown);
}

function pruneMembers(object: Members, node: StructuralNode | undefined, path: string, unknown: UnknownPaths): void {
  for (const name of Object.keys(object)) {
    if (node?.embeddedResource === true && isResourceField(name)) continue;
    const place = path === '' ? name : `${path}.${name}`;
    const child = node?.fields.get(name) ?? node?.rest;
    if (child !== undefined) pruneValue(object[name], child === 'open' ? undefined : child, place, unknown);
    else if (node?.preserveUnknownFields !== true) {
      note(unknown, place);
      delete object[name];
    }
  }
}
