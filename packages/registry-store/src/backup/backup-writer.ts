import { createHash } from 'node:crypto';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { syncDirectory } from '../lmdb/data-files.js';
import { BackupError, type BackupHead, type BackupRecord, encodeHead, encodeRecordHeader } from './backup-format.js';
import { newPartPath } from './backup-parts.js';

const CHUNK = 1024 * 1024;

/**
 * Writes a backup to a temporary file, and renames it when it is complete and on disk. The file is therefore complete
 * whenever it exists, even if this process is killed. An existing file is replaced. Throws a BackupError if the file
 * cannot be written.
 */
export class BackupWriter implements AsyncDisposable {
  readonly #path: string;
  readonly #part: string;
  readonly #file: FileHandle;
  readonly #hash = createHash('sha256');
  #chunk: Uint8Array[] = [];
  #chunkBytes = 0;
  #keys = 0;
  #finished = false;

  private constructor(path: string, part: string, file: FileHandle) {
    this.#path = path;
    this.#part = part;
    this.#file = file;
  }

  static async create(path: string, head: BackupHead): Promise<BackupWriter> {
    await refuseDevice(path);
    const part = newPartPath(path);
    const writer = new BackupWriter(path, part, await written(path, open(part, 'wx', 0o600)));
    await writer.#write([encodeHead(head)]);
    return writer;
  }

  async add({ key, value, revision, expiresAt }: BackupRecord): Promise<void> {
    const name = Buffer.from(key);
    const header = encodeRecordHeader({ keyLength: name.length, valueLength: value.length, revision, expiresAt });
    this.#keys++;
    await this.#write([header, name, value]);
  }

  /** Writes the end, and renames the file. */
  async finish(): Promise<void> {
    await this.#write([encodeRecordHeader({ keyLength: 0, valueLength: this.#keys, revision: 0, expiresAt: 0 })]);
    await this.#flush();
    await this.#writeAll(this.#hash.digest());
    await written(this.#path, this.#file.sync());
    await this.#file.close();
    await written(this.#path, rename(this.#part, this.#path));
    this.#finished = true;
    await syncDirectory(dirname(resolve(this.#path)));
  }

  /** Removes what was written, unless it was finished. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#finished) return;
    await this.#file.close().catch(() => {});
    await rm(this.#part, { force: true });
  }

  async #write(pieces: readonly Uint8Array[]): Promise<void> {
    for (const piece of pieces) {
      this.#chunk.push(piece);
      this.#chunkBytes += piece.length;
    }
    if (this.#chunkBytes >= CHUNK) await this.#flush();
  }

  async #flush(): Promise<void> {
    const chunk = Buffer.concat(this.#chunk);
    this.#chunk = [];
    this.#chunkBytes = 0;
    this.#hash.update(chunk);
    await this.#writeAll(chunk);
  }

  /** A single write may be partial. */
  async #writeAll(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      at += (await written(this.#path, this.#file.write(bytes, at))).bytesWritten;
    }
  }
}

/** A file is renamed over the path: in place of a device or a pipe, it would take it from everybody. */
async function refuseDevice(path: string): Promise<void> {
  // The writer reports errors of the folder.
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || found.isFile() || found.isDirectory()) return;
  throw new BackupError(`cannot write ${path}: it is not a regular file`);
}

/**
 * Reports errors with the path of the requested file: the temporary file has another name, or none in the system's
 * error.
 */
async function written<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw new BackupError(`cannot write ${path}`, { cause });
  }
}
