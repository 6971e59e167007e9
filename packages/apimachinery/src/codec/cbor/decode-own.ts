import { DecodeError } from '../../errors/decode-error.js';
import { messageOf } from '../../errors/message-of.js';
import { goNameOf } from '../../schema/builders.js';
import type { Schema } from '../../schema/schema.js';
import type { Json } from '../../types/json.js';
import { canonicalMicroTime, canonicalQuantity, canonicalTime } from '../canonical/canonical-text.js';
import type { DecodingSteps } from '../canonical/decoding-steps.js';
import { decodeOwnValue } from '../json/exact-decoder.js';
import type { OwnTextSchema } from '../json/exact-scalars.js';
import { parseJsonExact } from '../json/json-cursor.js';
import { stringifyJson } from '../json/stringify-json.js';
import { type CborCursor, MAJOR } from './cbor-cursor.js';
import { decodePrimitive, decodeText, readInteger, textOfBytes } from './decode-scalar.js';
import { decodeValueSteps, type Misfit, misfitIn, skipSelfDescribed, skipTags } from './decode-value.js';

/** A fault of a raw value. Upstream keeps such values as they are, and reads them when the object is decoded. */
export class TranscodeError extends DecodeError {
  constructor(message: string) {
    super('type', message);
  }
}

/**
 * The value of a type that decodes itself from its own data item, independent of the tags around it, in steps. `item` is
 * a reader of that item alone. Throws DecodeError with upstream's text.
 *
 * Upstream: the UnmarshalCBOR methods of k8s.io/apimachinery; types without one are converted to JSON first
 */
export function* decodeOwnSteps(schema: OwnTextSchema, item: CborCursor, misfit: Misfit): DecodingSteps<unknown> {
  skipSelfDescribed(item);
  switch (schema.type) {
    case 'time':
      return parsed(textOrNull(item, misfit), canonicalTime);
    case 'microTime':
      return parsed(textOrNull(item, misfit), canonicalMicroTime);
    case 'quantity':
      return parsed(textOrNull(item, misfit), canonicalQuantity);
    case 'intOrString':
      return intOrString(item, misfit);
    case 'rawExtension':
      return yield* looseValue(
        item,
        'failed to transcode RawExtension to JSON: failed to parse RawExtension bytes as CBOR: ',
      );
    case 'fieldsV1':
      return yield* fieldsV1(item);
    default: {
      const json = yield* looseValue(item, 'cbor: cannot transcode from cbor to json: ');
      return decodeOwnValue(schema, jsonOf(json));
    }
  }
}

/** An integer for a field of the schema. Throws DecodeError where it does not fit. */
export function integerOf(cursor: CborCursor, schema: Schema, misfit: Misfit): number | bigint {
  const major = cursor.major();
  const value = readInteger(cursor);
  const goType = goNameOf(schema);
  if (value < -(2n ** 63n)) throw misfit(major, goType, `${value} overflows Go's int64`);
  switch (schema.type) {
    case 'float64':
      return Number(value);
    case 'int32':
    case 'int64':
      if (BigInt.asIntN(schema.type === 'int32' ? 32 : 64, BigInt(value)) === BigInt(value)) return value;
      throw misfit(major, goType, `${value} overflows ${goType}`);
    default:
      throw misfit(major, goType);
  }
}

/** A number of a list for a field of bytes; 0 for null. Throws DecodeError where it does not fit. */
export function byteOf(cursor: CborCursor, misfit: Misfit): number {
  const goType = 'uint8';
  const major = cursor.major();
  if (major === MAJOR.primitive && decodePrimitive(cursor) === null) return 0;
  if (major > MAJOR.negative) throw misfit(major, goType);
  const value = readInteger(cursor);
  if (value < -(2n ** 63n)) throw misfit(major, goType, `${value} overflows Go's int64`);
  if (value < 0) throw misfit(major, goType);
  if (value > 255) throw misfit(major, goType, `${value} overflows ${goType}`);
  return Number(value);
}

/**
 * A value independent of its context, with keys in the order of upstream's JSON. `prefix` is upstream's prefix of the
 * error.
 */
function* looseValue(item: CborCursor, prefix: string): DecodingSteps<Json> {
  try {
    const value = yield* decodeValueSteps(item, misfitIn(), undefined);
    item.throwFault();
    // Half of the bytes of an object may be fields of its managers.
    if (item.at < SMALL) return parseJsonExact(jsonOf(value));
    yield;
    const json = jsonOf(value);
    yield;
    return parseJsonExact(json);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const message = prefix + error.message;
    throw prefix.startsWith('failed to transcode')
      ? new TranscodeError(message)
      : new DecodeError(error.reason, message);
  }
}

/** Bytes of a value that is decoded in one step. */
const SMALL = 64 * 1024;

function jsonOf(value: Json): Uint8Array {
  return Buffer.from(stringifyJson(value), 'utf8');
}

function* fieldsV1(item: CborCursor): DecodingSteps<Json> {
  const prefix = 'failed to transcode FieldsV1 to JSON: metav1.FieldsV1 cbor invalid: ';
  skipTags(item, undefined);
  const major = item.major();
  if (major === MAJOR.map || item.peek() === 0xf6) return yield* looseValue(item, prefix);
  const { message } = misfitIn()(major, 'map[string]interface {}');
  throw new TranscodeError(prefix + message);
}

function parsed(text: string | null, parse: (text: string) => string | null): string | null {
  if (text === null) return null;
  try {
    return parse(text);
  } catch (error) {
    throw new DecodeError('type', messageOf(error));
  }
}

function textOrNull(item: CborCursor, misfit: Misfit): string | null {
  if (item.isNil()) return null;
  const later = skipTags(item, undefined);
  const major = item.major();
  if (major === MAJOR.text) return decodeText(item);
  if (major === MAJOR.bytes) return textOfBytes(item.string(), later);
  if (major === MAJOR.primitive && decodePrimitive(item) === null) return null;
  const value = major === MAJOR.negative ? readInteger(item) : 0;
  throw misfit(major, 'string', value < -(2n ** 63n) ? `${value} overflows Go's int64` : undefined);
}

/** Text is tried first, as upstream: null is the empty string. */
function intOrString(item: CborCursor, misfit: Misfit): unknown {
  const later = skipTags(item, undefined);
  const major = item.major();
  if (major === MAJOR.text) return decodeText(item);
  if (major === MAJOR.bytes) return textOfBytes(item.string(), later);
  if (major === MAJOR.primitive && decodePrimitive(item) === null) return '';
  if (major <= MAJOR.negative) return integerOf(item, { type: 'int32', goName: 'int32' }, misfit);
  throw misfit(major, 'int32');
}
