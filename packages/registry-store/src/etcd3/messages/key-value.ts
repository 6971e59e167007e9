import type { BinaryReader } from '@bufbuild/protobuf/wire';
import type { KeyValue } from '../../key-value-store.js';

/** A view of the same memory as a Buffer, which reads text fastest. */
function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A key. etcd's keys are bytes; ours are all text. */
export function readKey(reader: BinaryReader): string {
  return bufferOf(reader.bytes()).toString('utf8');
}

/** A revision or count; these stay far below 2^53. */
export function readInt64(reader: BinaryReader): number {
  return Number(reader.int64());
}

/** Reads every field up to the end of `reader`; fields for which `read` returns false are skipped. */
export function readFields(reader: BinaryReader, end: number, read: (field: number) => boolean): void {
  while (reader.pos < end) {
    const [field, wireType] = reader.tag();
    if (!read(field)) reader.skip(wireType, field);
  }
}

/** The end of the message at the cursor. */
export function messageEnd(reader: BinaryReader): number {
  const length = reader.uint32();
  return reader.pos + length;
}

/** An entry, with the revision that created its key and its version. The value is a view into the response. */
export interface EtcdKeyValue extends KeyValue {
  readonly createRevision: number;
  readonly version: number;
}

/** mvccpb.KeyValue */
export function readKeyValue(reader: BinaryReader): EtcdKeyValue {
  let key = '';
  let value: Uint8Array = new Uint8Array(0);
  let createRevision = 0;
  let modRevision = 0;
  let version = 0;
  readFields(reader, messageEnd(reader), (field) => {
    if (field === 1) key = readKey(reader);
    else if (field === 2) createRevision = readInt64(reader);
    else if (field === 3) modRevision = readInt64(reader);
    else if (field === 4) version = readInt64(reader);
    else if (field === 5) value = reader.bytes();
    else return false;
    return true;
  });
  return { key, value, createRevision, modRevision, version };
}

/** The revision of an etcdserverpb.ResponseHeader. */
export function readHeader(reader: BinaryReader): number {
  let revision = 0;
  readFields(reader, messageEnd(reader), (field) => {
    if (field !== 3) return false;
    revision = readInt64(reader);
    return true;
  });
  return revision;
}
