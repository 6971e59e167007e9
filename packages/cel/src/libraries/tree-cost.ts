import { ListValue, MapValue, type Result } from '../values/value.js';

/**
 * The cost of a pass over a value and all that it holds. Texts and bytes cost their length, others 1.
 *
 * Upstream: traversalCost in k8s.io/apiserver/pkg/cel/library/cost.go
 */
export function treeCost(value: Result): number {
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) * 0.1);
  if (value instanceof Uint8Array) return Math.floor(value.length * 0.1);
  if (value instanceof ListValue) return listCost(value);
  return value instanceof MapValue ? mapCost(value) : 1;
}

function listCost(list: ListValue): number {
  let cost = 0;
  for (let index = 0; index < list.size; index++) cost += treeCost(list.at(index));
  return cost;
}

function mapCost(map: MapValue): number {
  let cost = 0;
  for (const key of map.keys()) cost += treeCost(key) + treeCost(map.find(key) ?? null);
  return cost;
}

/** The work of the same pass: short texts count too. */
export function treeWork(value: Result): number {
  if (value instanceof ListValue) {
    let work = 1;
    for (let index = 0; index < value.size; index++) work += treeWork(value.at(index));
    return work;
  }
  if (!(value instanceof MapValue)) return 1 + treeCost(value);
  let work = 1;
  for (const key of value.keys()) work += treeWork(key) + treeWork(value.find(key) ?? null);
  return work;
}
