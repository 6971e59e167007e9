import { atOnce } from '../../clock/at-once.js';
import { DecodeError } from '../../errors/decode-error.js';
import { setOwn } from '../../json/set-own.js';
import { noteUncanonical } from '../../json/uncanonical-lists.js';
import { bareGoName, embeddingOf, flatFields } from '../../schema/flat-fields.js';
import type { ListSchema, MapSchema, ScalarSchema, Schema, SchemaOrSchema, StructSchema } from '../../schema/schema.js';
import type { Members } from '../canonical/canonical-context.js';
import { finishStruct, structSlots, zeroOf } from '../canonical/canonicalize.js';
import { type DecodingSteps, stepsWithinStack } from '../canonical/decoding-steps.js';
import { orderedSteps, sortInPlaceSteps } from '../canonical/member-order.js';
import {
  abort,
  anyScalar,
  decodeByte,
  decodeBytes,
  decodeMismatch,
  decodeOwnText,
  decodeScalar,
  type OwnTextSchema,
} from './exact-scalars.js';
import { ExactState } from './exact-state.js';
import { decodeAny, decodeRaw, rawScalar } from './exact-untyped.js';
import { OPEN_BRACE, OPEN_BRACKET, QUOTE } from './json-bytes.js';
import { JsonCursor } from './json-cursor.js';

/** The result of the exact decoder. */
export interface ExactlyDecoded {
  readonly value: unknown;
  readonly strictErrors: readonly string[];
  /** Paths of the unknown fields among them, as they are. */
  readonly unknownPaths: readonly string[];
}

/** Values that are decoded between two pauses: less than five milliseconds of work. */
const SLICE_STEPS = 4_096;

/**
 * Decodes well-formed JSON text into a struct exactly as upstream. It works in document order, merges duplicate keys,
 * and has upstream's messages for wrong types, unknown and duplicate fields. It is slow: the fast decoder only
 * delegates what it cannot handle. The value is canonical.
 *
 * Upstream: sigs.k8s.io/json
 */
export function decodeExact(bytes: Uint8Array, schema: StructSchema, strict: boolean): ExactlyDecoded {
  return atOnce(
    structSteps(new ExactState(new JsonCursor(bytes), { strict, sliceSteps: Number.POSITIVE_INFINITY }), schema),
  );
}

/** The same in steps, for texts of megabytes. */
export function decodeExactSteps(
  bytes: Uint8Array,
  schema: StructSchema,
  strict: boolean,
): DecodingSteps<ExactlyDecoded> {
  return structSteps(new ExactState(new JsonCursor(bytes), { strict, sliceSteps: SLICE_STEPS }), schema);
}

/**
 * Reads well-formed JSON text without a schema. The last of duplicate keys wins, and strict errors name them. Throws
 * DecodeError for a number beyond a double's range.
 */
export function decodeUntyped(bytes: Uint8Array, strict: boolean): ExactlyDecoded {
  return atOnce(untypedSteps(new ExactState(new JsonCursor(bytes), { strict, sliceSteps: Number.POSITIVE_INFINITY })));
}

/** The same in steps, for texts of megabytes. */
export function decodeUntypedSteps(bytes: Uint8Array, strict: boolean): DecodingSteps<ExactlyDecoded> {
  return untypedSteps(new ExactState(new JsonCursor(bytes), { strict, sliceSteps: SLICE_STEPS }));
}

/**
 * Reads JSON text unchanged, with integers of any size, in steps. The last of duplicate keys wins. Throws DecodeError
 * as `decodeUntyped`.
 */
export function decodeRawSteps(bytes: Uint8Array): DecodingSteps<unknown> {
  const state = new ExactState(new JsonCursor(bytes), { strict: false, sliceSteps: SLICE_STEPS });
  return valueSteps(state, { schema: { type: 'json' }, pointer: false }, undefined);
}

/**
 * Errors of strict decoding of well-formed JSON text, in document order and in steps, and the first value of a wrong
 * type. Text without a schema can only have duplicate keys.
 */
export function* strictErrorSteps(
  bytes: Uint8Array,
  schema: Schema = ANY.schema,
): DecodingSteps<Pick<ExactState, 'strictErrors' | 'typeError'>> {
  const state = new ExactState(new JsonCursor(bytes), { strict: true, sliceSteps: SLICE_STEPS });
  yield* stepsWithinStack(valueSteps(state, { schema, pointer: false }, undefined));
  return state;
}

function* structSteps(state: ExactState, schema: StructSchema): DecodingSteps<ExactlyDecoded> {
  const value = yield* valueSteps(state, { schema, pointer: false }, undefined);
  if (state.typeError !== undefined) throw new DecodeError('type', state.typeError);
  yield* closeReopened(state);
  if (state.uncanonical > 0) noteUncanonical(value);
  return { value: value ?? finishStruct(schema, []), ...faultsOf(state) };
}

const ANY: Target = { schema: { type: 'any' }, pointer: false };
const STRING_ELEMENT: ScalarSchema = { type: 'string', goName: 'string' };

