import { encodeWith } from '@apiserver/apimachinery/codec/protobuf';
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { TimeSlice } from '../../mvcc/yielding.js';
import { type EtcdKeyValue, readFields, readHeader, readInt64, readKeyValue } from './key-value.js';

/** etcdserverpb.RangeRequest, as far as it is used here. */
export interface EtcdRange {
  readonly key: string;
  /** Absent: the key alone. */
  readonly end?: string;
  readonly limit?: number;
  readonly revision?: number;
  readonly keysOnly?: boolean;
  readonly countOnly?: boolean;
  /** What was written before this revision is counted and left out; then etcd looks at the whole range whatever `limit` says. */
  readonly minModRevision?: number;
}

/** etcdserverpb.RangeResponse */
export interface EtcdRangeAnswer {
  readonly kvs: readonly EtcdKeyValue[];
  readonly more: boolean;
  readonly count: number;
  readonly revision: number;
}

interface MutableAnswer {
  readonly kvs: EtcdKeyValue[];
  more: boolean;
  count: number;
  revision: number;
}

export function encodeRange(range: EtcdRange): Uint8Array {
  return encodeWith((writer) => writeRange(writer, range));
}

export function writeRange(writer: BinaryWriter, range: EtcdRange): void {
  writer.uint32(0x0a).string(range.key);
  if (range.end !== undefined) writer.uint32(0x12).string(range.end);
  if (range.limit) writer.uint32(0x18).int64(range.limit);
  if (range.revision) writer.uint32(0x20).int64(range.revision);
  if (range.keysOnly) writer.uint32(0x40).bool(true);
  if (range.countOnly) writer.uint32(0x48).bool(true);
  if (range.minModRevision) writer.uint32(0x50).int64(range.minModRevision);
}

export function decodeRangeAnswer(bytes: Uint8Array): EtcdRangeAnswer {
  const reader = new BinaryReader(bytes);
  return readRangeAnswer(reader, reader.len);
}

/** Smaller ones are read at once. */
const LARGE_BYTES = 256 * 1024;
/** Entries that are read before a look at the clock. */
const AT_ONCE = 128;

/** The same of an answer that may be large: others run meanwhile. */
export async function decodeLargeRangeAnswer(bytes: Uint8Array): Promise<EtcdRangeAnswer> {
  if (bytes.length < LARGE_BYTES) return decodeRangeAnswer(bytes);
  const reader = new BinaryReader(bytes);
  const slice = new TimeSlice();
  const answer: MutableAnswer = { kvs: [], more: false, count: 0, revision: 0 };
  while (reader.pos < reader.len) {
    readField(reader, answer);
    if (answer.kvs.length % AT_ONCE === AT_ONCE - 1 && slice.over) await slice.yield();
  }
  return answer;
}

/** Reads up to `end`. */
export function readRangeAnswer(reader: BinaryReader, end: number): EtcdRangeAnswer {
  const answer: MutableAnswer = { kvs: [], more: false, count: 0, revision: 0 };
  while (reader.pos < end) readField(reader, answer);
  return answer;
}

function readField(reader: BinaryReader, answer: MutableAnswer): void {
  const [field, wireType] = reader.tag();
  if (field === 1) answer.revision = readHeader(reader);
  else if (field === 2) answer.kvs.push(readKeyValue(reader));
  else if (field === 3) answer.more = reader.bool();
  else if (field === 4) answer.count = readInt64(reader);
  else reader.skip(wireType, field);
}

/** The revision in the header of any answer. */
export function decodeHeaderOnly(bytes: Uint8Array): number {
  const reader = new BinaryReader(bytes);
  let revision = 0;
  readFields(reader, reader.len, (field) => {
    if (field !== 1) return false;
    revision = readHeader(reader);
    return true;
  });
  return revision;
}

/** etcdserverpb.CompactionRequest; `physical` answers when the space is free, not when the order is given. */
export function encodeCompaction(revision: number): Uint8Array {
  return new BinaryWriter().uint32(0x08).int64(revision).finish();
}
