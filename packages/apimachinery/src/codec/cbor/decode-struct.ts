import { atOnce } from '../../clock/at-once.js';
import { DecodeError } from '../../errors/decode-error.js';
import { setOwn } from '../../json/set-own.js';
import { goNameOf } from '../../schema/builders.js';
import { fieldsByName } from '../../schema/flat-fields.js';
import type { ListSchema, MapSchema, ScalarSchema, Schema, StructSchema } from '../../schema/schema.js';
import { zeroScalar } from '../../schema/zero-scalar.js';
import { base64Fault } from '../../text/base64.js';
import type { Json } from '../../types/json.js';
import type { DecodingSteps } from '../canonical/decoding-steps.js';
import type { OwnTextSchema } from '../json/exact-scalars.js';
import { CborCursor, MAJOR, majorName } from './cbor-cursor.js';
import { byteOf, decodeOwnSteps, integerOf, TranscodeError } from './decode-own.js';
import { decodePrimitive, decodeText, type LaterEncoding, readInteger, textOfBytes } from './decode-scalar.js';
import {
  decodeMap,
  decodeValue,
  decodeValueSteps,
  duplicateKey,
  Later,
  type Misfit,
  misfitIn,
  skipSelfDescribed,
  skipTags,
} from './decode-value.js';

/** A struct, and the index of the first unknown key in its map. */
export interface DecodedStruct {
  readonly value: unknown;
  readonly unknownField: number | undefined;
}

/**
 * Decodes a struct from a well-formed data item, as upstream decodes into a Go struct. All types in the result are
 * right; the canonicalizer handles nulls, zero values and order. Throws DecodeError with upstream's text.
 *
 * Upstream: parseMapToStruct in github.com/fxamacker/cbor/v2
 */
export function decodeStruct(
  bytes: Uint8Array,
  schema: StructSchema,
  textOf: TextOfBytes = textOfBytes,
): DecodedStruct {
  return atOnce(decodeStructSteps(bytes, schema, textOf));
}

/** The same in steps, for large objects. `textOf` reads the byte strings of texts. */
export function* decodeStructSteps(
  bytes: Uint8Array,
  schema: StructSchema,
  textOf: TextOfBytes = textOfBytes,
): DecodingSteps<DecodedStruct> {
  const decoder = new StructDecoder(bytes, textOf);
  const value = yield* decoder.steps(schema, false, undefined);
  decoder.throwFault();
  return { value: value ?? {}, unknownField: decoder.unknownField };
}

type TextOfBytes = typeof textOfBytes;

class StructDecoder {
  /** The index of the first unknown key; a key of an outer struct precedes those of inner ones. */
  unknownField: number | undefined;
  readonly #cursor: CborCursor;
  readonly #textOf: TextOfBytes;
  /** Names the field of the outermost struct, as upstream. */
  #misfit: Misfit = misfitIn();
  #depth = 0;
  /** The first fault of a raw value, which comes after all others. */
  #unread: TranscodeError | undefined;

  constructor(bytes: Uint8Array, textOf: TextOfBytes) {
    this.#cursor = new CborCursor(bytes);
    this.#textOf = textOf;
  }

