import { sortKeys } from '../../json/compare-keys.js';
import { flatFields } from '../../schema/flat-fields.js';
import type { Schema, StructSchema } from '../../schema/schema.js';
import { escapeHtml } from '../../text/escape-html.js';
import { hasShortEscapes, lengthenEscapes } from '../../text/long-escapes.js';
import { newContext } from '../canonical/canonical-context.js';
import { canonicalizer } from '../canonical/canonicalize.js';
import type { DecodingSteps } from '../canonical/decoding-steps.js';
import { canonicalJsonSteps, writeText } from './canonical-json-steps.js';
import { mayHaveHtml, writeFloat, writeScalar, writeValue } from './stringify-json.js';

/**
 * Encodes an object in Go's JSON. The object is not changed; unknown fields are left out. `asFromProtobuf`: as after a
 * round trip through protobuf.
 */
export function encodeJsonBytes(schema: StructSchema, object: unknown, asFromProtobuf = false): Uint8Array {
  return writeCanonical(schema, canonicalOf(schema, object, asFromProtobuf));
}

/**
 * The same in steps, for large objects. They only refer to the object until the first one, and then to what is left.
 */
export function encodeJsonBytesSteps(
  schema: StructSchema,
  object: unknown,
  asFromProtobuf = false,
): DecodingSteps<Uint8Array> {
  return encodingSteps(schema, { object }, asFromProtobuf);
}

function* encodingSteps(schema: StructSchema, source: Source, asFromProtobuf: boolean): DecodingSteps<Uint8Array> {
  const steps = beginEncoding(schema, source, asFromProtobuf);
  yield;
  return yield* steps;
}

/** The object to encode, until it is taken. */
interface Source {
  object: unknown;
}

/** A separate function: the variables of paused steps would keep the object. */
function beginEncoding(schema: StructSchema, source: Source, asFromProtobuf: boolean): DecodingSteps<Uint8Array> {
  const { value, unordered } = canonicalOf(schema, source.object, asFromProtobuf);
  source.object = undefined;
  return canonicalJsonSteps(schema, value, { unordered, encode: escapeHtmlBytes });
}

interface Canonical {
  readonly value: unknown;
  /** JavaScript's own writer would put its keys in another order. */
  readonly unordered: boolean;
}

function canonicalOf(schema: StructSchema, object: unknown, asFromProtobuf: boolean): Canonical {
  const context = newContext({ owned: false, lenient: true, trusted: true, asFromProtobuf });
  const value = canonicalizer(schema)(object, context);
  return { value, unordered: context.unordered };
}

function writeCanonical(schema: StructSchema, { value, unordered }: Canonical): Uint8Array {
  const text = unordered ? undefined : stringify(schema, value);
  return escapeHtmlBytes(text === undefined || mayHaveShortKeys(text) ? writeTyped(schema, value) : text);
}

/** Reports whether keys of managed fields may have escapes that only JavaScript writes. */
function mayHaveShortKeys(text: string): boolean {
  return hasShortEscapes(text) && text.includes('"fieldsV1":');
}

function stringify(schema: Schema, canonical: unknown): string {
  try {
    return JSON.stringify(canonical);
  } catch (error) {
    // The value has a bigint, which the native writer rejects.
    if (error instanceof TypeError) return writeTyped(schema, canonical);
    throw error;
  }
}

/** Most objects need no escapes; native searches find that faster than one pass over the text. */
function escapeHtmlBytes(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'utf8');
  return mayHaveHtml(bytes) ? Buffer.from(escapeHtml(text), 'utf8') : bytes;
}

/** The canonical value as text, member by member, for values that JSON.stringify cannot write. */
function writeTyped(schema: Schema, value: unknown): string {
  if (value === null || value === undefined) return 'null';
  switch (schema.type) {
    case 'struct':
      return writeStruct(schema, value as { [key: string]: unknown });
    case 'map':
      return writeMap(schema.element, value as { [key: string]: unknown });
    case 'list':
      return `[${(value as unknown[]).map((item) => writeTyped(schema.element, item)).join(',')}]`;
    case 'schemaOr':
      if (Array.isArray(value)) return `[${value.map((item) => writeTyped(schema.props, item)).join(',')}]`;
      return typeof value === 'object' ? writeTyped(schema.props, value) : writeScalar(value);
    case 'any':
      return writeValue(value);
    case 'float64':
      return writeFloat(value);
    case 'fieldsV1':
      return lengthenEscapes(writeRaw(value));
    default:
      return writeRaw(value);
  }
}

function writeStruct(schema: StructSchema, value: { [key: string]: unknown }): string {
  const members = flatFields(schema)
    .filter((field) => Object.hasOwn(value, field.name))
    .map((field) => `${writeScalar(field.name)}:${writeTyped(field.schema, value[field.name])}`);
  return `{${members.join(',')}}`;
}

function writeMap(element: Schema, value: { [key: string]: unknown }): string {
  let text = '';
  for (const key of sortKeys(Object.keys(value))) {
    const member = value[key];
    text += `${text === '' ? '' : ','}${writeText(key)}:${typeof member === 'string' ? writeText(member) : writeTyped(element, member)}`;
  }
  return `{${text}}`;
}

/** A raw value as JSON without HTML escapes, with its keys in their order. */
export function writeRaw(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeRaw).join(',')}]`;
  if (typeof value !== 'object' || value === null) return writeScalar(value);
  let text = '';
  for (const key in value) {
    const member = (value as { readonly [key: string]: unknown })[key];
    text += `${text === '' ? '' : ','}${writeText(key)}:${writeRaw(member)}`;
  }
  return `{${text}}`;
}
