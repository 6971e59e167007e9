import { crc32 } from 'node:zlib';
import { KeyValueError } from '../key-value-error.js';
import type { ExpiryRecord, IndexRecord, LogRecord, MetaRecord } from '../mvcc/tables.js';

/*
 * All records are in one B-tree; the first byte of the key is the table. The log comes last, so that new revisions
 * are always appended at the right edge, where LMDB fills pages completely.
 *
 * - 0x10 expiresAt(8) key -> empty: keys with a time to live, earliest first
 * - 0x20 key -> index record: revision(8) deleted(1) expiresAt(8) checksum(4)
 * - 0x30 -> meta record: format(1) and six numbers(8) checksum(4); in format 3 two more numbers before the checksum
 * - 0x40 revision(8) -> log record: previousRevision(8) flags(1) keyLength(2) key value checksum(4)
 *
 * Numbers are big-endian unsigned integers of 8 bytes, so that byte order is number order. A checksum is the CRC-32 of
 * the record before it, little-endian; a log record's begins with its revision. An index record has a sum of its
 * numbers instead, which costs less than a native call. Format 1 had no checksums, and its records stay unchanged. The
 * meta record has the first revision whose records must have one (docs/decisions/0025-damaged-records.md).
 *
 * Format 3 is format 2 with a journal, whose writes belong to the store (journal-batches.ts). A store that was closed
 * has format 2.
 */

const EXPIRY = 0x10;
const INDEX = 0x20;
const META = 0x30;
const LOG = 0x40;
/** Raised with each change of the layout; a store with another layout is rejected. */
const JOURNALED_FORMAT = 3;
const FORMAT = 2;
const UNCHECKED_FORMAT = 1;

const CHECKSUM = 4;
const UNCHECKED_INDEX_SIZE = 17;
const INDEX_SIZE = UNCHECKED_INDEX_SIZE + CHECKSUM;
const UNCHECKED_META_SIZE = 41;
const META_SIZE = UNCHECKED_META_SIZE + 8 + CHECKSUM;
const JOURNALED_META_SIZE = META_SIZE + 16;
const JOURNAL_ID = UNCHECKED_META_SIZE + 8;
const LOG_HEADER = 11;
const FLAGS = 8;
/** Flags of a log record. */
const DELETED = 1;
const CHECKED = 2;

/** The first revision whose records all have checksums, in a store that always had them. */
export const CHECKED_FROM_BEGINNING = 1;

export const FIRST_INDEX = Buffer.from([INDEX]);
export const END_OF_INDEX = Buffer.from([INDEX + 1]);
export const META_KEY = Buffer.from([META]);
export const FIRST_EXPIRY = Buffer.from([EXPIRY]);
export const END_OF_EXPIRIES = Buffer.from([EXPIRY + 1]);
export const END_OF_LOG = Buffer.from([LOG + 1]);

function writeNumber(buffer: Buffer, value: number, at: number): void {
  buffer.writeUInt32BE(Math.floor(value / 2 ** 32), at);
  buffer.writeUInt32BE(value % 2 ** 32, at + 4);
}

function readNumber(buffer: Buffer, at: number): number {
  return buffer.readUInt32BE(at) * 2 ** 32 + buffer.readUInt32BE(at + 4);
}

export function indexKey(key: string): Buffer {
  const length = Buffer.byteLength(key);
  const buffer = Buffer.allocUnsafe(1 + length);
  buffer[0] = INDEX;
  buffer.write(key, 1);
  return buffer;
}

export function keyOfIndex(buffer: Buffer): string {
  return buffer.toString('utf8', 1);
}

export function encodeIndex(record: IndexRecord): Buffer {
  const buffer = Buffer.allocUnsafe(INDEX_SIZE);
  writeNumber(buffer, record.revision, 0);
  buffer[8] = record.deleted ? 1 : 0;
  writeNumber(buffer, record.expiresAt, 9);
  buffer.writeUInt32BE(sumOfIndex(buffer), UNCHECKED_INDEX_SIZE);
  return buffer;
}

/** `checkedFrom`: see decodeCheckedFrom. */
export function decodeIndex(buffer: Buffer, checkedFrom: number): IndexRecord {
  if (buffer.length < UNCHECKED_INDEX_SIZE) return { revision: 1, deleted: false, expiresAt: 0, damaged: true };
  const revision = readNumber(buffer, 0);
  const isUnchecked = buffer.length === UNCHECKED_INDEX_SIZE && revision < checkedFrom;
  if (
    isUnchecked ||
    (buffer.length === INDEX_SIZE && sumOfIndex(buffer) === buffer.readUInt32BE(UNCHECKED_INDEX_SIZE))
  ) {
    return { revision, deleted: buffer[8] === 1, expiresAt: readNumber(buffer, 9) };
  }
  // No key has revision 0.
  return { revision: Math.max(1, revision), deleted: false, expiresAt: 0, damaged: true };
}

