import { newBadRequest } from '@apiserver/apimachinery/errors';
import { quote, uintProblem } from '@apiserver/apimachinery/text';

/**
 * A boolean parameter; undefined if absent. `0` and `false` in any case are false. All other values are true, including
 * an empty one.
 *
 * Upstream: Convert_Slice_string_To_bool in k8s.io/apimachinery/pkg/runtime/conversion.go
 */
export function booleanValue(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  return value !== '0' && value.toLowerCase() !== 'false';
}

/**
 * An integer parameter; undefined if absent. Throws a 400 with the text of Go's strconv for an invalid one. Values
 * beyond ±(2^53−1) lose precision, which does not matter where nothing keeps them.
 */
export function integerValue(query: URLSearchParams, name: string): number | undefined {
  const value = int64Value(query, name);
  return value === undefined ? undefined : Number(value);
}

/** The same with all digits: integers that a number cannot hold are bigint, as in decoded objects. */
export function int64Value(query: URLSearchParams, name: string): number | bigint | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  const problem = integerProblem(value);
  if (problem !== undefined) throw newBadRequest(`strconv.ParseInt: parsing ${quote(value)}: ${problem}`);
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : BigInt(value.replace(/^\+/, ''));
}

function integerProblem(value: string): string | undefined {
  const problem = uintProblem(value.replace(/^[+-]/, ''));
  if (problem !== undefined) return problem;
  const integer = BigInt(value.startsWith('+') ? value.slice(1) : value);
  return BigInt.asIntN(64, integer) === integer ? undefined : 'value out of range';
}

/** A text parameter, or undefined when absent. */
export function textValue(query: URLSearchParams, name: string): string | undefined {
  return query.get(name) ?? undefined;
}

/** All values of a repeated parameter, or undefined when absent. */
export function listValue(query: URLSearchParams, name: string): readonly string[] | undefined {
  const values = query.getAll(name);
  return values.length === 0 ? undefined : values;
}

/** Removes undefined properties, to build an options object from optional parameters. */
export function present<T extends object>(values: { readonly [K in keyof T]: T[K] | undefined }): T {
  const result: Record<string, unknown> = {};
  for (const key in values) {
    const value = values[key];
    if (value !== undefined) result[key] = value;
  }
  return result as T;
}
