import { type Implementations, implement } from '../values/implementation.js';
import { EntryMap, GatheredMap } from '../values/maps.js';
import { EvaluationError, type MapValue, type Result, type Value } from '../values/value.js';
import { valueText } from './strings/value-text.js';

/** The map that entries go into: that which a comprehension gathers, or a copy. */
function targetOf(map: MapValue): EntryMap {
  if (map instanceof GatheredMap && map.open) return map;
  const copy = new EntryMap();
  for (const key of map.keys()) copy.set(key, map.find(key) ?? null);
  return copy;
}

function insert(target: EntryMap, key: Value, value: Value): Result {
  if (target.find(key) !== undefined) {
    return new EvaluationError(`insert failed: key ${valueText(key)} already exists`);
  }
  target.set(key, value);
  return target;
}

function insertAll(target: EntryMap, added: MapValue): Result {
  for (const key of added.keys()) {
    const result = insert(target, key, added.find(key) ?? null);
    if (result instanceof EvaluationError) return result;
  }
  return target;
}

/** Upstream: github.com/google/cel-go/ext/comprehensions.go */
export const COMPREHENSIONS_IMPLEMENTATIONS: Implementations = {
  '@mapInsert_map_key_value': implement(
    ['map', 'any', 'any'],
    (map, key, value) => insert(targetOf(map), key, value),
    undefined,
    30,
  ),
  '@mapInsert_map_map': implement(['map', 'map'], (map, added) => insertAll(targetOf(map), added)),
};
