import { DecodeError } from '../../errors/decode-error.js';
import { messageOf } from '../../errors/message-of.js';
import { goNameOf } from '../../schema/builders.js';
import type { ListSchema, MapSchema, ScalarSchema, Schema, SchemaOrSchema, StructSchema } from '../../schema/schema.js';
import { base64Fault, canonicalBase64 } from '../../text/base64.js';
import {
  canonicalDuration,
  canonicalMicroTime,
  canonicalQuantity,
  canonicalTime,
  isReadAs,
} from '../canonical/canonical-text.js';
import type { ExactState } from './exact-state.js';
import { OPEN_BRACE, OPEN_BRACKET, QUOTE } from './json-bytes.js';
import { JsonCursor } from './json-cursor.js';

/** Throws the error of a type that parses its own text. It ends the decoding at once, as upstream. */
export function abort(message: string): never {
  throw new DecodeError('type', message);
}

/** A value of a JSON type that the target does not take. Null leaves or clears it; any other value is an error. */
export function decodeMismatch(
  state: ExactState,
  schema: Schema,
  previous: unknown,
  onNull: unknown = previous,
): unknown {
  const c = state.cursor.peek();
  state.cursor.pass();
  if (c === 0x6e) return onNull;
  if (state.typeError === undefined) state.saveTypeError(valueName(c), goNameOf(schema));
  return previous;
}

/** Upstream's name of a JSON value of an unexpected type. */
function valueName(first: number): string {
  switch (first) {
    case OPEN_BRACE:
      return 'object';
    case OPEN_BRACKET:
      return 'array';
    case QUOTE:
      return 'string';
    case 0x74:
    case 0x66:
      return 'bool';
    default:
      return 'number';
  }
}

export function decodeBytes(state: ExactState, previous: unknown): unknown {
  const text = state.cursor.readString();
  const fault = base64Fault(text);
  if (fault === undefined) return canonicalBase64(text);
  state.saveError(`illegal base64 data at input byte ${fault}`);
  return previous;
}

const UINT8: ScalarSchema = { type: 'int32', goName: 'uint8' };

/** One number of a list that stands for bytes. */
export function decodeByte(state: ExactState, previous: number): number {
  if (!isNumberStart(state.cursor.peek())) return Number(decodeMismatch(state, UINT8, previous));
  const text = state.cursor.readLiteral();
  if (/^\d{1,3}$/.test(text) && Number(text) < 256) return Number(text);
  state.saveTypeError(`number ${text}`, UINT8.goName);
  return previous;
}

export function decodeScalar(state: ExactState, schema: ScalarSchema, previous: unknown): unknown {
  const c = state.cursor.peek();
  if (c === QUOTE && schema.type === 'string') return state.cursor.readString();
  if ((c === 0x74 || c === 0x66) && schema.type === 'bool') return state.cursor.readLiteral() === 'true';
  if (isNumberStart(c) && schema.type !== 'string' && schema.type !== 'bool') {
    return decodeNumber(state, schema, previous);
  }
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

/** In characters. Converting a number of millions of digits would take seconds. */
const LONGEST_INT64 = '-9223372036854775808'.length;

/** Integers that are certainly exact. */
const SHORT_INTEGER = /^(?:0|-?[1-9][0-9]{0,8})$/;

/** An integer literal within a number of bits; `1.0` and `1e3` are not integers. */
function integerOf(text: string, bits: number): number | bigint | undefined {
  if (SHORT_INTEGER.test(text)) return Number(text);
  if (text.length > LONGEST_INT64 || /[.eE]/.test(text)) return undefined;
  const value = BigInt(text);
  if (BigInt.asIntN(bits, value) !== value) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** An untyped scalar: integers of 64 bits stay integers, all other numbers are doubles. */
export function anyScalar(state: ExactState): unknown {
  if (state.cursor.peek() === QUOTE) return state.cursor.readString();
  const text = state.cursor.readLiteral();
  if (text === 'null') return null;
  if (text === 'true' || text === 'false') return text === 'true';
  const value = integerOf(text, 64) ?? float64Of(text);
  if (value === undefined) state.saveTypeError(`number ${text}`, 'float64');
  return value ?? null;
}

/** The types that parse their own JSON text. */
export type OwnTextSchema = Exclude<
  Schema,
  StructSchema | MapSchema | ListSchema | ScalarSchema | { type: 'bytes' } | { type: 'any' }
>;

/** Those types whose values have no nested values with a schema. Their errors end the decoding. */
export function decodeOwnText(state: ExactState, schema: Exclude<OwnTextSchema, SchemaOrSchema>): unknown {
  state.cursor.peek();
  const text = state.cursor.skip();
  switch (schema.type) {
    case 'time':
      return parseText(state, text, canonicalTime);
    case 'microTime':
      return parseText(state, text, canonicalMicroTime);
    case 'duration':
      return text[0] === 0x6e ? withMessage(() => canonicalDuration('')) : parseText(state, text, canonicalDuration);
    case 'quantity':
      return text[0] === 0x6e ? null : decodeQuantity(state, quantityText(text));
    case 'intOrString':
      return decodeIntOrString(state, text);
    default:
      throw new TypeError(`${schema.type} is read value by value`);
  }
}

/** A type whose JSON is a string with its own syntax; null is its zero value. */
function parseText(state: ExactState, bytes: Uint8Array, parse: (text: string) => string | null): unknown {
  if (bytes[0] === 0x6e) return null;
  if (bytes[0] !== QUOTE) return abort(state.typeErrorText(valueName(bytes[0] ?? 0), 'string'));
  const text = new JsonCursor(bytes).readString();
  return withMessage(() => parse(text));
}

function withMessage<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    return abort(messageOf(error));
  }
}

function decodeQuantity(state: ExactState, text: string): string {
  const canonical = withMessage(() => canonicalQuantity(text));
  if (!isReadAs(text, canonical)) state.uncanonical++;
  return canonical;
}

/** The text of a quantity: the content of the quotes, if there are any, without resolving escapes. */
function quantityText(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return (text.startsWith('"') ? text.slice(1, -1) : text).trim();
}

function decodeIntOrString(state: ExactState, bytes: Uint8Array): unknown {
  const c = bytes[0] ?? 0;
  if (c === QUOTE) return new JsonCursor(bytes).readString();
  if (c === 0x6e) return 0;
  if (!isNumberStart(c)) return abort(state.typeErrorText(valueName(c), 'int32'));
  const text = Buffer.from(bytes).toString('latin1');
  return integerOf(text, 32) ?? abort(state.typeErrorText(`number ${text}`, 'int32'));
}
