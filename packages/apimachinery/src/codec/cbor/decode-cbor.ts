import { atOnce } from '../../clock/at-once.js';
import { DecodeError } from '../../errors/decode-error.js';
import { OMIT_EMPTY, STRING, struct } from '../../schema/builders.js';
import { textWithBytes } from '../../text/quote-bytes.js';
import type { Json, JsonObject } from '../../types/json.js';
import type { FieldValidation } from '../../types/options.js';
import { canonicalSteps } from '../canonical/canonicalize.js';
import type { DecodingSteps } from '../canonical/decoding-steps.js';
import { checkDepth, MAX_DEPTH_AT_REST, MAX_VALUE_DEPTH } from '../canonical/value-depth.js';
import type { Decoded, KindCodec } from '../kind-codec.js';
import { CborCursor, MAJOR } from './cbor-cursor.js';
import { checkWellFormed } from './check-well-formed.js';
import { decodePrimitive, decodeText, type LaterEncoding, readInteger, textOfBytes } from './decode-scalar.js';
import { decodeStruct, decodeStructSteps } from './decode-struct.js';
import { decodeValue, decodeValueSteps, misfitIn, skipSelfDescribed, skipTags } from './decode-value.js';

const NOTHING: readonly string[] = [];

/**
 * Canonical object of a kind from CBOR. apiVersion and kind are decoded, not checked. As upstream, only the first
 * unknown field is a strict error, and custom resources have none. Throws DecodeError with upstream's text.
 *
 * Upstream: k8s.io/apimachinery/pkg/runtime/serializer/cbor (serializer.Decode)
 */
export function decodeCbor<T>(codec: KindCodec<T>, bytes: Uint8Array, mode: FieldValidation): Decoded<T> {
  return atOnce(decodeCborSteps(codec, bytes, mode));
}

/** The same in steps, for large bodies. */
export function* decodeCborSteps<T>(
  codec: KindCodec<T>,
  bytes: Uint8Array,
  mode: FieldValidation,
): DecodingSteps<Decoded<T>> {
  const { schema, semantics } = codec.schema;
  if (semantics === 'structural') {
    const map = yield* decodeCborMapSteps(bytes);
    yield;
    return yield* codec.fromJsonSteps(map, 'Ignore');
  }
  const isDeep = checkItem(bytes);
  yield;
  const { value, unknownField } = yield* decodeStructSteps(bytes, schema);
  if (isDeep) checkDepth(value);
  yield;
  const object = (yield* canonicalSteps(schema, value, false)) as T;
  if (unknownField === undefined || mode === 'Ignore') return { object, strictErrors: NOTHING };
  return { object, strictErrors: [`cbor: found unknown field at map element index ${unknownField}`] };
}

/** The JSON value of a data item. Throws DecodeError with upstream's text. */
export function decodeCborValue(bytes: Uint8Array): Json {
  const isDeep = checkItem(bytes);
  const cursor = new CborCursor(bytes);
  const value = decodeValue(cursor, misfitIn());
  cursor.throwFault();
  if (isDeep) checkDepth(value);
  return value;
}

/** The same for a map; null is an empty one. */
export function decodeCborMap(bytes: Uint8Array): JsonObject {
  return atOnce(decodeCborMapSteps(bytes));
}

/** The same in steps, for large bodies. */
export function* decodeCborMapSteps(bytes: Uint8Array): DecodingSteps<JsonObject> {
  const isDeep = checkItem(bytes);
  yield;
  const cursor = new CborCursor(bytes);
  skipSelfDescribed(cursor);
  const start = cursor.at;
  skipTags(cursor, undefined);
  if (cursor.major() !== MAJOR.map) {
    refuseItem(cursor, 'map[string]interface {}');
    return {};
  }
  cursor.at = start;
  const value = (yield* decodeValueSteps(cursor, misfitIn(), undefined)) as JsonObject;
  cursor.throwFault();
  if (isDeep) checkDepth(value);
  return value;
}

/** Throws for an item of another type, unless it is null. The item has no tags. */
function refuseItem(cursor: CborCursor, goType: string): void {
  const major = cursor.major();
  if (major === MAJOR.text) decodeText(cursor);
  if (major === MAJOR.primitive && decodePrimitive(cursor) === null) return;
  const value = major === MAJOR.negative ? readInteger(cursor) : 0;
  throw misfitIn()(major, goType, value < -(2n ** 63n) ? `${value} overflows Go's int64` : undefined);
}

/**
 * The type that a data item declares; "" for a member that it lacks. Lone surrogates in it stand for bytes that are no
 * UTF-8 (see `quoteWithBytes`). Throws DecodeError with upstream's text.
 *
 * Upstream: defaultMetaFactory.Interpret in k8s.io/apimachinery/pkg/runtime/serializer/cbor
 */
export function cborTypeMeta(bytes: Uint8Array): { readonly apiVersion: string; readonly kind: string } {
  try {
    checkItem(bytes);
    const { value } = decodeStruct(bytes, TYPE_META, keepBytes);
    const { apiVersion, kind } = value as { readonly apiVersion?: string | null; readonly kind?: string | null };
    return { apiVersion: apiVersion ?? '', kind: kind ?? '' };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new DecodeError(error.reason, `unable to determine group/version/kind: ${error.message}`);
  }
}

/**
 * Reads only `metadata.managedFields` of an object, which decoding drops where it is empty. Undefined for an unreadable
 * object: the decoder reports the error.
 */
export function cborManagedFields(bytes: Uint8Array): unknown {
  try {
    return decodeStruct(bytes, MANAGED_META).value;
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

const MANAGED_META = struct('', '', () => [
  ['metadata', 1, struct('', '', () => [['managedFields', 1, { type: 'json' }, OMIT_EMPTY]]), OMIT_EMPTY],
]);

/** Messages quote each byte of a kind. */
function keepBytes(bytes: Buffer, later: LaterEncoding): string {
  return later === undefined ? textWithBytes(bytes) : textOfBytes(bytes, later);
}

const TYPE_META = struct('', 'v1.TypeMeta', () => [
  ['kind', 1, STRING, OMIT_EMPTY],
  ['apiVersion', 2, STRING, OMIT_EMPTY],
]);

/** Throws DecodeError for bytes that are no item. Returns whether the item may be too deep for an object. */
function checkItem(bytes: Uint8Array): boolean {
  const depth = checkWellFormed(bytes);
  if (depth > MAX_DEPTH_AT_REST) throw new DecodeError('syntax', 'exceeded max depth');
  return depth > MAX_VALUE_DEPTH;
}
