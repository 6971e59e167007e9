import { isMembers } from '@apiserver/apimachinery/json';
import { MadeObject } from '../values/made-object.js';
import { ListValue, MapValue, OptionalValue, type Value } from '../values/value.js';
import { DynList, DynMap } from '../views/dyn-view.js';

/** Maximum number of values in what an expression makes. A request body has at most 100,000. */
const MAX_VALUES = 200_000;
/** Maximum number of characters and bytes in it. */
const MAX_LENGTH = 4 * 1024 * 1024;
/** Maximum nesting. An object has at most 1,000 levels. */
const MAX_LEVELS = 1_000;

/** The values and characters that may still be visited. */
interface Rest {
  values: number;
  length: number;
}

/**
 * Reports whether a value is too large for an object. An expression can put a list into another one twice, again and
 * again: the JSON of such a value has no end.
 */
export function isTooLarge(value: Value): boolean {
  return exceeds(value, { values: MAX_VALUES, length: MAX_LENGTH }, MAX_LEVELS);
}

/** `value`: one of an expression, or JSON. */
function exceeds(value: unknown, rest: Rest, levels: number): boolean {
  if (--rest.values < 0 || levels === 0) return true;
  if (typeof value === 'string' || value instanceof Uint8Array) {
    rest.length -= value.length;
    return rest.length < 0;
  }
  if (typeof value !== 'object' || value === null) return false;
  return membersExceed(value, rest, levels - 1);
}

/** Without a generator: a policy's small objects are looked at for each request. */
function membersExceed(value: object, rest: Rest, levels: number): boolean {
  const exceedsAt = (key: unknown, member: unknown): boolean => {
    if (typeof key === 'string') rest.length -= key.length;
    return exceeds(member, rest, levels);
  };
  if (value instanceof DynList || value instanceof DynMap) return membersExceed(Object(value.json), rest, levels);
  if (value instanceof OptionalValue) return exceeds(value.value, rest, levels);
  if (value instanceof ListValue) {
    for (let at = 0; at < value.size; at++) if (exceeds(value.at(at), rest, levels)) return true;
  } else if (value instanceof MapValue) {
    for (const key of value.keys()) if (exceedsAt(key, value.find(key))) return true;
  } else if (value instanceof MadeObject) {
    for (const [name, member] of value.fields) if (exceedsAt(name, member)) return true;
  } else if (Array.isArray(value)) {
    for (const item of value) if (exceeds(item, rest, levels)) return true;
  } else if (isMembers(value)) {
    for (const key in value) if (exceedsAt(key, value[key])) return true;
  }
  return false;
}
