import { setOwn } from '../json/set-own.js';
import { goNameOf } from '../schema/builders.js';
import type { ScalarSchema, Schema, StructSchema } from '../schema/schema.js';
import { goTypeName } from '../strategic-merge/go-value.js';
import { base64Fault } from './base64.js';
import { DecodeError } from './decode-error.js';
import { decodeOwnValue } from './exact-decoder.js';
import { flatFields } from './flat-fields.js';
import { stringifyJson } from './stringify-json.js';

type Members = { readonly [key: string]: unknown };

/**
 * Fits a plain JSON value to a struct in the way strategic merge patches are read, which is not the way of JSON text:
 * other texts for wrong types, integers that wrap around, whole floats taken as integers, unknown fields sorted.
 * The result is a new value with every type right; nulls, zero values and order are the canonicalizer's to settle.
 * Throws DecodeError.
 *
 * Upstream: k8s.io/apimachinery/pkg/runtime/converter.go
 */
export function fitUnstructured(
  schema: StructSchema,
  value: unknown,
): { readonly value: unknown; readonly strictErrors: readonly string[] } {
  const unknown: string[] = [];
  const fitted = fit(schema, value, { path: '', unknown });
  return { value: fitted ?? {}, strictErrors: unknown.sort() };
}

interface Place {
  readonly path: string;
  readonly unknown: string[];
}

function refuse(message: string): never {
  throw new DecodeError('type', message);
}

function fit(schema: Schema, value: unknown, place: Place): unknown {
  if (value === null || value === undefined) return null;
  switch (schema.type) {
    case 'struct':
      return fitStruct(schema, value, place);
    case 'map': {
      if (!isObject(value)) return refuse(`cannot restore map from ${goKind(value)}`);
      const out: { [key: string]: unknown } = {};
      for (const key of Object.keys(value)) setOwn(out, key, fit(schema.element, value[key], below(place, key)));
      return out;
    }
    case 'list':
      if (!Array.isArray(value)) return refuse(`cannot restore slice from ${goKind(value)}`);
      return value.map((item, i) => fit(schema.element, item, { ...place, path: `${place.path}[${i}]` }));
    case 'bytes':
      return fitBytes(value);
    case 'any':
      return value;
    case 'string':
    case 'bool':
    case 'int32':
    case 'int64':
    case 'float64':
      return fitScalar(schema, value);
    default:
      return decodeOwnValue(schema, Buffer.from(stringifyJson(value), 'utf8'));
  }
}

function below(place: Place, key: string): Place {
  return { ...place, path: place.path === '' ? key : `${place.path}.${key}` };
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fitStruct(schema: StructSchema, value: unknown, place: Place): Members {
  if (!isObject(value)) return refuse(`cannot restore struct from: ${goKind(value)}`);
  const out: { [key: string]: unknown } = {};
  const names = new Set<string>();
  for (const field of flatFields(schema)) {
    names.add(field.name);
    if (Object.hasOwn(value, field.name))
      setOwn(out, field.name, fit(field.schema, value[field.name], below(place, field.name)));
  }
  for (const key of Object.keys(value)) {
    if (!names.has(key)) place.unknown.push(`unknown field "${below(place, key).path}"`);
  }
  return out;
}

/** Go's kind of a JSON value. */
function goKind(value: unknown): string {
  if (Array.isArray(value)) return 'slice';
  return typeof value === 'object' ? 'map' : goTypeName(value);
}

function fitBytes(value: unknown): string {
  if (Array.isArray(value)) return Buffer.from(value.map(fitByte)).toString('base64');
  if (typeof value !== 'string') return refuse(`cannot restore slice from ${goKind(value)}`);
  const fault = base64Fault(value);
  return fault === undefined ? value : refuse(`error decoding from json: illegal base64 data at input byte ${fault}`);
}

/** A byte may stand in a list of numbers; it wraps around. */
function fitByte(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) ? value : refuse('unrecognized type: uint8');
}

function fitScalar(schema: ScalarSchema, value: unknown): unknown {
  const { type } = schema;
  if (type === 'string' || type === 'bool') {
    if (typeof value === (type === 'string' ? 'string' : 'boolean')) return value;
    const isInteger = goTypeName(value) === 'int64';
    return type === 'string' && isInteger ? cannotConvert(value, schema) : refuse(`unrecognized type: ${type}`);
  }
  if (typeof value !== 'number' && typeof value !== 'bigint') return refuse(`unrecognized type: ${type}`);
  if (type === 'float64') return Number(value);
  if (typeof value === 'number' && !Number.isInteger(value)) return cannotConvert(value, schema);
  const wrapped = BigInt.asIntN(type === 'int32' ? 32 : 64, BigInt(value));
  return Number.isSafeInteger(Number(wrapped)) ? Number(wrapped) : wrapped;
}

function cannotConvert(value: unknown, schema: ScalarSchema): never {
  return refuse(`cannot convert ${goTypeName(value)} to ${goNameOf(schema)}`);
}
