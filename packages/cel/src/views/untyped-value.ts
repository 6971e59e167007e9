import { OptionalValue, TypeValue, type Value } from '../values/value.js';
import { DynList, DynMap } from './dyn-view.js';
import { JsonList } from './json-list.js';
import { JsonEntries, JsonObject } from './json-object.js';

/**
 * The value inside an optional, as upstream sees it after it has read the optional from a variable: what is by a schema is without
 * one then, a type is its name, and an optional is what it holds.
 *
 * Upstream: applyQualifiers in github.com/google/cel-go/interpreter/attributes.go
 */
export function untypedValue(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof JsonObject || value instanceof JsonEntries) return new DynMap(value.json, value.context);
  if (value instanceof JsonList) return new DynList(value.elements, value.context);
  if (value instanceof OptionalValue) return value.value === undefined ? null : untypedValue(value.value);
  return value instanceof TypeValue ? value.type.name : value;
}
