import { newBadRequest } from '@apiserver/apimachinery/errors';
import { quote, uintProblem } from '@apiserver/apimachinery/text';

/**
 * A boolean parameter: absent is undefined, `0` and `false` in any case are false, everything else is true, the empty
 * value too.
 *
 * Upstream: Convert_Slice_string_To_bool in k8s.io/apimachinery/pkg/runtime/conversion.go
 */
export function booleanValue(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  return value !== '0' && value.toLowerCase() !== 'false';
}

/**
 * An integer parameter, or undefined when absent. Throws a 400 in the words of Go's strconv when it does not parse.
 * Values beyond ±(2^53−1) lose precision, which no parameter here can feel.
 */
export function integerValue(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  const problem = integerProblem(value);
  if (problem !== undefined) throw newBadRequest(`strconv.ParseInt: parsing ${quote(value)}: ${problem}`);
  return Number(value);
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

/** The properties of `values` that are not undefined: how optional parameters become an options object. */
export function present<T extends object>(values: { readonly [K in keyof T]: T[K] | undefined }): T {
  const result: Record<string, unknown> = {};
  for (const key in values) {
    const value = values[key];
    if (value !== undefined) result[key] = value;
  }
  return result as T;
}