  throwFault(): void {
    this.#cursor.throwFault();
    if (this.#unread !== undefined) throw this.#unread;
  }

  /** The value at the cursor; null and undefined for null. */
  *steps(schema: Schema, pointer: boolean, later: LaterEncoding): DecodingSteps<unknown> {
    const cursor = this.#cursor;
    if (this.#isNull(pointer)) return null;
    skipSelfDescribed(cursor);
    switch (schema.type) {
      case 'struct':
      case 'map':
      case 'list':
        return (yield* this.#nested(schema, later)) ?? (pointer && schema.type === 'struct' ? {} : null);
      case 'any':
        return yield* decodeValueSteps(cursor, this.#misfit, later);
      default:
        if (!isScalar(schema)) return yield* this.#own(schema);
    }
    const value = this.#scalar(schema, pointer, later);
    return value instanceof Later ? yield* value.steps : value;
  }

  /** The same, or a scalar itself. */
  #next(schema: Schema, pointer: boolean, later: LaterEncoding): unknown {
    if (!isScalar(schema)) return new Later(this.steps(schema, pointer, later));
    if (this.#isNull(pointer)) return null;
    skipSelfDescribed(this.#cursor);
    return this.#scalar(schema, pointer, later);
  }

  /** A null behind a tag is the zero value of what a pointer refers to. */
  #scalar(schema: ScalarOrBytes, pointer: boolean, later: LaterEncoding): unknown {
    const encoding = skipTags(this.#cursor, later);
    const isList = schema.type === 'bytes' && this.#cursor.major() === MAJOR.array;
    if (isList) return new Later(this.#bytesOfNumbers());
    return this.#fill(schema, encoding) ?? (pointer ? zeroScalar(schema) : null);
  }

  #isNull(pointer: boolean): boolean {
    if (!pointer || !this.#cursor.isNil()) return false;
    this.#cursor.argument();
    return true;
  }

  *#own(schema: OwnTextSchema): DecodingSteps<unknown> {
    const cursor = this.#cursor;
    const start = cursor.at;
    skipTags(cursor, undefined);
    cursor.at = start;
    try {
      return yield* decodeOwnSteps(schema, new CborCursor(cursor.skip(), 0, cursor), this.#misfit);
    } catch (error) {
      if (!(error instanceof TranscodeError)) throw error;
      this.#unread ??= error;
      if (cursor.countFault()) this.throwFault();
      return null;
    }
  }

  *#nested(schema: StructSchema | MapSchema | ListSchema, later: LaterEncoding): DecodingSteps<unknown> {
    const encoding = skipTags(this.#cursor, later);
    const major = this.#cursor.major();
    if (major === MAJOR.map && schema.type === 'struct') return yield* this.#struct(schema, encoding);
    if (major === MAJOR.map && schema.type === 'map') return yield* this.#map(schema.element, encoding);
    if (major === MAJOR.array && schema.type === 'list') return yield* this.#list(schema.element, encoding);
    if (major === MAJOR.array && schema.type === 'struct') {
      throw this.#misfit(major, schema.goName, 'cannot decode CBOR array to struct without toarray option');
    }
    return this.#fill(schema, encoding);
  }

  /** A value without nested ones, or one of a wrong type. */
  #fill(schema: Exclude<Schema, OwnTextSchema>, later: LaterEncoding): unknown {
    const major = this.#cursor.major();
    switch (major) {
      case MAJOR.unsigned:
      case MAJOR.negative:
        return integerOf(this.#cursor, schema, this.#misfit);
      case MAJOR.bytes:
        return this.#byteString(schema, later);
      case MAJOR.text: {
        const text = decodeText(this.#cursor);
        if (schema.type === 'string') return text;
        break;
      }
      case MAJOR.array:
      case MAJOR.map:
        break;
      default:
        return this.#primitive(schema);
    }
    throw this.#misfit(major, goNameOf(schema));
  }

  #primitive(schema: Schema): unknown {
    const value = decodePrimitive(this.#cursor);
    if (value === null || (typeof value === 'boolean' ? schema.type === 'bool' : schema.type === 'float64')) {
      return value;
    }
    throw this.#misfit(MAJOR.primitive, goNameOf(schema));
  }

  #byteString(schema: Schema, later: LaterEncoding): string {
    const bytes = this.#cursor.string();
    if (schema.type === 'string') return this.#textOf(bytes, later);
    if (schema.type !== 'bytes') throw this.#misfit(MAJOR.bytes, goNameOf(schema));
    if (later !== undefined) return bytes.toString('base64');
    // Without a tag the bytes themselves are base64, as in JSON.
    const text = bytes.toString('latin1');
    const fault = base64Fault(text);
    if (fault === undefined) return text;
    const reason = `illegal base64 data at input byte ${fault}`;
    throw new DecodeError('type', `cbor: failed to decode base64 from byte string: ${reason}`);
  }

  /** The bytes of a list of numbers, as base64. */
  *#bytesOfNumbers(): DecodingSteps<string> {
    const cursor = this.#cursor;
    const bytes: number[] = [];
    const count = cursor.open();
    for (let i = 0; cursor.hasItem(i, count); i++) {
      if (cursor.isPause()) yield;
      const start = cursor.at;
      try {
        skipTags(cursor, undefined);
        bytes.push(byteOf(cursor, this.#misfit));
      } catch (error) {
        cursor.passOver(start, error);
      }
    }
    return Buffer.from(bytes).toString('base64');
  }

  *#list(element: Schema, later: LaterEncoding): DecodingSteps<unknown[]> {
    const list: unknown[] = [];
    const count = this.#cursor.open();
    for (let i = 0; this.#cursor.hasItem(i, count); i++) {
      if (this.#cursor.isPause()) yield;
      const start = this.#cursor.at;
      try {
        const item = this.#next(element, false, later);
        list.push(item instanceof Later ? yield* item.steps : item);
      } catch (error) {
        this.#cursor.passOver(start, error);
      }
    }
    return list;
  }

  *#map(element: Schema, encoding: LaterEncoding): DecodingSteps<{ [key: string]: unknown }> {
    let last: unknown = null;
    // Null leaves upstream's variable as it is, which is that of the member before.
    const decode = () => {
      const next = this.#next(element, false, encoding);
      if (isScalar(element) && element.type !== 'bytes') last = next ?? last;
      return next ?? last;
    };
    return yield* decodeMap(this.#cursor, { misfit: this.#misfit, encoding, decode });
  }

  *#struct(schema: StructSchema, later: LaterEncoding): DecodingSteps<{ [key: string]: unknown }> {
    const cursor = this.#cursor;
    const fields = fieldsByName(schema);
    const isOutermost = this.#depth++ === 0;
    const { fault: before } = cursor;
    const unknownBefore = this.unknownField;
    const out: { [key: string]: unknown } = {};
    const seen = new Set<Json>();
    let unknown: number | undefined;
    const count = cursor.open();
    for (let i = 0; cursor.hasItem(i, count); i++) {
      if (cursor.isPause()) yield;
      if (isOutermost) this.#misfit = misfitIn();
      const name = this.#key();
      if (name === undefined) {
        cursor.skip();
        continue;
      }
      if (seen.has(name)) {
        cursor.skip();
        cursor.leaveMap(duplicateKey(name, i), before, i + 1, count);
        break;
      }
      seen.add(name);
      const field = typeof name === 'string' ? fields.get(name) : undefined;
      if (field === undefined) {
        unknown ??= i;
        cursor.skip();
        continue;
      }
      if (isOutermost) this.#misfit = misfitIn(`${schema.goName}.${name}`);
      const start = cursor.at;
      try {
        const value = this.#next(field.schema, field.pointer, later);
        setOwn(out, field.name, value instanceof Later ? yield* value.steps : value);
      } catch (error) {
        cursor.passOver(start, error);
      }
    }
    if (unknownBefore === undefined && unknown !== undefined) this.unknownField = unknown;
    this.#depth--;
    return out;
  }

  /** The key at the cursor; undefined if its member is skipped. Only texts name fields, but any key may be repeated. */
  #key(): Json | undefined {
    const cursor = this.#cursor;
    const start = cursor.at;
    const major = cursor.major();
    try {
      if (major === MAJOR.text) return decodeText(cursor);
      if (major === MAJOR.bytes) return textOfBytes(cursor.string(), undefined);
      if (major <= MAJOR.negative) return this.#integerName(readInteger(cursor));
      const reason = `map key is of type ${majorName(major)} and cannot be used to match struct field name`;
      throw this.#misfit(major, 'string', reason);
    } catch (error) {
      cursor.passOver(start, error);
    }
    return major < MAJOR.array ? undefined : this.#strangeKey(start);
  }

  /** A key of another type, behind which the cursor is; undefined if it has faults, or is an array or a map. */
  #strangeKey(start: number): Json | undefined {
    const cursor = new CborCursor(this.#cursor.bytes, start);
    try {
      const later = skipTags(cursor, undefined);
      const major = cursor.major();
      if (major === MAJOR.array || major === MAJOR.map) return undefined;
      cursor.at = start;
      return decodeValue(cursor, this.#misfit, later);
    } catch (error) {
      if (error instanceof DecodeError) return undefined;
      throw error;
    }
  }

  /** A number as upstream compares it with the other keys: those beyond 2^63 wrap around. */
  #integerName(value: number | bigint): bigint {
    if (value >= -(2n ** 63n)) return BigInt.asIntN(64, BigInt(value));
    throw this.#misfit(MAJOR.negative, 'int64', `-1-${-1n - BigInt(value)} overflows Go's int64`);
  }
}

type ScalarOrBytes = ScalarSchema | Extract<Schema, { type: 'bytes' }>;

function isScalar(schema: Schema): schema is ScalarOrBytes {
  return SCALARS.has(schema.type);
}

const SCALARS: ReadonlySet<Schema['type']> = new Set(['bytes', 'string', 'bool', 'int32', 'int64', 'float64']);
