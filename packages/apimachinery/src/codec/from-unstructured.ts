import { DecodeError } from '../errors/decode-error.js';
import { cloneJson } from '../json/clone-json.js';
import { goTypeName } from '../json/go-value.js';
import { isMembers } from '../json/is-members.js';
import { LaterMembers } from '../json/later-members.js';
import { setOwn } from '../json/set-own.js';
import { goNameOf } from '../schema/builders.js';
import { fieldsByName } from '../schema/flat-fields.js';
import type { ScalarSchema, Schema, StructSchema } from '../schema/schema.js';
import { base64Fault } from '../text/base64.js';
import { isPlainQuantity, isPlainTime } from './canonical/canonical-text.js';
import type { DecodingSteps } from './canonical/decoding-steps.js';
import { areSortedFields } from './canonical/owned-fields.js';
import { decodeOwnValue } from './json/exact-decoder.js';
import type { OwnTextSchema } from './json/exact-scalars.js';
import { stringifyJson } from './json/stringify-json.js';

type Members = { readonly [key: string]: unknown };

/**
 * Fits a plain JSON value to a struct by the rules for strategic merge patches. They differ from JSON text: other
 * messages for wrong types, integers that wrap around, whole floats accepted as integers, unknown fields sorted. The
 * result is a new value with every type right; the canonicalizer handles nulls, zero values and order. Throws
 * DecodeError.
 *
 * Upstream: k8s.io/apimachinery/pkg/runtime/converter.go
 */
export function fitUnstructured(
  schema: StructSchema,
  value: unknown,
): { readonly value: unknown; readonly strictErrors: readonly string[] } {
  const unknown: string[] = [];
  const fitted = fit(schema, value, new Place({ unknown }));
  return { value: fitted ?? {}, strictErrors: unknown.sort() };
}

/** The same in steps, for large values. The result has the large maps of `value` themselves if the value is owned. */
export function* fitUnstructuredSteps(
  schema: StructSchema,
  value: unknown,
  isOwned: boolean,
): DecodingSteps<ReturnType<typeof fitUnstructured>> {
  const unknown: string[] = [];
  const later = new LaterMembers();
  const fitting = { unknown, later, ...(isOwned && { taken: new Set<Members>() }) };
  const fitted = fit(schema, value, new Place(fitting));
  yield* later.run();
  return { value: fitted ?? {}, strictErrors: unknown.sort() };
}

/** State that all places of a value share. */
interface Fitting {
  readonly unknown: string[];
  /** Takes the members of large maps. */
  readonly later?: LaterMembers;
  /** Large maps of an owned value that are part of the result; undefined if the caller keeps the value. */
  readonly taken?: Set<Members>;
}

/** Members from which a map is fitted in place. */
const LARGE_MAP = 4_096;

/** The place of a value; its path is built only for errors. */
class Place {
  readonly fitting: Fitting;
  readonly #above: Place | undefined;
  readonly #segment: string | number;

  constructor(fitting: Fitting, above?: Place, segment: string | number = '') {
    this.fitting = fitting;
    this.#above = above;
    this.#segment = segment;
  }

  below(segment: string | number): Place {
    return new Place(this.fitting, this, segment);
  }

  get path(): string {
    const above = this.#above?.path ?? '';
    if (typeof this.#segment === 'number') return `${above}[${this.#segment}]`;
    return above === '' ? this.#segment : `${above}.${this.#segment}`;
  }
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
      if (!isMembers(value)) return refuse(`cannot restore map from ${goKind(value)}`);
      // Upstream's paths lack the keys of maps.
      const fitNext = (member: unknown) => fitMember(schema.element, member, place);
      const later = fitLater(value, fitNext, place.fitting);
      if (later !== undefined) return later;
      const out: { [key: string]: unknown } = {};
      for (const key in value) setOwn(out, key, fitNext(value[key]));
      return out;
    }
    case 'list':
      if (!Array.isArray(value)) return refuse(`cannot restore slice from ${goKind(value)}`);
      return value.map((item, i) => fit(schema.element, item, place.below(i)));
    case 'bytes':
      return fitBytes(value);
    case 'any':
      return cloneJson(value);
    default:
      if (isScalar(schema)) return fitScalar(schema, value);
      return isFitting(schema, value) ? value : fitOwnText(schema, value);
  }
}

