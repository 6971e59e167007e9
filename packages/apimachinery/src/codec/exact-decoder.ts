import { setOwn } from '../json/set-own.js';
import { goNameOf } from '../schema/builders.js';
import type { ListSchema, MapSchema, ScalarSchema, Schema, SchemaOrSchema, StructSchema } from '../schema/schema.js';
import { base64Fault } from './base64.js';
import { canonicalDuration, canonicalMicroTime, canonicalQuantity, canonicalTime } from './canonical-text.js';
import { DecodeError } from './decode-error.js';
import { ExactState } from './exact-state.js';
import { bareGoName, embeddingOf, fieldsByName } from './flat-fields.js';
import { JsonCursor, parseJsonExact } from './json-cursor.js';

/**
 * Decodes well-formed JSON text into a struct exactly as upstream's decoder would: in document order, with duplicate keys
 * merging into what came before, with upstream's texts for wrong types, unknown and duplicate fields. Slow and thorough:
 * the fast decoder hands over what it cannot do. The value returned has each member once and every type right; nulls,
 * zero values and order are the canonicalizer's to settle.
 *
 * Upstream: sigs.k8s.io/json
 */
export function decodeExact(
  bytes: Uint8Array,
  schema: StructSchema,
  strict: boolean,
): { readonly value: unknown; readonly strictErrors: readonly string[] } {
  const state = new ExactState(new JsonCursor(bytes), strict);
  const value = decodeValue(state, { schema, pointer: false }, undefined);
  if (state.typeError !== undefined) throw new DecodeError('type', state.typeError);
  return { value: value ?? {}, strictErrors: state.strictErrors };
}

/**
 * Reads well-formed JSON text without a schema: of duplicate keys the last one counts, and strict errors name them.
 * Throws DecodeError for a number that no double can hold.
 */
export function decodeUntyped(
  bytes: Uint8Array,
  strict: boolean,
): { readonly value: unknown; readonly strictErrors: readonly string[] } {
  const state = new ExactState(new JsonCursor(bytes), strict);
  const value = decodeAny(state);
  if (state.typeError !== undefined) throw new DecodeError('type', state.typeError);
  return { value, strictErrors: state.strictErrors };
}

/** Where a value goes: what the field or element is declared as. */
interface Target {
  readonly schema: Schema;
  readonly pointer: boolean;
}

/** Thrown by a type that parses its own text: ends the decoding at once, as upstream. */
function abort(message: string): never {
  throw new DecodeError('type', message);
}

/** The value after decoding what stands at the cursor on top of `previous` (undefined: nothing there yet). */
function decodeValue(state: ExactState, target: Target, previous: unknown): unknown {
  const { schema } = target;
  const c = state.cursor.peek();
  if (c === 0x6e && target.pointer) {
    state.cursor.readLiteral();
    return null;
  }
  switch (schema.type) {
    case 'struct':
      return c === 0x7b ? decodeStruct(state, schema, previous) : decodeMismatch(state, schema, previous);
    case 'map':
      return c === 0x7b ? decodeMap(state, schema, previous) : decodeMismatch(state, schema, previous, null);
    case 'list':
      return c === 0x5b ? decodeList(state, schema, previous) : decodeMismatch(state, schema, previous, null);
    case 'bytes':
      return c === 0x22 ? decodeBytes(state, previous) : decodeMismatch(state, schema, previous, null);
    case 'any':
      return decodeAny(state);
    case 'string':
    case 'bool':
    case 'int32':
    case 'int64':
    case 'float64':
      return decodeScalar(state, schema, previous);
    default:
      return decodeOwnText(state, schema);
  }
}

/** A value of a JSON type that the target does not take: null leaves it (or clears it), anything else is an error. */
function decodeMismatch(state: ExactState, schema: Schema, previous: unknown, onNull: unknown = previous): unknown {
  const c = state.cursor.peek();
  state.cursor.skip();
  if (c === 0x6e) return onNull;
  state.saveTypeError(valueName(c), goNameOf(schema));
  return previous;
}

