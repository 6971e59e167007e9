import { atOnce } from '../../clock/at-once.js';
import type { KindSchema } from '../../schema/kind-schema.js';
import type { Schema, StructSchema } from '../../schema/schema.js';
import { newContext } from '../canonical/canonical-context.js';
import { canonicalizer } from '../canonical/canonicalize.js';
import type { DecodingSteps } from '../canonical/decoding-steps.js';
import { MAJOR } from './cbor-cursor.js';
import { cborFromJson } from './cbor-from-json.js';
import { CborValueWriter } from './cbor-value-writer.js';
import { CborWriter } from './cbor-writer.js';

type Members = { readonly [key: string]: unknown };

/** The tag in front of every object, which marks it as CBOR. RFC 8949, section 3.4.6 */
export const SELF_DESCRIBED_CBOR: Uint8Array = Uint8Array.of(0xd9, 0xd9, 0xf7);

const NOTHING = new Uint8Array();

/** Reports whether bytes start like an object in CBOR. Upstream: RecognizesData */
export function isCborObject(bytes: Uint8Array): boolean {
  return bytes[0] === 0xd9 && bytes[1] === 0xd9 && bytes[2] === 0xf7;
}

/**
 * Encodes an object of a kind in deterministic CBOR: shortest forms, keys sorted by their bytes. It starts with the
 * self-described tag.
 *
 * Upstream: k8s.io/apimachinery/pkg/runtime/serializer/cbor (serializer.Encode; responses of upstream shuffle the keys)
 */
export function encodeCbor<T>(kind: KindSchema<T>, object: T): Uint8Array {
  return atOnce(encodeCborSteps(kind, object));
}

/** The same in steps, for large objects. */
export function* encodeCborSteps<T>({ schema, semantics }: KindSchema<T>, object: T): DecodingSteps<Uint8Array> {
  const writer = new CborWriter();
  writer.raw(SELF_DESCRIBED_CBOR);
  if (semantics === 'structural') return yield* writeSteps(writer, undefined, object);
  const canonical = canonicalOf(schema, object);
  yield;
  return yield* writeSteps(writer, schema, canonical);
}

/** An item of a typed list, in steps: without the tag, kind and apiVersion. */
export function* encodeCborItemSteps<T>({ schema }: KindSchema<T>, object: T): DecodingSteps<Uint8Array> {
  const { kind: _kind, apiVersion: _apiVersion, ...members } = canonicalOf(schema, object) as Members;
  yield;
  return yield* writeSteps(new CborWriter(), schema, members);
}

/**
 * The result of `encodeCbor` for the object in JSON that this server wrote, without decoding it. Undefined where only
 * decoding can tell, so that each caller needs both ways.
 */
export function cborOfJson<T>({ schema, semantics }: KindSchema<T>, json: Uint8Array): Uint8Array | undefined {
  if (semantics === 'structural') return undefined;
  return cborFromJson(schema, json, { prefix: SELF_DESCRIBED_CBOR, withoutType: false });
}

/** The same for the result of `encodeCborItemSteps`. */
export function cborItemOfJson<T>({ schema }: KindSchema<T>, json: Uint8Array): Uint8Array | undefined {
  return cborFromJson(schema, json, { prefix: NOTHING, withoutType: true });
}

/**
 * The bytes before and after the items of a list; `items` is their number. Items follow the kind, because keys are
 * sorted.
 */
export function cborListEnds(
  { apiVersion, kind, metadata }: { readonly apiVersion: string; readonly kind: string; readonly metadata: object },
  items: number | null,
): { readonly head: Uint8Array; readonly tail: Uint8Array } {
  const head = new CborWriter();
  head.raw(SELF_DESCRIBED_CBOR);
  head.head(MAJOR.map, 4);
  for (const text of ['kind', kind, 'items']) head.text(text);
  if (items === null) head.null();
  else head.head(MAJOR.array, items);
  const tail = new CborWriter();
  tail.text('metadata');
  tail.raw(encodeCborValue(metadata));
  for (const text of ['apiVersion', apiVersion]) tail.text(text);
  return { head: head.finish(), tail: tail.finish() };
}

/** A plain JSON value in CBOR, without a tag. */
export function encodeCborValue(value: unknown): Uint8Array {
  return atOnce(encodeCborValueSteps(value));
}

/** The same in steps, for large values. */
export function encodeCborValueSteps(value: unknown): DecodingSteps<Uint8Array> {
  return writeSteps(new CborWriter(), undefined, value);
}

function canonicalOf(schema: StructSchema, object: unknown): unknown {
  const context = newContext({ owned: false, lenient: true, trusted: true });
  return canonicalizer(schema)(object, context);
}

function* writeSteps(writer: CborWriter, schema: Schema | undefined, value: unknown): DecodingSteps<Uint8Array> {
  yield* new CborValueWriter(writer).steps(schema, value);
  return writer.finish();
}
