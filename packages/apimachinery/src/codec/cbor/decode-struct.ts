import { DecodeError } from '../../errors/decode-error.js';
import { setOwn } from '../../json/set-own.js';
import { goNameOf } from '../../schema/builders.js';
import { fieldsByName } from '../../schema/flat-fields.js';
import type { Schema, StructSchema } from '../../schema/schema.js';
import { base64Fault } from '../canonical/base64.js';
import type { OwnTextSchema } from '../json/exact-scalars.js';
import { CborCursor, MAJOR, majorName } from './cbor-cursor.js';
import { decodeOwn, integerOf } from './decode-own.js';
import { decodePrimitive, decodeText, type LaterEncoding, readInteger, textOfBytes } from './decode-scalar.js';
import {
  decodeMap,
  decodeValue,
  duplicateKey,
  type Misfit,
  misfitIn,
  skipSelfDescribed,
  skipTags,
} from './decode-value.js';

/**
 * Decodes a struct from a well-formed data item, as upstream decodes into a Go struct. All types in the result are
 * right; the canonicalizer handles nulls, zero values and order. `unknownField` is the index of the first unknown key
 * in its map. Throws DecodeError with upstream's text.
 *
 * Upstream: parseMapToStruct in github.com/fxamacker/cbor/v2
 */
export function decodeStruct(
  bytes: Uint8Array,
  schema: StructSchema,
): { readonly value: unknown; readonly unknownField: number | undefined } {
  const decoder = new StructDecoder(bytes);
  const value = decoder.decode(schema, false, undefined);
  return { value: value ?? {}, unknownField: decoder.unknownField };
}

class StructDecoder {
  /** The index of the first unknown key; a key of an outer struct precedes those of inner ones. */
  unknownField: number | undefined;
  readonly #cursor: CborCursor;
  /** Names the field of the outermost struct, as upstream. */
  #misfit: Misfit = misfitIn();
  #depth = 0;

  constructor(bytes: Uint8Array) {
    this.#cursor = new CborCursor(bytes);
  }

  /** The value at the cursor; null and undefined for null. */
  decode(schema: Schema, pointer: boolean, later: LaterEncoding): unknown {
    const cursor = this.#cursor;
    if (pointer && cursor.isNil()) {
      cursor.argument();
      return null;
    }
    skipSelfDescribed(cursor);
    switch (schema.type) {
      case 'struct':
      case 'map':
      case 'list':
      case 'bytes':
      case 'string':
      case 'bool':
      case 'int32':
      case 'int64':
      case 'float64':
        return this.#fill(schema, skipTags(cursor, later));
      case 'any':
        return decodeValue(cursor, this.#misfit, later);
      default: {
        const start = cursor.at;
        skipTags(cursor, undefined);
        cursor.at = start;
        return decodeOwn(schema, cursor.skip(), this.#misfit);
      }
    }
  }

  #fill(schema: Exclude<Schema, OwnTextSchema>, later: LaterEncoding): unknown {
    const { type } = schema;
    const major = this.#cursor.major();
    switch (major) {
      case MAJOR.unsigned:
      case MAJOR.negative:
        return integerOf(this.#cursor, schema, this.#misfit);
      case MAJOR.bytes:
        return this.#byteString(schema, later);
      case MAJOR.text:
        if (type === 'string') return decodeText(this.#cursor);
        break;
      case MAJOR.array:
        if (type === 'list') return this.#list(schema.element, later);
        if (type !== 'struct') break;
        throw this.#misfit(major, schema.goName, 'cannot decode CBOR array to struct without toarray option');
      case MAJOR.map:
        if (type === 'struct') return this.#struct(schema, later);
        if (type === 'map') return this.#map(schema.element, later);
        break;
      default:
        return this.#primitive(schema);
    }
    throw this.#misfit(major, goNameOf(schema));
  }

  #primitive(schema: Schema): unknown {
    const value = decodePrimitive(this.#cursor);
    if (value === null || (typeof value === 'boolean' ? schema.type === 'bool' : schema.type === 'float64'))
      return value;
    throw this.#misfit(MAJOR.primitive, goNameOf(schema));
  }

  #byteString(schema: Schema, later: LaterEncoding): string {
    const bytes = this.#cursor.string();
    if (schema.type === 'string') return textOfBytes(bytes, later);
    if (schema.type !== 'bytes') throw this.#misfit(MAJOR.bytes, goNameOf(schema));
    if (later !== undefined) return bytes.toString('base64');
    // Without a tag the bytes themselves are base64, as in JSON.
    const text = bytes.toString('latin1');
    const fault = base64Fault(text);
    if (fault === undefined) return text;
    const reason = `illegal base64 data at input byte ${fault}`;
    throw new DecodeError('type', `cbor: failed to decode base64 from byte string: ${reason}`);
  }

  #list(element: Schema, later: LaterEncoding): unknown[] {
    const list: unknown[] = [];
    this.#cursor.items(() => {
      list.push(this.decode(element, false, later));
    });
    return list;
  }

  #map(element: Schema, encoding: LaterEncoding): { [key: string]: unknown } {
    const decode = () => this.decode(element, false, encoding);
    return decodeMap(this.#cursor, { misfit: this.#misfit, encoding, decode });
  }

  #struct(schema: StructSchema, later: LaterEncoding): { [key: string]: unknown } {
    const fields = fieldsByName(schema);
    const isOutermost = this.#depth++ === 0;
    const unknownBefore = this.unknownField;
    const out: { [key: string]: unknown } = {};
    const strangers = new Set<string>();
    let unknown: number | undefined;
    this.#cursor.items((index) => {
      const name = this.#fieldName();
      if (Object.hasOwn(out, name) || strangers.has(name)) throw duplicateKey(name, index);
      const field = fields.get(name);
      if (field === undefined) {
        unknown ??= index;
        strangers.add(name);
        this.#cursor.skip();
        return;
      }
      if (isOutermost) this.#misfit = misfitIn(`${schema.goName}.${name}`);
      setOwn(out, name, this.decode(field.schema, field.pointer, later));
    });
    if (unknownBefore === undefined && unknown !== undefined) this.unknownField = unknown;
    this.#depth--;
    return out;
  }

  /** The key at the cursor. Numbers are valid keys, though no field is named by one. */
  #fieldName(): string {
    const cursor = this.#cursor;
    const major = cursor.major();
    if (major === MAJOR.text) return decodeText(cursor);
    if (major === MAJOR.bytes) return textOfBytes(cursor.string(), undefined);
    if (major <= MAJOR.negative) return String(readInteger(cursor));
    const reason = `map key is of type ${majorName(major)} and cannot be used to match struct field name`;
    throw this.#misfit(major, 'string', reason);
  }
}
