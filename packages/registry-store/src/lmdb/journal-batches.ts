import { crc32 } from 'node:zlib';
import { KeyValueError } from '../key-value-error.js';
import type { JournalMark } from './records.js';

/*
 * A journal has the writes that LMDB does not have yet (docs/decisions/0122-journal.md):
 * - a block with the header: magic(4) checksum(4) id(8)
 * - two halves of the rest, filled in turn, each from its beginning. A half is used again once LMDB has its writes
 * - in them batches, each at the beginning of a block: magic(4) checksum(4) length(4) 0(4) id(8) sequence(8) entries
 * - an entry: length of the key(2) flags(1) 0(1) length of the value(4) key value. It is an entry of LMDB's B-tree
 *
 * Numbers are little-endian. A checksum is the CRC-32 of all that follows it in the header or the batch. The id is
 * random, and stored values do not have it, so they cannot be mistaken for batches. A batch is written when the one
 * before it is on the disk, and blocks with acknowledged writes are not written again.
 */

/** Blocks are as large as pages of the cache and sectors of disks at most, so that a batch does not touch others. */
export const BLOCK = 4096;
export const BATCH_HEADER = 32;
export const ENTRY_HEADER = 8;
const HEADER = 16;
const HEADER_MAGIC = 0x4c4e524a;
const BATCH_MAGIC = 0x4843544a;
const REMOVED = 1;

/** An entry of LMDB's B-tree; without a value it is removed. */
export interface JournalEntry {
  readonly key: Buffer;
  readonly value: Buffer | undefined;
}

/** A new journal of this size without batches. */
export function emptyJournal(id: bigint, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.writeUInt32LE(HEADER_MAGIC, 0);
  bytes.writeBigUInt64LE(id, 8);
  bytes.writeUInt32LE(crc32(bytes.subarray(8, HEADER)), 4);
  return bytes;
}

/** Writes the header of an entry whose key and value follow. `valueLength` is undefined for a removal. */
export function writeEntryHeader(bytes: Buffer, at: number, keyLength: number, valueLength: number | undefined): void {
  bytes.writeUInt16LE(keyLength, at);
  bytes.writeUInt16LE(valueLength === undefined ? REMOVED : 0, at + 2);
  bytes.writeUInt32LE(valueLength ?? 0, at + 4);
}

/** Length of the value of an entry whose key is at that offset. */
export function valueLengthBefore(bytes: Buffer, key: number): number {
  return bytes.readUInt32LE(key - 4);
}

/** Writes the header of the batch in these bytes, whose entries are complete. */
export function sealBatch(batch: Buffer, mark: JournalMark): void {
  batch.writeUInt32LE(BATCH_MAGIC, 0);
  batch.writeUInt32LE(batch.length, 8);
  batch.writeUInt32LE(0, 12);
  batch.writeBigUInt64LE(mark.id, 16);
  batch.writeBigUInt64LE(BigInt(mark.sequence), 24);
  batch.writeUInt32LE(crc32(batch.subarray(8)), 4);
}

/** The next block's beginning. */
export function blockAfter(at: number): number {
  return Math.ceil(at / BLOCK) * BLOCK;
}

/**
 * The entries that follow `mark`, in the order in which they were written; views of `journal`. Throws Corrupt if it is
 * another journal, or lacks a batch before its last one. The last one is not acknowledged if it is incomplete.
 */
export function entriesAfter(journal: Buffer, mark: JournalMark): readonly JournalEntry[] {
  if (!isJournal(journal, mark.id)) throw new KeyValueError('Corrupt', 'it is not the journal of this store');
  const batches: Batch[] = [];
  for (let at = BLOCK; at + BATCH_HEADER <= journal.length; ) {
    const batch = batchAt(journal, at, mark.id);
    if (batch !== undefined && batch.sequence > mark.sequence) batches.push(batch);
    at = batch === undefined ? at + BLOCK : blockAfter(batch.end);
  }
  batches.sort((a, b) => a.sequence - b.sequence);
  return batches.flatMap(({ sequence, begin, end }, i) => {
    if (sequence !== mark.sequence + 1 + i) {
      throw new KeyValueError('Corrupt', `it lacks batch ${mark.sequence + 1 + i}, and has batch ${sequence}`);
    }
    return entriesOf(journal.subarray(begin + BATCH_HEADER, end));
  });
}

interface Batch {
  readonly sequence: number;
  readonly begin: number;
  readonly end: number;
}

function isJournal(journal: Buffer, id: bigint): boolean {
  return (
    journal.length >= HEADER &&
    journal.readUInt32LE(0) === HEADER_MAGIC &&
    journal.readUInt32LE(4) === crc32(journal.subarray(8, HEADER)) &&
    journal.readBigUInt64LE(8) === id
  );
}

/** Undefined if no complete batch begins here. */
function batchAt(journal: Buffer, begin: number, id: bigint): Batch | undefined {
  if (journal.readUInt32LE(begin) !== BATCH_MAGIC || journal.readBigUInt64LE(begin + 16) !== id) return undefined;
  const end = begin + journal.readUInt32LE(begin + 8);
  if (end > journal.length || end < begin + BATCH_HEADER) return undefined;
  if (crc32(journal.subarray(begin + 8, end)) !== journal.readUInt32LE(begin + 4)) return undefined;
  return { sequence: Number(journal.readBigUInt64LE(begin + 24)), begin, end };
}

function entriesOf(bytes: Buffer): readonly JournalEntry[] {
  const entries: JournalEntry[] = [];
  for (let at = 0; at < bytes.length; ) {
    const keyEnd = at + ENTRY_HEADER + bytes.readUInt16LE(at);
    const end = keyEnd + bytes.readUInt32LE(at + 4);
    const isRemoved = (bytes.readUInt16LE(at + 2) & REMOVED) !== 0;
    entries.push({
      key: bytes.subarray(at + ENTRY_HEADER, keyEnd),
      value: isRemoved ? undefined : bytes.subarray(keyEnd, end),
    });
    at = end;
  }
  return entries;
}
