import type { Json } from '@apiserver/apimachinery';
import { roundIntegers } from '@apiserver/apimachinery/codec/structural';
import { cloneJson } from '@apiserver/apimachinery/json';

/**
 * A value in the schema of a definition, as upstream reads it: integers beyond 64 bits are doubles. They are when the
 * definition is created, but the digits of a large double are read back as an integer.
 */
export function readNumbers(value: Json): Json {
  const own = typeof value === 'object' && value !== null ? cloneJson(value) : value;
  return roundIntegers(own) as Json;
}
