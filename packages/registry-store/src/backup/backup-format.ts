/*
 * A backup: the keys of a store as they were at one moment, without history, in the order of their revisions. It
 * depends on no layout of the store's own files.
 *
 *   kube-apiserver-backup 1\n
 *   {"revision":N,"created":"…","version":"…"}\n
 *   for each key: keyLength(2) valueLength(4) revision(8) expiresAt(8) key value
 *   the end: 0(2) number of keys(4) 0(8) 0(8)
 *   SHA-256 of all before it(32)
 *
 * Numbers are big-endian; expiresAt is in milliseconds since the epoch, 0: never.
 */

const MAGIC = 'kube-apiserver-backup';
/** Raised with each change of the format; backups in another format are rejected. */
const FORMAT = 1;

export const RECORD_HEADER = 22;
export const DIGEST_LENGTH = 32;
/** Maximum length in bytes of the first two lines. */
export const MAX_HEAD_BYTES = 1024;

/** The metadata of a backup. */
export interface BackupHead {
  /** The newest revision of the store; objects keep theirs, up to this. */
  readonly revision: number;
  /** RFC 3339. */
  readonly created: string;
  /** The server that wrote it. */
  readonly version: string;
}

/** The header of one key, or of the end, which has no key but the number of keys. Lengths are in bytes. */
export interface RecordHeader {
  readonly keyLength: number;
  readonly valueLength: number;
  readonly revision: number;
  readonly expiresAt: number;
}

/** A key with its value. */
export interface BackupRecord {
  readonly key: string;
  readonly value: Uint8Array;
  readonly revision: number;
  readonly expiresAt: number;
}

/** A backup that cannot be made, read, or restored; the message is for the administrator. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

export function encodeHead(head: BackupHead): Buffer {
  return Buffer.from(`${MAGIC} ${FORMAT}\n${JSON.stringify(head)}\n`);
}

/** The head, and the offset of the records. Throws a BackupError about `path`. */
export function decodeHead(bytes: Buffer, path: string): { readonly head: BackupHead; readonly end: number } {
  const text = bytes.toString('utf8', 0, MAX_HEAD_BYTES);
  const first = /^kube-apiserver-backup (\d+)\n/.exec(text);
  if (first === null) throw new BackupError(`${path} is not a backup of kube-apiserver`);
  if (Number(first[1]) !== FORMAT) {
    throw new BackupError(`${path} is a backup of format ${first[1]}; this version reads format ${FORMAT}`);
  }
  const end = text.indexOf('\n', first[0].length);
  const head = end === -1 ? undefined : parseHead(text.slice(first[0].length, end));
  if (head === undefined) throw new BackupError(`${path} is damaged: its head cannot be read`);
  return { head, end: Buffer.byteLength(text.slice(0, end + 1)) };
}

function parseHead(line: string): BackupHead | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  return isHead(value) ? value : undefined;
}

function isHead(value: unknown): value is BackupHead {
  if (typeof value !== 'object' || value === null) return false;
  const { revision, created, version } = value as Partial<Record<keyof BackupHead, unknown>>;
  return (
    Number.isSafeInteger(revision) &&
    typeof created === 'string' &&
    !Number.isNaN(Date.parse(created)) &&
    typeof version === 'string'
  );
}

export function encodeRecordHeader(header: RecordHeader): Buffer {
  const buffer = Buffer.alloc(RECORD_HEADER);
  buffer.writeUInt16BE(header.keyLength, 0);
  buffer.writeUInt32BE(header.valueLength, 2);
  buffer.writeBigUInt64BE(BigInt(header.revision), 6);
  buffer.writeBigUInt64BE(BigInt(header.expiresAt), 14);
  return buffer;
}

export function decodeRecordHeader(buffer: Buffer): RecordHeader {
  return {
    keyLength: buffer.readUInt16BE(0),
    valueLength: buffer.readUInt32BE(2),
    revision: Number(buffer.readBigUInt64BE(6)),
    expiresAt: Number(buffer.readBigUInt64BE(14)),
  };
}
