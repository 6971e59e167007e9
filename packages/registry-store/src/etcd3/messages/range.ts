import { TimeSlice } from '@apiserver/apimachinery/clock';
import { encodeWith } from '@apiserver/apimachinery/codec/protobuf';
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { type EtcdKeyValue, readHeader, readInt64, readKeyValue } from './key-value.js';

/** etcdserverpb.RangeRequest, with the fields that are used. */
export interface EtcdRange {
  readonly key: string;
  /** Absent: only the key. */
  readonly end?: string;
  readonly limit?: number;
  readonly revision?: number;
  readonly keysOnly?: boolean;
  readonly countOnly?: boolean;
  /**
   * Entries written before this revision are counted and omitted; etcd then visits the whole range regardless of
   * `limit`.
   */
  readonly minModRevision?: number;
}

/** etcdserverpb.RangeResponse */
export interface EtcdRangeResponse {
  readonly kvs: readonly EtcdKeyValue[];
  readonly more: boolean;
  readonly count: number;
  readonly revision: number;
}

interface MutableResponse {
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

export function decodeRangeResponse(bytes: Uint8Array): EtcdRangeResponse {
  const reader = new BinaryReader(bytes);
  return readRangeResponse(reader, reader.len);
}

/** Smaller responses are decoded at once. */
const LARGE_BYTES = 256 * 1024;
/** Number of entries decoded between two checks of the clock. */
const AT_ONCE = 128;

/** The same for a response that may be large: yields to the event loop. */
export async function decodeLargeRangeResponse(bytes: Uint8Array): Promise<EtcdRangeResponse> {
  if (bytes.length < LARGE_BYTES) return decodeRangeResponse(bytes);
  const reader = new BinaryReader(bytes);
  const slice = new TimeSlice();
  const response: MutableResponse = { kvs: [], more: false, count: 0, revision: 0 };
  while (reader.pos < reader.len) {
    readField(reader, response);
    if (response.kvs.length % AT_ONCE === AT_ONCE - 1 && slice.over) await slice.yield();
  }
  return response;
}

/** Reads up to `end`. */
export function readRangeResponse(reader: BinaryReader, end: number): EtcdRangeResponse {
  const response: MutableResponse = { kvs: [], more: false, count: 0, revision: 0 };
  while (reader.pos < end) readField(reader, response);
  return response;
}

function readField(reader: BinaryReader, response: MutableResponse): void {
  const [field, wireType] = reader.tag();
  if (field === 1) response.revision = readHeader(reader);
  else if (field === 2) response.kvs.push(readKeyValue(reader));
  else if (field === 3) response.more = reader.bool();
  else if (field === 4) response.count = readInt64(reader);
  else reader.skip(wireType, field);
}

/**
 * etcdserverpb.CompactionRequest without `physical`: the response comes when the request is accepted, not when the
 * space is free.
 */
export function encodeCompaction(revision: number): Uint8Array {
  return new BinaryWriter().uint32(0x08).int64(revision).finish();
}