function* untypedSteps(state: ExactState): DecodingSteps<ExactlyDecoded> {
  const value = yield* valueSteps(state, ANY, undefined);
  if (state.typeError !== undefined) throw new DecodeError('type', state.typeError);
  return { value, ...faultsOf(state) };
}

function faultsOf({ strictErrors, unknownPaths }: ExactState): Omit<ExactlyDecoded, 'value'> {
  return { strictErrors, unknownPaths };
}

/** The declaration of the field or element that receives a value. */
interface Target {
  readonly schema: Schema;
  readonly pointer: boolean;
}

/**
 * The canonical value after decoding the value at the cursor on top of `previous` (undefined: absent). Only nested
 * values are decoded in steps: starting a generator costs more than decoding a scalar.
 */
function* valueSteps(state: ExactState, target: Target, previous: unknown): DecodingSteps<unknown> {
  const c = state.cursor.peek();
  return isNested(target.schema, c)
    ? yield* nestedSteps(state, target.schema, previous)
    : decodeLeaf(state, target, previous);
}

/** True if a value that begins with `c` is decoded element by element or member by member. */
function isNested({ type }: Schema, c: number): boolean {
  if (c === OPEN_BRACE) return type === 'struct' || type === 'map' || type === 'schemaOr' || isRaw(type);
  return c === OPEN_BRACKET && (type === 'list' || type === 'bytes' || type === 'schemaOr' || isRaw(type));
}

/** True for types that take any JSON value. */
function isRaw(type: Schema['type']): boolean {
  return type === 'any' || type === 'json' || type === 'rawExtension' || type === 'fieldsV1' || type === 'unknown';
}

function nestedSteps(state: ExactState, schema: Schema, previous: unknown): DecodingSteps<unknown> {
  switch (schema.type) {
    case 'struct':
      return decodeStruct(state, schema, previous);
    case 'map':
      return decodeMap(state, schema, previous);
    case 'list':
      return decodeList(state, schema, previous);
    case 'bytes':
      return decodeByteList(state, previous);
    case 'schemaOr':
      return decodeSchemaOr(state, schema);
    case 'any':
      return decodeAny(state);
    case 'fieldsV1':
      return decodeRaw(state, NO_FIELDS);
    default:
      return decodeRaw(state);
  }
}

/** Most values of fieldsV1: one for all of them takes half of the memory. */
const NO_FIELDS: Members = Object.freeze({});

/** A value without nested values, or one of a wrong type. */
function decodeLeaf(state: ExactState, { schema, pointer }: Target, previous: unknown): unknown {
  const c = state.cursor.peek();
  if (c === 0x6e && pointer) {
    state.cursor.readLiteral();
    return null;
  }
  switch (schema.type) {
    case 'struct':
      return decodeMismatch(state, schema, previous);
    case 'map':
    case 'list':
      return decodeMismatch(state, schema, previous, null);
    case 'bytes':
      return c === QUOTE ? decodeBytes(state, previous) : decodeMismatch(state, schema, previous, null);
    case 'string':
    case 'bool':
    case 'int32':
    case 'int64':
    case 'float64':
      return decodeScalar(state, schema, previous);
    case 'any':
      return anyScalar(state);
    case 'schemaOr':
      return scalarSchemaOr(state, schema, c);
    case 'json':
    case 'rawExtension':
    case 'fieldsV1':
    case 'unknown':
      return rawScalar(state.cursor);
    default:
      return decodeOwnText(state, schema);
  }
}

function* decodeStruct(state: ExactState, schema: StructSchema, previous: unknown): DecodingSteps<unknown> {
  const { fields, structName } = targetsOf(schema);
  const slots = structSlots(schema, previous);
  const before = previous === undefined || previous === null ? undefined : [...slots];
  const seen: boolean[] = [];
  const { cursor, uncanonical } = state;
  cursor.at++;
  for (let key = cursor.nextKey(); key !== undefined; key = cursor.nextKey()) {
    if (state.isPause()) yield;
    const field = fields.get(key);
    if (field === undefined) {
      state.saveStrictError('unknown field', key);
      cursor.pass();
      continue;
    }
    const { index } = field;
    if (seen[index]) state.saveStrictError('duplicate field', key);
    seen[index] = true;
    state.enterField(structName, key, field.embedding);
    slots[index] = isNested(field.schema, cursor.peek())
      ? yield* nestedSteps(state, field.schema, slots[index])
      : decodeLeaf(state, field, slots[index]);
    state.leaveField();
  }
  if (state.typeError !== undefined) return undefined;
  const out = finishStruct(schema, slots, before, state);
  if (state.uncanonical > uncanonical) noteUncanonical(out);
  return out;
}

/** A struct's fields by name, for the decoder. */
interface StructTargets {
  readonly structName: string;
  readonly fields: ReadonlyMap<string, Target & { readonly index: number; readonly embedding: string | undefined }>;
}

const structTargets = new WeakMap<StructSchema, StructTargets>();