/** The CRC-32 of any bytes that end in their own CRC-32, whatever the seed. */
const RESIDUE = 0x2144df1c;

function writeChecksum(buffer: Buffer, seed: number): void {
  const end = buffer.length - CHECKSUM;
  buffer.writeUInt32LE(crc32(buffer.subarray(0, end), seed), end);
}

function hasItsChecksum(buffer: Buffer, seed: number): boolean {
  return crc32(buffer, seed) === RESIDUE;
}

/** Depends on each of the record's numbers; two wrong ones cancel out with a probability of one in four billion. */
function sumOfIndex(buffer: Buffer): number {
  let sum = buffer[8] as number;
  sum = mixed(sum, buffer.readUInt32BE(0));
  sum = mixed(sum, buffer.readUInt32BE(4));
  sum = mixed(sum, buffer.readUInt32BE(9));
  return mixed(sum, buffer.readUInt32BE(13)) >>> 0;
}

/** Injective in `sum` for a fixed `word`, and vice versa. */
function mixed(sum: number, word: number): number {
  const product = Math.imul(sum ^ word ^ 0x5bd1e995, 0x9e3779b1);
  return product ^ (product >>> 15);
}

export function logKey(revision: number): Buffer {
  const buffer = Buffer.allocUnsafe(9);
  buffer[0] = LOG;
  writeNumber(buffer, revision, 1);
  return buffer;
}

export function revisionOfLogKey(buffer: Buffer): number {
  return readNumber(buffer, 1);
}

export function encodeLog(record: LogRecord, revision: number): Buffer {
  const buffer = Buffer.allocUnsafe(sizeOfLog(record));
  writeLog(buffer, 0, record, revision);
  return buffer;
}

/** Bytes of an encoded log record. */
export function sizeOfLog(record: LogRecord): number {
  return LOG_HEADER + Buffer.byteLength(record.key) + (record.value?.length ?? 0) + CHECKSUM;
}

/** Encodes a log record at that place of a buffer, and returns its end. */
export function writeLog(buffer: Buffer, at: number, record: LogRecord, revision: number): number {
  writeNumber(buffer, record.previousRevision, at);
  buffer[at + FLAGS] = record.value === undefined ? CHECKED | DELETED : CHECKED;
  const valueAt = at + LOG_HEADER + buffer.write(record.key, at + LOG_HEADER);
  buffer.writeUInt16BE(valueAt - at - LOG_HEADER, at + 9);
  if (record.value !== undefined) buffer.set(record.value, valueAt);
  const end = valueAt + (record.value?.length ?? 0) + CHECKSUM;
  writeChecksum(buffer.subarray(at, end), revision >>> 0);
  return end;
}

/** The place of a log record, and the first revision with checksums. */
export interface LogPlace {
  readonly revision: number;
  /** See decodeCheckedFrom. */
  readonly checkedFrom: number;
}

/** The value is a view of `buffer`, which the caller must therefore own. */
export function decodeLog(buffer: Buffer, place: LogPlace): LogRecord {
  const parts = partsOfLog(buffer, place);
  if (parts === undefined) return DAMAGED_LOG;
  return {
    key: buffer.toString('utf8', LOG_HEADER, parts.keyEnd),
    value: parts.deleted ? undefined : buffer.subarray(parts.keyEnd, parts.valueEnd),
    previousRevision: readNumber(buffer, 0),
  };
}

/** The table of a key of the B-tree; undefined for an unknown one. */
export function tableOf(key: Buffer): 'expiry' | 'index' | 'meta' | 'log' | undefined {
  return TABLES.get(key[0] ?? -1);
}

const TABLES = new Map<number, 'expiry' | 'index' | 'meta' | 'log'>([
  [EXPIRY, 'expiry'],
  [INDEX, 'index'],
  [META, 'meta'],
  [LOG, 'log'],
]);

/** True if the flags of a log record declare a checksum. */
export function isChecked(buffer: Buffer): boolean {
  return ((buffer[FLAGS] ?? 0) & CHECKED) !== 0;
}

/** The value of a log record, as a view; undefined for a deletion, a record of another key, or a damaged one. */
export function valueInLog(buffer: Buffer, key: string, place: LogPlace): Buffer | undefined {
  const parts = partsOfLog(buffer, place);
  if (parts === undefined || parts.deleted || !isText(buffer, LOG_HEADER, parts.keyEnd, key)) return undefined;
  return buffer.subarray(parts.keyEnd, parts.valueEnd);
}

const DAMAGED_LOG: LogRecord = { key: '', value: undefined, previousRevision: 0, damaged: true };

