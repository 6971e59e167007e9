import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { BoundedReader } from '../../grpc/bounded-reader.js';

// The messages of the protocol of plugins. Upstream: k8s.io/kms/apis/v2/api.proto

/** Strings and bytes that a plugin returns with a key and needs for its decryption. */
export type Annotations = ReadonlyMap<string, Uint8Array>;

/** The status that a plugin reports. */
export interface KmsStatus {
  readonly version: string;
  /** `ok`, or the fault. */
  readonly healthz: string;
  readonly keyId: string;
}

/** The result of an encryption by a plugin. */
export interface KmsCiphertext {
  readonly ciphertext: Uint8Array;
  readonly keyId: string;
  readonly annotations: Annotations;
}

/** An EncryptRequest. `uid` identifies the call in logs. */
export function encodeEncryptRequest(plaintext: Uint8Array, uid: string): Uint8Array {
  return new BinaryWriter()
    .tag(1, WireType.LengthDelimited)
    .bytes(plaintext)
    .tag(2, WireType.LengthDelimited)
    .string(uid)
    .finish();
}

/** A DecryptRequest. `uid` identifies the call in logs. */
export function encodeDecryptRequest({ ciphertext, keyId, annotations }: KmsCiphertext, uid: string): Uint8Array {
  const writer = new BinaryWriter();
  writer.tag(1, WireType.LengthDelimited).bytes(ciphertext);
  writer.tag(2, WireType.LengthDelimited).string(uid);
  writer.tag(3, WireType.LengthDelimited).string(keyId);
  writeAnnotations(writer, 4, annotations);
  return writer.finish();
}

/** Reads a StatusResponse. Fields that are absent are empty. Throws an Error for bytes that are no message. */
export function decodeStatusResponse(bytes: Uint8Array): KmsStatus {
  const reader = new BoundedReader(bytes);
  const status = { version: '', healthz: '', keyId: '' };
  readFields(reader, (field) => {
    if (field === 1) status.version = reader.string();
    else if (field === 2) status.healthz = reader.string();
    else if (field === 3) status.keyId = reader.string();
    else return false;
    return true;
  });
  return status;
}

/** Reads an EncryptResponse, as `decodeStatusResponse`. */
export function decodeEncryptResponse(bytes: Uint8Array): KmsCiphertext {
  const reader = new BoundedReader(bytes);
  const annotations = new Map<string, Uint8Array>();
  let ciphertext: Uint8Array = new Uint8Array(0);
  let keyId = '';
  readFields(reader, (field) => {
    if (field === 1) ciphertext = reader.bytes();
    else if (field === 2) keyId = reader.string();
    else if (field === 3) readAnnotation(reader, annotations);
    else return false;
    return true;
  });
  return { ciphertext, keyId, annotations };
}

/** The plaintext in a DecryptResponse, read as `decodeStatusResponse`. */
export function decodeDecryptResponse(bytes: Uint8Array): Uint8Array {
  const reader = new BoundedReader(bytes);
  let plaintext: Uint8Array = new Uint8Array(0);
  readFields(reader, (field) => {
    if (field !== 1) return false;
    plaintext = reader.bytes();
    return true;
  });
  return plaintext;
}

/** Reads every field of a message; fields for which `read` returns false are skipped. */
export function readFields(reader: BoundedReader, read: (field: number) => boolean, end: number = reader.len): void {
  while (reader.pos < end) {
    const [field, wireType] = reader.tag();
    if (!read(field)) reader.skip(wireType, field);
  }
}

/** An entry of a map<string, bytes>. */
export function readAnnotation(reader: BoundedReader, into: Map<string, Uint8Array>): void {
  const length = reader.uint32();
  let name = '';
  let value: Uint8Array = new Uint8Array(0);
  readFields(
    reader,
    (field) => {
      if (field === 1) name = reader.string();
      else if (field === 2) value = reader.bytes();
      else return false;
      return true;
    },
    reader.pos + length,
  );
  into.set(name, value);
}

/** A map<string, bytes>. */
export function writeAnnotations(writer: BinaryWriter, field: number, annotations: Annotations): void {
  for (const [name, value] of annotations) {
    writer.tag(field, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(name);
    writer.tag(2, WireType.LengthDelimited).bytes(value).join();
  }
}
