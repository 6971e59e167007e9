import { ListValue, MapValue, type Result, type Value } from '../values/value.js';

/**
 * Values that one pass visits at most. An expression can put a list into another one twice, again and again: then the
 * pass would take for ever.
 */
const MAX_VISITS = 1_000_000;

/** Cost and work of a pass that would visit more: more than any evaluation has. */
const BEYOND_LIMITS = 100_000_000;

/**
 * The cost of a pass over a value and all that it holds. Texts and bytes cost their length, others 1.
 *
 * Upstream: traversalCost in k8s.io/apiserver/pkg/cel/library/cost.go
 */
export function treeCost(value: Result): number {
  return totalOf(value, { left: MAX_VISITS, costOf, ownCost: 0 });
}

/** The work of the same pass: short texts, lists and maps count too. */
export function treeWork(value: Result): number {
  return totalOf(value, { left: MAX_VISITS, costOf: (leaf) => 1 + costOf(leaf), ownCost: 1 });
}

/** A pass. */
interface Pass {
  /** Values that it may still visit. */
  left: number;
  costOf(leaf: Result): number;
  /** Of a list or map by itself. */
  readonly ownCost: number;
}

function costOf(leaf: Result): number {
  if (typeof leaf === 'string') return Math.floor(Buffer.byteLength(leaf) * 0.1);
  return leaf instanceof Uint8Array ? Math.floor(leaf.length * 0.1) : 1;
}

function totalOf(value: Result, pass: Pass): number {
  const total = visit(value, pass);
  return pass.left < 0 ? BEYOND_LIMITS : total;
}

function visit(value: Result, pass: Pass): number {
  if (--pass.left < 0) return 0;
  if (value instanceof ListValue) return visitList(value, pass);
  return value instanceof MapValue ? visitMap(value, pass) : pass.costOf(value);
}

function visitList(list: ListValue, pass: Pass): number {
  let total = pass.ownCost;
  for (let index = 0; index < list.size && pass.left >= 0; index++) total += visit(list.at(index), pass);
  return total;
}

function visitMap(map: MapValue, pass: Pass): number {
  let total = pass.ownCost;
  for (const key of map.keys()) {
    if (pass.left < 0) break;
    total += visit(key, pass) + visit(memberOf(map, key), pass);
  }
  return total;
}

function memberOf(map: MapValue, key: Value): Value {
  return map.find(key) ?? null;
}