/** How upstream calls a JSON value of a type nobody expected. */
function valueName(first: number): string {
  switch (first) {
    case 0x7b:
      return 'object';
    case 0x5b:
      return 'array';
    case 0x22:
      return 'string';
    case 0x74:
    case 0x66:
      return 'bool';
    default:
      return 'number';
  }
}

function decodeStruct(state: ExactState, schema: StructSchema, previous: unknown): { [key: string]: unknown } {
  const fields = fieldsByName(schema);
  const embedding = embeddingOf(schema);
  const out = { ...(previous as { [key: string]: unknown } | null | undefined) };
  const seen = new Set<string>();
  const structName = bareGoName(schema);
  for (const key of state.keys()) {
    const field = fields.get(key);
    if (field === undefined) {
      state.saveStrictError('unknown field', key);
      state.cursor.skip();
      continue;
    }
    state.checkDuplicate(seen, key);
    const leave = state.enterField(structName, key, embedding.get(key));
    const before = Object.hasOwn(out, key) ? out[key] : undefined;
    setOwn(out, key, decodeValue(state, field, before));
    leave();
  }
  return out;
}

function decodeMap(state: ExactState, schema: MapSchema, previous: unknown): { [key: string]: unknown } {
  const out = { ...(previous as { [key: string]: unknown } | null | undefined) };
  const seen = new Set<string>();
  for (const key of state.keys()) {
    state.checkDuplicate(seen, key);
    const leave = state.enterKey(key);
    // An element starts from zero even when the key was there before.
    setOwn(out, key, decodeValue(state, { schema: schema.element, pointer: false }, undefined) ?? null);
    leave();
  }
  return out;
}

function decodeList(state: ExactState, schema: ListSchema, previous: unknown): unknown[] {
  const before = Array.isArray(previous) ? (previous as readonly unknown[]) : [];
  const out: unknown[] = [];
  const target = { schema: schema.element, pointer: false };
  state.elements((index) => {
    const leave = state.enterIndex(index);
    // Elements of an earlier duplicate of the list shine through: upstream decodes on top of them.
    out.push(decodeValue(state, target, before[index]) ?? null);
    leave();
  });
  return out;
}

function decodeBytes(state: ExactState, previous: unknown): unknown {
  const text = state.cursor.readString();
  const fault = base64Fault(text);
  if (fault === undefined) return text;
  state.saveError(`illegal base64 data at input byte ${fault}`);
  return previous;
}

function decodeScalar(state: ExactState, schema: ScalarSchema, previous: unknown): unknown {
  const c = state.cursor.peek();
  if (c === 0x22 && schema.type === 'string') return state.cursor.readString();
  if ((c === 0x74 || c === 0x66) && schema.type === 'bool') return state.cursor.readLiteral() === 'true';
  if (isNumberStart(c) && schema.type !== 'string' && schema.type !== 'bool')
    return decodeNumber(state, schema, previous);
  return decodeMismatch(state, schema, previous);
}

function isNumberStart(c: number): boolean {
  return c === 0x2d || (c >= 0x30 && c <= 0x39);
}

function decodeNumber(state: ExactState, schema: ScalarSchema, previous: unknown): unknown {
  const text = state.cursor.readLiteral();
  const value = schema.type === 'float64' ? float64Of(text) : integerOf(text, schema.type === 'int32' ? 32 : 64);
  if (value !== undefined) return value;
  state.saveTypeError(`number ${text}`, schema.goName);
  return previous;
}

