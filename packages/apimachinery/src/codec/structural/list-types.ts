import { hasFieldErrors } from '../../field/collect-field-errors.js';
import { type FieldError, fieldDuplicate, fieldInvalid } from '../../field/field-error.js';
import type { FieldPath } from '../../field/path.js';
import { stringifyJson } from '../json/stringify-json.js';
import type { StructuralNode } from './structural-node.js';

/**
 * Errors of duplicates in lists that are sets or maps.
 *
 * Upstream: ValidateListSetsAndMaps of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype
 */
export function validateListTypes(value: unknown, node: StructuralNode | undefined, at: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  visit(value, node, at, errors);
  return errors;
}

/**
 * The same for an update: duplicates are allowed if any were stored.
 *
 * Upstream: ValidateUpdate of k8s.io/apiextensions-apiserver/pkg/registry/customresource/strategy.go
 */
export function validateListTypesUpdate(
  value: unknown,
  old: unknown,
  node: StructuralNode | undefined,
  at: FieldPath,
): FieldError[] {
  const hasErrors = (state: unknown) => hasFieldErrors(() => validateListTypes(state, node, at));
  return !hasErrors(value) || hasErrors(old) ? [] : validateListTypes(value, node, at);
}

/** Builds no path for a value without lists: most items of a list are plain. */
function visit(value: unknown, node: StructuralNode | undefined, at: FieldPath, errors: FieldError[]): void {
  if (node === undefined || !isContainer(value)) return;
  if (Array.isArray(value)) visitItems(value, node, at, errors);
  else visitMembers(value as Members, node, at, errors);
}

function visitItems(items: readonly unknown[], node: StructuralNode, at: FieldPath, errors: FieldError[]): void {
  if (node.listType === 'set') addDuplicates(items, at, errors, asIs);
  else if (node.listType === 'map') addKeyedErrors(items, node, at, errors);
  for (let i = 0; i < items.length; i++) if (isContainer(items[i])) visit(items[i], node.items, at.index(i), errors);
}

type Members = { readonly [key: string]: unknown };

function visitMembers(members: Members, node: StructuralNode, at: FieldPath, errors: FieldError[]): void {
  const names = Object.keys(members).filter((name) => isContainer(members[name]));
  for (const name of names.sort()) {
    const field = node.fields.get(name);
    if (field !== undefined) visit(members[name], field, at.child(name), errors);
    else if (node.rest !== 'open') visit(members[name], node.rest, at.key(name), errors);
  }
}

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

const asIs = (item: unknown) => item;

function addKeyedErrors(items: readonly unknown[], node: StructuralNode, at: FieldPath, errors: FieldError[]): void {
  const odd = items.findIndex((item) => item !== null && (!isContainer(item) || Array.isArray(item)));
  if (odd !== -1) {
    errors.push(fieldInvalid(at.index(odd), items[odd], 'must be an object for an array of list-type map'));
    return;
  }
  const names = node.listMapKeys.toSorted();
  addDuplicates(items, at, errors, (item) => keysOf(item as Members | null, names));
}

/** The keys of an element; missing ones do not count. Null has none. `names` are sorted. */
function keysOf(item: Members | null, names: readonly string[]): Members {
  if (item === null) return {};
  return Object.fromEntries(names.filter((name) => Object.hasOwn(item, name)).map((name) => [name, item[name]]));
}

/** One error for each duplicate value, at its second place. */
function addDuplicates(
  items: readonly unknown[],
  at: FieldPath,
  errors: FieldError[],
  identity: (item: unknown) => unknown,
): void {
  const seen = new Map<string, number>();
  for (let i = 0; i < items.length; i++) {
    const shown = identity(items[i]);
    // Nearly all are strings, which need no encoding for the comparison. No JSON begins with an apostrophe.
    const key = typeof shown === 'string' ? `'${shown}` : stringifyJson(shown);
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    if (times === 2) errors.push(fieldDuplicate(at.index(i), shown));
  }
}
