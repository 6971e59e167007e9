import { KeyValueError } from '../key-value-error.js';
import type { ExpiryRecord, IndexRecord, LogRecord, MetaRecord } from '../mvcc/tables.js';

/*
 * Everything lies in one B-tree, told apart by the first byte of the key. The log comes last, so that new revisions
 * are always appended at the right edge, where LMDB fills pages completely.
 *
 *   0x10 expiresAt(8) key    -> empty             keys with a time to live, earliest first
 *   0x20 key                 -> index record      revision(8) deleted(1) expiresAt(8)
 *   0x30                     -> meta record       format(1) and five numbers(8)
 *   0x40 revision(8)         -> log record        previousRevision(8) deleted(1) keyLength(2) key value
 *
 * Numbers are big-endian unsigned integers of 8 bytes, so that byte order is number order.
 */

const EXPIRY = 0x10;
const INDEX = 0x20;
const META = 0x30;
const LOG = 0x40;
/** Raised when the layout changes; a store of another layout is refused, not guessed at. */
const FORMAT = 1;

const INDEX_SIZE = 17;
const META_SIZE = 41;
const LOG_HEADER = 11;

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
  return buffer;
}

export function decodeIndex(buffer: Buffer): IndexRecord {
  if (buffer.length < INDEX_SIZE) throw corrupt('an index record is too short');
  return { revision: readNumber(buffer, 0), deleted: buffer[8] === 1, expiresAt: readNumber(buffer, 9) };
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

export function encodeLog(record: LogRecord): Buffer {
  const keyLength = Buffer.byteLength(record.key);
  const buffer = Buffer.allocUnsafe(LOG_HEADER + keyLength + (record.value?.length ?? 0));
  writeNumber(buffer, record.previousRevision, 0);
  buffer[8] = record.value === undefined ? 1 : 0;
  buffer.writeUInt16BE(keyLength, 9);
  buffer.write(record.key, LOG_HEADER);
  if (record.value !== undefined) buffer.set(record.value, LOG_HEADER + keyLength);
  return buffer;
}

/** The value is a view of `buffer`, which must therefore be the caller's own. */
export function decodeLog(buffer: Buffer): LogRecord {
  const valueAt = buffer.length < LOG_HEADER ? Number.POSITIVE_INFINITY : LOG_HEADER + buffer.readUInt16BE(9);
  if (valueAt > buffer.length) throw corrupt('a log record is too short');
  return {
    key: buffer.toString('utf8', LOG_HEADER, valueAt),
    value: buffer[8] === 1 ? undefined : buffer.subarray(valueAt),
    previousRevision: readNumber(buffer, 0),
  };
}

/** The value of a log record, as a view; undefined when it is a deletion, or of another key. */
export function valueInLog(buffer: Buffer, key: string): Buffer | undefined {
  const keyEnd = buffer.length < LOG_HEADER ? Number.POSITIVE_INFINITY : LOG_HEADER + buffer.readUInt16BE(9);
  if (keyEnd > buffer.length) throw corrupt('a log record is too short');
  return buffer[8] === 1 || !isText(buffer, LOG_HEADER, keyEnd, key) ? undefined : buffer.subarray(keyEnd);
}

/** Nothing is decoded for a text that is ASCII. */
function isText(buffer: Buffer, start: number, end: number, text: string): boolean {
  let i = 0;
  while (i < text.length && (buffer[start + i] as number) < 0x80 && buffer[start + i] === text.charCodeAt(i)) i++;
  if (i === text.length) return end - start === i;
  return end - start !== text.length && buffer.toString('utf8', start, end) === text;
}

export function expiryKey(record: ExpiryRecord): Buffer {
  const buffer = Buffer.allocUnsafe(9 + Buffer.byteLength(record.key));
  buffer[0] = EXPIRY;
  writeNumber(buffer, record.expiresAt, 1);
  buffer.write(record.key, 9);
  return buffer;
}

export function decodeExpiry(buffer: Buffer): ExpiryRecord {
  return { expiresAt: readNumber(buffer, 1), key: buffer.toString('utf8', 9) };
}

const META_FIELDS = ['revision', 'compactedRevision', 'prunedRevision', 'tickTime', 'tickRevision'] as const;

export function encodeMeta(record: MetaRecord): Buffer {
  const buffer = Buffer.allocUnsafe(META_SIZE);
  buffer[0] = FORMAT;
  META_FIELDS.forEach((field, i) => {
    writeNumber(buffer, record[field], 1 + i * 8);
  });
  return buffer;
}

export function decodeMeta(buffer: Buffer): MetaRecord {
  if (buffer[0] !== FORMAT) throw corrupt(`the store has format ${buffer[0]}, this version reads format ${FORMAT}`);
  if (buffer.length < META_SIZE) throw corrupt('the meta record is too short');
  const number = (i: number): number => readNumber(buffer, 1 + i * 8);
  return {
    revision: number(0),
    compactedRevision: number(1),
    prunedRevision: number(2),
    tickTime: number(3),
    tickRevision: number(4),
  };
}

function corrupt(message: string): KeyValueError {
  return new KeyValueError('Corrupt', message);
}
