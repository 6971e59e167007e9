import type { Json, JsonObject } from '@apiserver/apimachinery';
import { isMembers } from '@apiserver/apimachinery/json';

/** True for what JSON can express. Values of expressions and decoded objects hold nothing else. */
export function isJson(value: unknown): value is Json {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';
}

/** True for an object of JSON. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isMembers(value);
}
