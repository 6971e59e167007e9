/**
 * The bytes around protobuf objects: `k8s\0`, then runtime.Unknown { typeMeta = 1 { apiVersion = 1, kind = 2 }, raw =
 * 2, contentEncoding = 3, contentType = 4 }, every field always written, as upstream.
 *
 * Upstream: k8s.io/apimachinery/pkg/runtime/serializer/protobuf
 */
const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);
const NO_CONTENT_ENCODING_OR_TYPE = Buffer.from([0x1a, 0x00, 0x22, 0x00]);

/** The bytes before a raw message of this length. `envelopeTail` follows it. */
export function envelopeHead(apiVersion: string, kind: string, rawLength: number): Uint8Array {
  return Buffer.concat([MAGIC, typeMetaField(apiVersion, kind), fieldHead(2, rawLength)]);
}

/** The bytes after the raw message. */
export function envelopeTail(): Uint8Array {
  return NO_CONTENT_ENCODING_OR_TYPE;
}

/**
 * The message in an envelope of this server as the field `items` of a list, in the same memory: `raw` of an envelope
 * and `items` of every list have the same number. `typeMetaLength` is that of the envelope's kind.
 */
export function itemOfEnvelope(bytes: Uint8Array, typeMetaLength: number): Uint8Array {
  return bytes.subarray(MAGIC.length + typeMetaLength, bytes.length - NO_CONTENT_ENCODING_OR_TYPE.length);
}

/** The length of the field `typeMeta` in envelopes of a kind. */
export function typeMetaLength(apiVersion: string, kind: string): number {
  return typeMetaField(apiVersion, kind).length;
}

function typeMetaField(apiVersion: string, kind: string): Uint8Array {
  const fields = [lengthDelimited(1, Buffer.from(apiVersion)), lengthDelimited(2, Buffer.from(kind))];
  return lengthDelimited(1, Buffer.concat(fields));
}

/** A field's tag and length, for bytes that follow on their own. */
export function fieldHead(field: number, length: number): Uint8Array {
  return Buffer.from([(field << 3) | 2, ...varint(length)]);
}

/** A whole length-delimited field. */
export function lengthDelimited(field: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([fieldHead(field, bytes.length), bytes]);
}

/** A number field, 0 included. */
export function varintField(field: number, value: number): Uint8Array {
  return Buffer.from([field << 3, ...varint(value)]);
}

function varint(value: number): number[] {
  if (value < 0) return negativeVarint(value);
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return bytes;
}

/** Ten bytes: all 64 bits. */
function negativeVarint(value: number): number[] {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return bytes;
}