/** The canonicalizer looks at the notation of a quantity. */
function fitOwnText(schema: OwnTextSchema, value: unknown): unknown {
  const decoded = decodeOwnValue(schema, Buffer.from(stringifyJson(value), 'utf8'));
  return schema.type === 'quantity' ? value : decoded;
}

type FitMember = (member: unknown) => unknown;

/** A large map that is fitted in later steps; undefined for a small one. */
function fitLater(map: Members, fitNext: FitMember, { later, taken }: Fitting): Members | undefined {
  // The map of an alias is in two places: the second one gets a copy.
  if (taken === undefined || taken.has(map) || Object.keys(map).length < LARGE_MAP) return later?.put(map, fitNext);
  taken.add(map);
  later?.add(fitInPlace(map, fitNext));
  return map;
}

function* fitInPlace(map: { [key: string]: unknown }, fitNext: FitMember): Generator<void, void> {
  for (const [i, key] of Object.keys(map).entries()) {
    if (i % LARGE_MAP === LARGE_MAP - 1) yield;
    const fitted = fitNext(map[key]);
    if (fitted !== map[key]) setOwn(map, key, fitted);
  }
}

/** Most members are strings, numbers and booleans, which need no place of their own: `key` is that of the others. */
function fitMember(schema: Schema, value: unknown, place: Place, key?: string): unknown {
  if (!isScalar(schema)) return fit(schema, value, key === undefined ? place : place.below(key));
  return value === null || value === undefined ? null : fitScalar(schema, value);
}

function isScalar(schema: Schema): schema is ScalarSchema {
  switch (schema.type) {
    case 'string':
    case 'bool':
    case 'int32':
    case 'int64':
    case 'float64':
      return true;
    default:
      return false;
  }
}

/** Reports whether a value is certainly the canonical form of its type, as every stored one is. */
function isFitting({ type }: OwnTextSchema, value: unknown): boolean {
  switch (type) {
    case 'time':
      return typeof value === 'string' && isPlainTime(value);
    case 'quantity':
      return typeof value === 'string' && isPlainQuantity(value);
    case 'intOrString':
      return typeof value === 'string' || (typeof value === 'number' && (value | 0) === value && !Object.is(value, -0));
    case 'fieldsV1':
      return areSortedFields(value);
    default:
      return false;
  }
}

function fitStruct(schema: StructSchema, value: unknown, place: Place): Members {
  if (!isMembers(value)) return refuse(`cannot restore struct from: ${goKind(value)}`);
  const out: { [key: string]: unknown } = {};
  const fields = fieldsByName(schema);
  fields.forEach((field, key) => {
    if (Object.hasOwn(value, key)) setOwn(out, key, fitMember(field.schema, value[key], place, key));
  });
  for (const key in value) {
    if (!fields.has(key)) place.fitting.unknown.push(`unknown field "${place.below(key).path}"`);
  }
  return out;
}

/** Go's name of a JSON value's kind. */
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

/** A byte, as a number in a list; it wraps around. */
function fitByte(value: unknown): number {
  if (value === null) return 0;
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
  const integer = BigInt(value);
  // A larger number is a double in Go, whose conversion gives the least integer.
  const wrapped = BigInt.asIntN(type === 'int32' ? 32 : 64, isInt64(integer) ? integer : MIN_INT64);
  return Number.isSafeInteger(Number(wrapped)) ? Number(wrapped) : wrapped;
}

const MIN_INT64 = -(2n ** 63n);

function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

function cannotConvert(value: unknown, schema: ScalarSchema): never {
  return refuse(`cannot convert ${goTypeName(value)} to ${goNameOf(schema)}`);
}
