import { MadeObject } from '../values/made-object.js';
import { ListValue, MapValue, OptionalValue, type Result } from '../values/value.js';
import { dynView } from '../views/dyn-view.js';
import { PreservedValue } from '../views/preserved-value.js';

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
  return totalOf(value, false);
}

/** The work of the same pass. Short texts count too, and so does what is in optional, preserved and made values. */
export function treeWork(value: Result): number {
  return totalOf(value, true);
}

/** A pass. */
interface Pass {
  /** Values that it may still visit. */
  left: number;
  readonly isWork: boolean;
}

function totalOf(value: Result, isWork: boolean): number {
  if (typeof value === 'string') return leafCost(value, isWork);
  const pass = { left: MAX_VISITS, isWork };
  const total = visit(value, pass);
  return pass.left < 0 ? BEYOND_LIMITS : total;
}

function visit(value: Result, pass: Pass): number {
  if (--pass.left < 0) return 0;
  if (value instanceof ListValue) return visitList(value, pass);
  if (value instanceof MapValue) return visitMap(value, pass);
  return pass.isWork ? visitHidden(value, pass) : leafCost(value, false);
}

/** Visits a value whose parts have no cost. */
function visitHidden(value: Result, pass: Pass): number {
  if (value instanceof OptionalValue) return 1 + visit(value.value ?? null, pass);
  if (value instanceof PreservedValue) return visit(dynView(value.json), pass);
  return value instanceof MadeObject ? visitFields(value, pass) : leafCost(value, true);
}

function leafCost(leaf: Result, isWork: boolean): number {
  const own = isWork ? 1 : 0;
  if (typeof leaf === 'string') return own + Math.floor(Buffer.byteLength(leaf) * 0.1);
  return own + (leaf instanceof Uint8Array ? Math.floor(leaf.length * 0.1) : 1);
}

function visitList(list: ListValue, pass: Pass): number {
  let total = pass.isWork ? 1 : 0;
  for (let index = 0; index < list.size && pass.left >= 0; index++) total += visit(list.at(index), pass);
  return total;
}

function visitMap(map: MapValue, pass: Pass): number {
  let total = pass.isWork ? 1 : 0;
  for (const key of map.keys()) {
    if (pass.left < 0) break;
    total += visit(key, pass) + visit(map.find(key) ?? null, pass);
  }
  return total;
}

function visitFields(object: MadeObject, pass: Pass): number {
  let total = 1;
  for (const value of object.fields.values()) total += visit(value, pass);
  return total;
}
