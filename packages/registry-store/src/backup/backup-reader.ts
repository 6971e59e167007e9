import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import {
  BackupError,
  type BackupHead,
  type BackupRecord,
  DIGEST_LENGTH,
  decodeHead,
  decodeRecordHeader,
  MAX_HEAD_BYTES,
  RECORD_HEADER,
} from './backup-format.js';

const CHUNK = 1024 * 1024;

/** Reads a backup, any number of times. */
export class BackupReader implements AsyncDisposable {
  readonly head: BackupHead;
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #begin: number;

  private constructor(path: string, file: FileHandle, { head, end }: ReturnType<typeof decodeHead>) {
    this.#path = path;
    this.#file = file;
    this.head = head;
    this.#begin = end;
  }

  /** Throws a BackupError if it is not a backup, or cannot be read. */
  static async open(path: string): Promise<BackupReader> {
    const file = await read(path, open(path, 'r'));
    try {
      const bytes = Buffer.alloc(MAX_HEAD_BYTES);
      const { bytesRead } = await read(path, file.read(bytes, 0, MAX_HEAD_BYTES, 0));
      return new BackupReader(path, file, decodeHead(bytes.subarray(0, bytesRead), path));
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Throws a BackupError unless the whole file is intact. Returns the number of keys. */
  async verify(): Promise<number> {
    const { size } = await this.#file.stat();
    const end = size - DIGEST_LENGTH;
    const hash = createHash('sha256');
    for (let at = 0; at < end; at += CHUNK) hash.update(await this.#read(at, Math.min(CHUNK, end - at)));
    const whole = end > 0 && hash.digest().equals(await this.#read(end, DIGEST_LENGTH));
    if (!whole) throw new BackupError(`${this.#path} is damaged or was cut off: its checksum does not fit`);
    let keys = 0;
    for await (const { revision } of this.records()) {
      keys++;
      if (revision > this.head.revision) throw this.#inconsistent();
    }
    return keys;
  }

  /** The keys, in the order of their revisions. */
  async *records(): AsyncGenerator<BackupRecord> {
    const { size } = await this.#file.stat();
    const bytes = new ByteSource((at, length) => this.#read(at, length), this.#begin, size - DIGEST_LENGTH);
    let keys = 0;
    let newest = 0;
    for (;;) {
      const header = decodeRecordHeader(await bytes.take(RECORD_HEADER));
      const { keyLength, valueLength, revision, expiresAt } = header;
      if (keyLength === 0) {
        if (valueLength !== keys) throw this.#inconsistent();
        return;
      }
      if (revision <= newest) throw this.#inconsistent();
      newest = revision;
      keys++;
      const key = (await bytes.take(keyLength)).toString();
      yield { key, value: await bytes.take(valueLength), revision, expiresAt };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }

  async #read(at: number, length: number): Promise<Buffer> {
    const buffer = Buffer.alloc(length);
    let got = 0;
    while (got < length) {
      const { bytesRead } = await this.#file.read(buffer, got, length - got, at + got);
      if (bytesRead === 0) throw new BackupError(`${this.#path} is damaged or was cut off`);
      got += bytesRead;
    }
    return buffer;
  }

  #inconsistent(): BackupError {
    return new BackupError(`${this.#path} is damaged: its records do not fit together`);
  }
}

/** Splits chunks of bytes into requested lengths. */
class ByteSource {
  readonly #read: (at: number, length: number) => Promise<Buffer>;
  #at: number;
  readonly #end: number;
  #rest: Buffer = Buffer.alloc(0);

  constructor(read: (at: number, length: number) => Promise<Buffer>, begin: number, end: number) {
    this.#read = read;
    this.#at = begin;
    this.#end = end;
  }

  /** The next bytes; they do not change later. */
  async take(length: number): Promise<Buffer> {
    if (this.#rest.length < length) await this.#fill(length - this.#rest.length);
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }

  /** Reads beyond the end are rejected by `read`. */
  async #fill(missing: number): Promise<void> {
    const length = Math.max(missing, Math.min(CHUNK, this.#end - this.#at));
    const piece = await this.#read(this.#at, length);
    this.#at += length;
    this.#rest = Buffer.concat([this.#rest, piece]);
  }
}

async function read<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw new BackupError(`cannot read ${path}`, { cause });
  }
}
