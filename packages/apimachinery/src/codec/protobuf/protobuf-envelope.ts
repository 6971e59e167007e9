import { type BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { DecodeError } from '../../errors/decode-error.js';
import { isParseError } from '../../text/parse-error.js';
import { textWithBytes } from '../../text/quote-bytes.js';
import type { DecodingSteps } from '../canonical/decoding-steps.js';
import { encodeWith } from './kept-writer.js';
import { ProtobufReader } from './protobuf-reader.js';

/** `k8s\0`: the prefix of a protobuf object on the wire and at rest. */
export const PROTOBUF_MAGIC: Uint8Array = Uint8Array.of(0x6b, 0x38, 0x73, 0);

/** The content of a runtime.Unknown. Lone surrogates in a type stand for bytes that are no UTF-8. */
export interface UnknownObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
  readonly contentEncoding: string;
  readonly contentType: string;
}

/** The type in an envelope. */
export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Wraps a message into the envelope: the magic, then a runtime.Unknown with the object's type and the message. */
export function wrapUnknown(typeMeta: TypeMeta, raw: Uint8Array): Uint8Array {
  return encodeWith((writer) => writeUnknown(writer, typeMeta, () => writer.raw(raw)));
}

/** The same where `message` writes the message. */
export function writeUnknown(writer: BinaryWriter, { apiVersion, kind }: TypeMeta, message: () => void): void {
  writer.raw(PROTOBUF_MAGIC);
  writer.uint32(0x0a).fork().uint32(0x0a).string(apiVersion).uint32(0x12).string(kind).join();
  writer.uint32(0x12).fork();
  message();
  writer.join().uint32(0x1a).string('').uint32(0x22).string('');
}

/** Reports whether bytes start like a protobuf object. */
export function isProtobufObject(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && bytes[0] === 0x6b && bytes[1] === 0x38 && bytes[2] === 0x73 && bytes[3] === 0;
}

/**
 * Opens the envelope. `raw` is a view into `bytes`. Throws DecodeError with upstream's text.
 *
 * Upstream: k8s.io/apimachinery/pkg/runtime/serializer/protobuf/protobuf.go
 */
export function unwrapUnknown(bytes: Uint8Array): UnknownObject {
  if (bytes.length === 0) throw new DecodeError('syntax', 'empty data');
  if (!isProtobufObject(bytes)) {
    const prefix = `[${PROTOBUF_MAGIC.join(' ')}]`;
    throw new DecodeError(
      'syntax',
      `provided data does not appear to be a protobuf message, expected prefix ${prefix}`,
    );
  }
  if (bytes.length === 4) throw new DecodeError('syntax', 'empty body');
  return readingProtobuf(() => readUnknown(bytes.subarray(4)));
}

/** Runs a reader of protobuf and converts its errors. Only those of the wire library are about protobuf. */
export function readingProtobuf<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DecodeError) throw error;
    if (error instanceof RangeError) throw new DecodeError('syntax', 'unexpected EOF');
    if (isParseError(error)) throw new DecodeError('syntax', error.message);
    if (error instanceof Error) throw new DecodeError('syntax', `proto: ${error.message}`);
    throw error;
  }
}

/** The same of a reader in steps. */
export function* readingProtobufSteps<T>(steps: DecodingSteps<T>): DecodingSteps<T> {
  for (;;) {
    const { done, value } = readingProtobuf(() => steps.next());
    if (done) return value;
    yield;
  }
}

/** Names of the fields by their numbers. */
const UNKNOWN_FIELDS: readonly (string | undefined)[] = [
  undefined,
  'TypeMeta',
  'Raw',
  'ContentEncoding',
  'ContentType',
];
const TYPE_META_FIELDS: readonly (string | undefined)[] = [undefined, 'APIVersion', 'Kind'];

/** All known fields are texts, bytes or messages. */
function checkWireType(name: string | undefined, wireType: WireType): void {
  if (name === undefined || wireType === WireType.LengthDelimited) return;
  throw new DecodeError('syntax', `proto: wrong wireType = ${wireType} for field ${name}`);
}

function readUnknown(bytes: Uint8Array): UnknownObject {
  const reader = new ProtobufReader(bytes, undefined);
  const typeMeta = { apiVersion: '', kind: '' };
  // Parts may be repeated a million times, and a view or a reader for each would cost more than all else.
  let raw = { start: 0, end: 0 };
  let contentEncoding = '';
  let contentType = '';
  reader.fields(bytes.length, (field, wireType) => {
    checkWireType(UNKNOWN_FIELDS[field], wireType);
    if (field === 1) readTypeMeta(reader, typeMeta);
    else if (field === 2) raw = reader.skipped();
    else if (field === 3) contentEncoding = reader.string();
    else if (field === 4) contentType = reader.string();
    else return false;
    return true;
  });
  return { ...typeMeta, raw: bytes.subarray(raw.start, raw.end), contentEncoding, contentType };
}

/** A second message adds to the first one. */
function readTypeMeta(reader: ProtobufReader, typeMeta: { apiVersion: string; kind: string }): void {
  reader.fields(reader.end(), (field, wireType) => {
    checkWireType(TYPE_META_FIELDS[field], wireType);
    if (field === 1) typeMeta.apiVersion = keptText(reader);
    else if (field === 2) typeMeta.kind = keptText(reader);
    else return false;
    return true;
  });
}

/** Messages quote each byte of a kind. */
function keptText(reader: ProtobufReader): string {
  const start = reader.wire.pos;
  const text = reader.string();
  if (!text.includes('\ufffd')) return text;
  reader.wire.pos = start;
  return textWithBytes(reader.bytes());
}