/** Undefined if the record is damaged. */
function partsOfLog(buffer: Buffer, { revision, checkedFrom }: LogPlace) {
  if (buffer.length < LOG_HEADER) return undefined;
  const flags = buffer[FLAGS] as number;
  const hasChecksum = (flags & CHECKED) !== 0;
  const valueEnd = hasChecksum ? buffer.length - CHECKSUM : buffer.length;
  const keyEnd = LOG_HEADER + buffer.readUInt16BE(9);
  if (keyEnd > valueEnd) return undefined;
  const isIntact = hasChecksum ? hasItsChecksum(buffer, revision >>> 0) : revision < checkedFrom;
  return isIntact ? { deleted: (flags & DELETED) !== 0, keyEnd, valueEnd } : undefined;
}

/** ASCII text is not decoded. */
function isText(buffer: Buffer, start: number, end: number, text: string): boolean {
  let i = 0;
  while (i < text.length && (buffer[start + i] as number) < 0x80 && buffer[start + i] === text.charCodeAt(i)) i++;
  if (i === text.length) return end - start === i;
  return end - start !== text.length && buffer.toString('utf8', start, end) === text;
}

export function expiryKey(record: ExpiryRecord): Buffer {
  if (record.id !== undefined) return Buffer.from(record.id);
  const buffer = Buffer.allocUnsafe(9 + Buffer.byteLength(record.key));
  buffer[0] = EXPIRY;
  writeNumber(buffer, record.expiresAt, 1);
  buffer.write(record.key, 9);
  return buffer;
}

export function decodeExpiry(buffer: Buffer): ExpiryRecord {
  if (buffer.length < 9) return { expiresAt: 1, key: '', id: Buffer.from(buffer) };
  return { expiresAt: readNumber(buffer, 1), key: buffer.toString('utf8', 9), id: Buffer.from(buffer) };
}

const META_FIELDS = ['revision', 'compactedRevision', 'prunedRevision', 'tickTime', 'tickRevision'] as const;

/** The journal of a store, and the last of its batches that the tables include. */
export interface JournalMark {
  readonly id: bigint;
  readonly sequence: number;
}

/** `checkedFrom`: see decodeCheckedFrom. With a `journal`, other versions cannot open the store without its writes. */
export function encodeMeta(record: MetaRecord, checkedFrom: number, journal?: JournalMark): Buffer {
  const buffer = Buffer.allocUnsafe(journal === undefined ? META_SIZE : JOURNALED_META_SIZE);
  buffer[0] = journal === undefined ? FORMAT : JOURNALED_FORMAT;
  META_FIELDS.forEach((field, i) => {
    writeNumber(buffer, record[field], 1 + i * 8);
  });
  writeNumber(buffer, checkedFrom, UNCHECKED_META_SIZE);
  if (journal !== undefined) {
    buffer.writeBigUInt64BE(journal.id, JOURNAL_ID);
    writeNumber(buffer, journal.sequence, JOURNAL_ID + 8);
  }
  writeChecksum(buffer, 0);
  return buffer;
}

/** Undefined for a store without a journal. Throws Corrupt. */
export function decodeJournalMark(buffer: Buffer): JournalMark | undefined {
  checkMeta(buffer);
  if (buffer[0] !== JOURNALED_FORMAT) return undefined;
  return { id: buffer.readBigUInt64BE(JOURNAL_ID), sequence: readNumber(buffer, JOURNAL_ID + 8) };
}

/** Throws Corrupt. */
export function decodeMeta(buffer: Buffer): MetaRecord {
  checkMeta(buffer);
  const number = (i: number): number => readNumber(buffer, 1 + i * 8);
  return {
    revision: number(0),
    compactedRevision: number(1),
    prunedRevision: number(2),
    tickTime: number(3),
    tickRevision: number(4),
  };
}

/** Records of this revision and later ones all have a checksum. Throws Corrupt. */
export function decodeCheckedFrom(buffer: Buffer): number {
  checkMeta(buffer);
  return buffer[0] === UNCHECKED_FORMAT ? readNumber(buffer, 1) + 1 : readNumber(buffer, UNCHECKED_META_SIZE);
}

const META_SIZES = new Map([
  [UNCHECKED_FORMAT, UNCHECKED_META_SIZE],
  [FORMAT, META_SIZE],
  [JOURNALED_FORMAT, JOURNALED_META_SIZE],
]);

function checkMeta(buffer: Buffer): void {
  const format = buffer[0];
  const size = META_SIZES.get(format ?? -1);
  if (size === undefined) {
    throw corrupt(
      `the store has format ${format}, this version reads formats ${UNCHECKED_FORMAT} to ${JOURNALED_FORMAT}`,
    );
  }
  if (buffer.length < size) throw corrupt('the meta record is too short');
  if (format !== UNCHECKED_FORMAT && !hasItsChecksum(buffer, 0)) {
    throw corrupt('the meta record does not match its checksum');
  }
}

function corrupt(message: string): KeyValueError {
  return new KeyValueError('Corrupt', message);
}