function targetsOf(schema: StructSchema): StructTargets {
  let targets = structTargets.get(schema);
  if (targets === undefined) {
    const embedding = embeddingOf(schema);
    const fields = flatFields(schema).map(
      ({ name, schema: type, pointer }, index) =>
        [name, { schema: type, pointer, index, embedding: embedding.get(name) }] as const,
    );
    targets = { structName: bareGoName(schema), fields: new Map(fields) };
    structTargets.set(schema, targets);
  }
  return targets;
}

function* decodeMap(state: ExactState, schema: MapSchema, previous: unknown): DecodingSteps<unknown> {
  const isAgain = previous !== undefined && previous !== null;
  // Only the decoder refers to the map of an earlier duplicate. Copying and sorting it for each further one would take
  // minutes.
  const out = isAgain ? (previous as Members) : {};
  const target = { schema: schema.element, pointer: false };
  const zero = zeroOf(schema.element);
  const seen = new Set<string>();
  const { cursor } = state;
  cursor.at++;
  for (let key = cursor.nextKey(); key !== undefined; key = cursor.nextKey()) {
    if (state.isPause()) yield;
    if (seen.has(key)) state.saveStrictError('duplicate field', key);
    else seen.add(key);
    state.enter(key);
    // An element starts from zero even if the key was present before.
    const value = isNested(target.schema, cursor.peek())
      ? yield* nestedSteps(state, target.schema, undefined)
      : decodeLeaf(state, target, undefined);
    // A value of a wrong type is dropped.
    if (state.typeError === undefined) setOwn(out, key, value ?? zero());
    state.leave();
  }
  if (isAgain) {
    state.reopened.add(out);
    return out;
  }
  return yield* orderedSteps(out);
}

/** Sorts maps into which duplicates were merged, once for all of them. */
function* closeReopened({ reopened }: ExactState): DecodingSteps<void> {
  for (const map of reopened) yield* sortInPlaceSteps(map);
}

function* decodeList(state: ExactState, schema: ListSchema, previous: unknown): DecodingSteps<unknown> {
  const before = Array.isArray(previous) ? (previous as readonly unknown[]) : [];
  const out: unknown[] = [];
  const target = { schema: schema.element, pointer: false };
  const zero = zeroOf(schema.element);
  const { cursor, uncanonical } = state;
  cursor.at++;
  for (let index = 0; cursor.nextElement(); index++) {
    if (state.isPause()) yield;
    state.enter(index);
    // Upstream decodes on top of the elements of an earlier duplicate of the list.
    const value = isNested(target.schema, cursor.peek())
      ? yield* nestedSteps(state, target.schema, before[index])
      : decodeLeaf(state, target, before[index]);
    if (state.typeError === undefined) out.push(value ?? zero());
    state.leave();
  }
  if (state.uncanonical > uncanonical) noteUncanonical(out);
  return out;
}

/** Bytes that are written as a list of numbers. */
function* decodeByteList(state: ExactState, previous: unknown): DecodingSteps<unknown> {
  const before = Buffer.from(typeof previous === 'string' ? previous : '', 'base64');
  const out: number[] = [];
  const { cursor } = state;
  cursor.at++;
  for (let index = 0; cursor.nextElement(); index++) {
    if (state.isPause()) yield;
    state.enter(index);
    out.push(decodeByte(state, before[index] ?? 0));
    state.leave();
  }
  return Buffer.from(out).toString('base64');
}

/** A schema, or a list. Nested schemas decode apart from the text around them: unknown fields are ignored. */
function* decodeSchemaOr(state: ExactState, schema: SchemaOrSchema): DecodingSteps<unknown> {
  const { cursor, options } = state;
  const { alternative } = schema;
  const nested = new ExactState(cursor, { ...options, strict: false }, state);
  const isList = cursor.peek() === OPEN_BRACKET;
  if (isList && alternative === 'bool') return abort('boolean or JSON schema expected');
  const element = alternative === 'array' ? schema.props : STRING_ELEMENT;
  const value = isList
    ? yield* decodeList(nested, { type: 'list', goName: '', element }, undefined)
    : yield* decodeStruct(nested, schema.props, undefined);
  if (nested.typeError !== undefined) throw new DecodeError('type', nested.typeError);
  yield* closeReopened(nested);
  return alternative === 'stringArray' && isList && (value as readonly unknown[]).length === 0 ? null : value;
}

function scalarSchemaOr({ cursor }: ExactState, { alternative }: SchemaOrSchema, c: number): unknown {
  cursor.pass();
  if (alternative === 'array') return [];
  if (alternative === 'stringArray') return null;
  return c === 0x74 || c === 0x66 ? c === 0x74 : abort('boolean or JSON schema expected');
}

/** The value of a type that parses its own JSON text, apart from the text around it. Throws DecodeError. */
export function decodeOwnValue(schema: OwnTextSchema, bytes: Uint8Array): unknown {
  const state = new ExactState(new JsonCursor(bytes), { strict: false, sliceSteps: Number.POSITIVE_INFINITY });
  return atOnce(valueSteps(state, { schema, pointer: false }, undefined));
}
