import type { Json, KubeObject } from '@apiserver/apimachinery';
import type { KindCodec } from '@apiserver/apimachinery/codec';
import { newBadRequest } from '@apiserver/apimachinery/errors';
import type { FieldSchema, Schema } from '@apiserver/apimachinery/schema';
import { isParseError, quote } from '@apiserver/apimachinery/text';
import { parseTime } from '@apiserver/apimachinery/values';
import { booleanValue, int64Value } from './query-values.js';

/** Upstream: "null" comes from clients that wrote their parameters as JSON. */
const NO_TIME = ['', 'null'];

/**
 * Decodes the options of a connection or stream from a query. `fixed` are options from elsewhere. Throws a 400 for an
 * invalid value; unknown parameters are ignored.
 *
 * Upstream: getRequestOptions in k8s.io/apiserver/pkg/endpoints/handlers/rest.go, and the url.Values conversions
 */
export function decodeOptions(
  codec: KindCodec,
  query: URLSearchParams,
  fixed: Readonly<Record<string, string>> = {},
): KubeObject {
  const { gvk, schema } = codec.schema;
  const options: Record<string, Json> = {
    apiVersion: gvk.group === '' ? gvk.version : `${gvk.group}/${gvk.version}`,
    kind: gvk.kind,
  };
  for (const field of schema.fields) {
    const value = fixed[field.name] ?? (query.has(field.name) ? fieldValue(field, query) : undefined);
    if (value !== undefined) options[field.name] = value;
  }
  return codec.fromJson(options, 'Ignore').object;
}

function fieldValue({ name, schema }: FieldSchema, query: URLSearchParams): Json | undefined {
  switch (schema.type) {
    case 'bool':
      return booleanValue(query, name);
    case 'int32':
    case 'int64':
      return int64Value(query, name);
    case 'time':
      return timeValue(query.get(name) ?? '');
    case 'list':
      return listOf(schema.element, query.getAll(name));
    case 'string':
      return query.get(name) ?? undefined;
    default:
      return undefined;
  }
}

function listOf(element: Schema, values: readonly string[]): Json[] {
  if (element.type === 'string') return [...values];
  return values.flatMap((value) => value.split(',')).map(portNumber);
}

/** Upstream: Convert_Slice_string_To_Slice_int32 in k8s.io/apimachinery/pkg/apis/meta/v1/conversion.go */
function portNumber(text: string): number {
  const problem = !/^[0-9]+$/.test(text) ? 'invalid syntax' : Number(text) > 0xffff ? 'value out of range' : undefined;
  if (problem === undefined) return Number(text);
  throw newBadRequest(`cannot convert to []int32: strconv.ParseUint: parsing ${quote(text)}: ${problem}`);
}

function timeValue(text: string): string | undefined {
  if (NO_TIME.includes(text)) return undefined;
  try {
    return parseTime(text) ?? undefined;
  } catch (error) {
    throw isParseError(error) ? newBadRequest(error.message) : error;
  }
}
