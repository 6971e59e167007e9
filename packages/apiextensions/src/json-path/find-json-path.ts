import type { Slice, Step } from './json-path.js';
import { passes } from './json-path-filter.js';

/**
 * The values that a path leads to, in order; none where something on the way is missing.
 *
 * Upstream: FindResults of k8s.io/client-go/util/jsonpath, with AllowMissingKeys
 */
export function findJsonPath(root: unknown, steps: readonly Step[]): readonly unknown[] {
  return steps.reduce<readonly unknown[]>((values, step) => values.flatMap((value) => follow(value, step)), [root]);
}

function follow(value: unknown, step: Step): readonly unknown[] {
  switch (step.type) {
    case 'field':
      return member(value, step.name);
    case 'union':
      return step.names.flatMap((name) => member(value, name));
    case 'wildcard':
      return childrenOf(value);
    case 'recursive':
      return [value, ...childrenOf(value).flatMap((child) => (isContainer(child) ? follow(child, step) : []))];
    case 'index':
      return Array.isArray(value) ? step.indexes.flatMap((slice) => elements(value, slice)) : [];
    case 'filter':
      return Array.isArray(value)
        ? value.filter((item) => passes(step.filter, (path) => findJsonPath(item, path)))
        : [];
  }
}

function member(value: unknown, name: string): readonly unknown[] {
  if (!isContainer(value) || Array.isArray(value) || !Object.hasOwn(value, name)) return [];
  return [(value as { readonly [key: string]: unknown })[name]];
}

function childrenOf(value: unknown): readonly unknown[] {
  return isContainer(value) ? Object.values(value) : [];
}

function elements(list: readonly unknown[], { start, end, step, single }: Slice): readonly unknown[] {
  const place = (index: number) => (index < 0 ? index + list.length : index);
  const from = place(start ?? 0);
  if (single) return from >= 0 && from < list.length ? [list[from]] : [];
  const to = Math.min(place(end ?? list.length), list.length);
  const found: unknown[] = [];
  for (let i = Math.max(from, 0); i < to; i += Math.max(step, 1)) found.push(list[i]);
  return found;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
