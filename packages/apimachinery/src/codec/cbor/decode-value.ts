import { atOnce } from '../../clock/at-once.js';
import { DecodeError } from '../../errors/decode-error.js';
import { setOwn } from '../../json/set-own.js';
import { quote } from '../../text/quote.js';
import type { Json } from '../../types/json.js';
import type { DecodingSteps } from '../canonical/decoding-steps.js';
import { type CborCursor, MAJOR, majorName } from './cbor-cursor.js';
import { decodePrimitive, decodeText, type LaterEncoding, readInteger, textOfBytes } from './decode-scalar.js';
import { taggedTime } from './tagged-time.js';

/** The tag in front of items that upstream writes. It only marks them as CBOR. RFC 8949, section 3.4.6 */
const SELF_DESCRIBED = 55_799;

/** Tags that set the text encoding of byte strings. RFC 8949, section 3.4.5.2 */
const LATER_ENCODINGS: ReadonlyMap<number, BufferEncoding> = new Map([
  [21, 'base64url'],
  [22, 'base64'],
  [23, 'hex'],
]);

/** Makes the error of a data item with the wrong type; `more` is the reason where the type is not. */
export type Misfit = (major: number, goType: string, more?: string) => DecodeError;

/** Type errors of values in a field of a struct (`v1.Pod.spec`); without `field`, of other values. */
export function misfitIn(field?: string): Misfit {
  const place = field === undefined ? 'Go value' : `Go struct field ${field}`;
  return (major, goType, more) => {
    const reason = more === undefined ? '' : ` (${more})`;
    return new DecodeError(
      'type',
      `cbor: cannot unmarshal ${majorName(major)} into ${place} of type ${goType}${reason}`,
    );
  };
}

/**
 * The JSON value at the cursor, as upstream decodes into `interface{}`: integers stay exact, byte strings become text,
 * tags are dropped. Throws DecodeError for an item without a JSON value, and for a duplicate key.
 */
export function decodeValue(cursor: CborCursor, misfit: Misfit, later: LaterEncoding = undefined): Json {
  return atOnce(decodeValueSteps(cursor, misfit, later));
}

/** The same in steps, for large values. */
export function* decodeValueSteps(cursor: CborCursor, misfit: Misfit, later: LaterEncoding): DecodingSteps<Json> {
  let encoding = later;
  while (cursor.major() === MAJOR.tag) {
    const start = cursor.at;
    const tag = Number(cursor.argument());
    checkTagContent(cursor, tag);
    if (tag === 0 || tag === 1) {
      cursor.at = start;
      return taggedTime(cursor);
    }
    encoding = LATER_ENCODINGS.get(tag) ?? encoding;
  }
  switch (cursor.major()) {
    case MAJOR.array:
      return yield* decodeArray(cursor, misfit, encoding);
    case MAJOR.map:
      return yield* decodeMap(cursor, { misfit, encoding, decode: () => nextValue(cursor, misfit, encoding) });
    default:
      return decodeScalar(cursor, misfit, encoding);
  }
}

/** The steps to the value at the cursor, or the value itself: starting a generator costs more than a scalar. */
function nextValue(cursor: CborCursor, misfit: Misfit, encoding: LaterEncoding): Json | Later<Json> {
  const major = cursor.major();
  if (major < MAJOR.array || major === MAJOR.primitive) return decodeScalar(cursor, misfit, encoding);
  return new Later(decodeValueSteps(cursor, misfit, encoding));
}

function decodeScalar(cursor: CborCursor, misfit: Misfit, encoding: LaterEncoding): Json {
  switch (cursor.major()) {
    case MAJOR.unsigned:
    case MAJOR.negative:
      return decodeInteger(cursor, misfit);
    case MAJOR.bytes:
      return textOfBytes(cursor.string(), encoding);
    case MAJOR.text:
      return decodeText(cursor);
    default:
      return decodePrimitive(cursor);
  }
}

/** Skips the tags in front of a value of a known type. Returns the text encoding of byte strings inside. */
export function skipTags(cursor: CborCursor, later: LaterEncoding): LaterEncoding {
  let encoding = later;
  while (cursor.major() === MAJOR.tag) {
    const tag = Number(cursor.argument());
    checkTagContent(cursor, tag);
    encoding = LATER_ENCODINGS.get(tag) ?? encoding;
  }
  return encoding;
}

