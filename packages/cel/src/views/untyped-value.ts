import { InvalidValue } from '../values/invalid-value.js';
import { MadeObject } from '../values/made-object.js';
import { OpaqueValue, OptionalValue, TypeValue, type Value } from '../values/value.js';
import { DynList, DynMap } from './dyn-view.js';
import { JsonList } from './json-list.js';
import { JsonEntries, JsonObject } from './json-object.js';

/**
 * The value inside an optional, as upstream sees it after it has read the optional from a variable. A value by a schema
 * has none then, and a type is its name. An optional is its own value. A value whose Go type is no type of expressions
 * is an error.
 *
 * Upstream: applyQualifiers in github.com/google/cel-go/interpreter/attributes.go
 */
export function untypedValue(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof JsonObject || value instanceof JsonEntries) return new DynMap(value.json, value.context);
  if (value instanceof JsonList) return new DynList(value.elements, value.context);
  if (value instanceof OptionalValue) return value.value === undefined ? null : untypedValue(value.value);
  if (value instanceof MadeObject) return value.unwrapped;
  if (value instanceof TypeValue) return value.type.name;
  const error = value instanceof OpaqueValue ? value.unwrapError : undefined;
  return error === undefined ? value : new InvalidValue(error);
}
