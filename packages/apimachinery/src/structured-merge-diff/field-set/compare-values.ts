import { compareKeys } from '../../json/compare-keys.js';
import type { Json } from '../../types/json.js';

/**
 * The order of JSON values in field sets: numbers, strings, booleans, lists, maps, null; within a type by value.
 *
 * Upstream: Compare in sigs.k8s.io/structured-merge-diff/v6/value/value.go
 */
export function compareValues(a: Json, b: Json): number {
  const rank = rankOf(a) - rankOf(b);
  if (rank !== 0) return rank;
  if (typeof a === 'string') return compareKeys(a, b as string);
  if (typeof a === 'number' || typeof a === 'bigint') return compareNumbers(a, b as number | bigint);
  if (typeof a === 'boolean') return Number(a) - Number(b);
  if (Array.isArray(a)) return compareLists(a, b as readonly Json[]);
  return a === null ? 0 : compareMaps(a, b as { readonly [key: string]: Json });
}

function rankOf(value: Json): number {
  if (typeof value === 'number' || typeof value === 'bigint') return 0;
  if (typeof value === 'string') return 1;
  if (typeof value === 'boolean') return 2;
  if (Array.isArray(value)) return 3;
  return value === null ? 5 : 4;
}

function compareNumbers(a: number | bigint, b: number | bigint): number {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

function compareLists(a: readonly Json[], b: readonly Json[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareValues(a[i] ?? null, b[i] ?? null);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareMaps(a: { readonly [key: string]: Json }, b: { readonly [key: string]: Json }): number {
  return compareLists(pairs(a), pairs(b));
}

function pairs(map: { readonly [key: string]: Json }): readonly Json[] {
  return Object.keys(map)
    .sort(compareKeys)
    .flatMap((key) => [key, map[key] ?? null]);
}