function float64Of(text: string): number | undefined {
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** Characters. To make a number of millions of digits would take seconds. */
const LONGEST_INT64 = '-9223372036854775808'.length;

/** An integer literal of so many bits; `1.0` and `1e3` are none. */
function integerOf(text: string, bits: number): number | bigint | undefined {
  if (text.length > LONGEST_INT64 || /[.eE]/.test(text)) return undefined;
  const value = BigInt(text);
  if (BigInt.asIntN(bits, value) !== value) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** A bare JSON value: integers of 64 bits stay integers, all other numbers are doubles. */
function decodeAny(state: ExactState): unknown {
  const c = state.cursor.peek();
  if (c === 0x22) return state.cursor.readString();
  if (c === 0x7b) {
    const out: { [key: string]: unknown } = {};
    const seen = new Set<string>();
    for (const key of state.keys()) {
      state.checkDuplicate(seen, key);
      const leave = state.enterKey(key);
      setOwn(out, key, decodeAny(state));
      leave();
    }
    return out;
  }
  if (c === 0x5b) {
    const out: unknown[] = [];
    state.elements((index) => {
      const leave = state.enterIndex(index);
      out.push(decodeAny(state));
      leave();
    });
    return out;
  }
  const text = state.cursor.readLiteral();
  if (text === 'null') return null;
  return text === 'true' || text === 'false' ? text === 'true' : anyNumber(state, text);
}

function anyNumber(state: ExactState, text: string): unknown {
  const value = integerOf(text, 64) ?? float64Of(text);
  if (value === undefined) state.saveTypeError(`number ${text}`, 'float64');
  return value ?? null;
}

/** The value of a type that parses its own JSON text, apart from any text around it. Throws DecodeError. */
export function decodeOwnValue(schema: OwnTextSchema, bytes: Uint8Array): unknown {
  return decodeOwnText(new ExactState(new JsonCursor(bytes), false), schema);
}

/** The types that parse their own JSON text. */
export type OwnTextSchema = Exclude<
  Schema,
  StructSchema | MapSchema | ListSchema | ScalarSchema | { type: 'bytes' } | { type: 'any' }
>;

/** Types that parse their own JSON text. Their errors end the decoding. */
function decodeOwnText(state: ExactState, schema: OwnTextSchema): unknown {
  state.cursor.peek();
  const text = state.cursor.skip();
  switch (schema.type) {
    case 'time':
      return parseText(state, text, canonicalTime);
    case 'microTime':
      return parseText(state, text, canonicalMicroTime);
    case 'duration':
      return parseText(state, text, canonicalDuration);
    case 'quantity':
      return text[0] === 0x6e ? null : withMessage(() => canonicalQuantity(quantityText(text)));
    case 'intOrString':
      return decodeIntOrString(state, text);
    case 'schemaOr':
      return decodeSchemaOr(schema, text);
    default:
      return parseJsonExact(text);
  }
}

/** A type whose JSON is a string in a syntax of its own; null is its zero value. */
function parseText(state: ExactState, bytes: Uint8Array, parse: (text: string) => string | null): unknown {
  if (bytes[0] === 0x6e) return null;
  if (bytes[0] !== 0x22) return abort(state.typeErrorText(valueName(bytes[0] ?? 0), 'string'));
  const text = new JsonCursor(bytes).readString();
  return withMessage(() => parse(text));
}

function withMessage<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    return abort(error instanceof Error ? error.message : String(error));
  }
}

/** A quantity's text: inside the quotes if there are any, escapes not resolved. */
function quantityText(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('utf8');
  return (text.startsWith('"') ? text.slice(1, -1) : text).trim();
}

function decodeIntOrString(state: ExactState, bytes: Uint8Array): unknown {
  const c = bytes[0] ?? 0;
  if (c === 0x22) return new JsonCursor(bytes).readString();
  if (c === 0x6e) return 0;
  if (!isNumberStart(c)) return abort(state.typeErrorText(valueName(c), 'int32'));
  const text = Buffer.from(bytes).toString('latin1');
  return integerOf(text, 32) ?? abort(state.typeErrorText(`number ${text}`, 'int32'));
}

function decodeSchemaOr(schema: SchemaOrSchema, bytes: Uint8Array): unknown {
  const c = bytes[0] ?? 0;
  if (c === 0x7b) return decodeExact(bytes, schema.props, false).value;
  if (schema.alternative === 'bool') {
    return c === 0x74 || c === 0x66 ? c === 0x74 : abort('boolean or JSON schema expected');
  }
  if (c !== 0x5b) return null;
  const nested = new ExactState(new JsonCursor(bytes), false);
  const element = schema.alternative === 'array' ? schema.props : STRING_ELEMENT;
  const value = decodeList(nested, { type: 'list', goName: '', element }, undefined);
  return nested.typeError === undefined ? value : abort(nested.typeError);
}

const STRING_ELEMENT: ScalarSchema = { type: 'string', goName: 'string' };
