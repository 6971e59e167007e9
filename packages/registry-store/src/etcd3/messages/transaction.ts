import { encodeWith } from '@apiserver/apimachinery/codec/protobuf';
import { BinaryReader, type BinaryWriter } from '@bufbuild/protobuf/wire';
import { type EtcdKeyValue, messageEnd, readFields, readHeader } from './key-value.js';
import { readRangeResponse, writeRange } from './range.js';

/** Condition on a key for the transaction's first branch: etcdserverpb.Compare with EQUAL. */
interface EtcdComparison {
  readonly key: string;
  readonly target: 'version' | 'modRevision';
  readonly value: number;
}

/** One write. `lease` is the id of an etcd lease. */
export type EtcdWrite =
  | { readonly type: 'put'; readonly key: string; readonly value: Uint8Array; readonly lease?: number }
  | { readonly type: 'delete'; readonly key: string };

/** If the comparison holds the write is made; otherwise the compared key is read. */
export interface EtcdTransaction {
  readonly comparison: EtcdComparison;
  readonly write: EtcdWrite;
}

/** The outcome of a transaction. */
export interface EtcdTransactionResponse {
  readonly succeeded: boolean;
  /** The revision of the write, or of the read if nothing was written. */
  readonly revision: number;
  /** The state of the key if the comparison failed. */
  readonly current: EtcdKeyValue | undefined;
}

const COMPARE_TARGETS = { version: 0, modRevision: 2 } as const;
/** The field of Compare with the compared number. */
const COMPARE_FIELDS = { version: 0x20, modRevision: 0x30 } as const;

/** etcdserverpb.TxnRequest */
export function encodeTransaction({ comparison, write }: EtcdTransaction): Uint8Array {
  return encodeWith((writer) => {
    const target = COMPARE_TARGETS[comparison.target];
    writer.uint32(0x0a).fork();
    if (target !== 0) writer.uint32(0x10).int32(target);
    writer.uint32(0x1a).string(comparison.key);
    writer.uint32(COMPARE_FIELDS[comparison.target]).int64(comparison.value).join();
    writer.uint32(0x12).fork();
    writeOperation(writer, write);
    writer.join();
    writer.uint32(0x1a);
    writeRead(writer, comparison.key);
  });
}

/** A TxnRequest that compares nothing and reads keys. */
export function encodeReads(keys: readonly string[]): Uint8Array {
  return encodeWith((writer) => {
    for (const key of keys) {
      writer.uint32(0x12);
      writeRead(writer, key);
    }
  });
}

/** A RequestOp that reads a key, without its tag. */
function writeRead(writer: BinaryWriter, key: string): void {
  writer.fork().uint32(0x0a).fork();
  writeRange(writer, { key });
  writer.join().join();
}

/** etcdserverpb.RequestOp */
function writeOperation(writer: BinaryWriter, write: EtcdWrite): void {
  if (write.type === 'delete') {
    writer.uint32(0x1a).fork().uint32(0x0a).string(write.key).join();
    return;
  }
  writer.uint32(0x12).fork();
  writer.uint32(0x0a).string(write.key).uint32(0x12).bytes(write.value);
  if (write.lease !== undefined) writer.uint32(0x18).int64(write.lease);
  writer.join();
}

/** etcdserverpb.TxnResponse */
export function decodeTransactionResponse(bytes: Uint8Array): EtcdTransactionResponse {
  const { revision, succeeded, kvs } = decodeReads(bytes);
  return { succeeded, revision, current: kvs[0] };
}

/** Results of a transaction's reads, in order; undefined for an absent key, and for other operations. */
export function decodeReads(bytes: Uint8Array): {
  readonly succeeded: boolean;
  readonly revision: number;
  readonly kvs: readonly (EtcdKeyValue | undefined)[];
} {
  const reader = new BinaryReader(bytes);
  let revision = 0;
  let succeeded = false;
  const kvs: (EtcdKeyValue | undefined)[] = [];
  readFields(reader, reader.len, (field) => {
    if (field === 1) revision = readHeader(reader);
    else if (field === 2) succeeded = reader.bool();
    else if (field === 3) kvs.push(readOperationResponse(reader));
    else return false;
    return true;
  });
  return { succeeded, revision, kvs };
}

/** The first entry of a ResponseOp that is a range. */
function readOperationResponse(reader: BinaryReader): EtcdKeyValue | undefined {
  let first: EtcdKeyValue | undefined;
  readFields(reader, messageEnd(reader), (field) => {
    if (field !== 1) return false;
    first = readRangeResponse(reader, messageEnd(reader)).kvs[0];
    return true;
  });
  return first;
}