/** Throws if a time tag is on an item of another type. */
function checkTagContent(cursor: CborCursor, tag: number): void {
  const major = cursor.major();
  const refuse = (expected: string) =>
    new DecodeError('type', `cbor: tag number ${tag} must be followed by ${expected}, got ${majorName(major)}`);
  if (tag === 0 && major !== MAJOR.text) throw refuse('text string');
  const isNumber = major <= MAJOR.negative || (cursor.peek() >= 0xf9 && cursor.peek() <= 0xfb);
  if (tag === 1 && !isNumber) throw refuse('integer or floating-point number');
}

/** Skips the tag that marks an item as CBOR. */
export function skipSelfDescribed(cursor: CborCursor): void {
  while (cursor.major() === MAJOR.tag) {
    const start = cursor.at;
    if (cursor.argument() === SELF_DESCRIBED) continue;
    cursor.at = start;
    return;
  }
}

/** An integer of 64 bits; beyond ±(2^53−1) a bigint. */
function decodeInteger(cursor: CborCursor, misfit: Misfit): number | bigint {
  const major = cursor.major();
  const value = readInteger(cursor);
  if (typeof value === 'number' || BigInt.asIntN(64, value) === value) return value;
  throw misfit(major, 'int64', `${value} overflows Go's int64`);
}

function* decodeArray(cursor: CborCursor, misfit: Misfit, encoding: LaterEncoding): DecodingSteps<Json[]> {
  const array: Json[] = [];
  const count = cursor.open();
  for (let i = 0; cursor.hasItem(i, count); i++) {
    if (cursor.isPause()) yield;
    const start = cursor.at;
    try {
      const item = nextValue(cursor, misfit, encoding);
      array.push(item instanceof Later ? yield* item.steps : item);
    } catch (error) {
      cursor.passOver(start, error);
    }
  }
  return array;
}

/** A value that takes steps. */
export class Later<T> {
  readonly steps: DecodingSteps<T>;

  constructor(steps: DecodingSteps<T>) {
    this.steps = steps;
  }
}

/** Options for decoding the values of a map. */
export interface MapDecoder<T> {
  readonly misfit: Misfit;
  readonly encoding: LaterEncoding;
  /** Called with the cursor at a value. */
  readonly decode: () => T | Later<T>;
}

/** A map with text keys at the cursor. */
export function* decodeMap<T>(
  cursor: CborCursor,
  { misfit, encoding, decode }: MapDecoder<T>,
): DecodingSteps<{ [key: string]: T }> {
  const object: { [key: string]: T } = {};
  const { fault: before } = cursor;
  const count = cursor.open();
  let key = '';
  for (let i = 0; cursor.hasItem(i, count); i++) {
    if (cursor.isPause()) yield;
    const start = cursor.at;
    try {
      // Null leaves upstream's variable as it is.
      key = decodeKey(cursor, misfit, encoding) ?? key;
    } catch (error) {
      cursor.passOver(start, error);
      cursor.skip();
      continue;
    }
    const { at, faults } = cursor;
    try {
      const next = decode();
      const value = next instanceof Later ? yield* next.steps : next;
      // A member with a fault is none.
      if (cursor.faults !== faults) continue;
      if (Object.hasOwn(object, key)) {
        cursor.leaveMap(duplicateKey(key, i), before, i + 1, count);
        break;
      }
      setOwn(object, key, value);
    } catch (error) {
      cursor.passOver(at, error);
    }
  }
  return object;
}

/** A key of such a map: a text or a byte string; undefined for null. */
function decodeKey(cursor: CborCursor, misfit: Misfit, later: LaterEncoding): string | undefined {
  const encoding = skipTags(cursor, later);
  const major = cursor.major();
  if (major === MAJOR.text) return decodeText(cursor);
  if (major === MAJOR.bytes) return textOfBytes(cursor.string(), encoding);
  if (major === MAJOR.primitive && decodePrimitive(cursor) === null) return undefined;
  if (major !== MAJOR.negative) throw misfit(major, 'string');
  const value = readInteger(cursor);
  throw misfit(major, 'string', value < -(2n ** 63n) ? `${value} overflows Go's int64` : undefined);
}

/** The error of a duplicate key, which makes the whole map invalid. */
export function duplicateKey(key: Json, index: number): DecodeError {
  const shown = typeof key === 'string' ? quote(key) : key === null ? '<nil>' : String(key);
  return new DecodeError('syntax', `cbor: found duplicate map key ${shown} at map element index ${index}`);
}
