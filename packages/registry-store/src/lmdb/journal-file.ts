import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, readFileSync, rmSync, write, writeSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissingFile } from '@apiserver/apimachinery/errors';
import { isKeyValueError, KeyValueError } from '../key-value-error.js';
import { syncDirectory } from './data-files.js';
import { FilePlace } from './file-place.js';
import { BLOCK, emptyJournal, entriesAfter, type JournalEntry } from './journal-batches.js';
import type { Journal } from './journaled-tables.js';
import { freeBytes, journalFailure } from './lmdb-errors.js';
import { decodeJournalMark, type JournalMark } from './records.js';

const NAME = 'journal';
/** Free bytes of the disk without which no journal is created. */
const RESERVE = 64 * 1024 * 1024;

/** The journal that a running store writes to. */
export class JournalFile implements Journal {
  readonly id: bigint;
  readonly #path: string;
  readonly #file: number;
  readonly #half: number;
  readonly #place: FilePlace;

  private constructor(path: string, id: bigint, half: number) {
    this.id = id;
    this.#path = path;
    this.#half = half;
    this.#place = new FilePlace(path);
    this.#file = openSync(path, constants.O_WRONLY | constants.O_DSYNC);
  }

  /**
   * Creates the journal of a folder with two halves of that size, and replaces one that is no longer in use. All of it is on
   * the disk, so that batches allocate nothing. Undefined where there is little space, or a write does not
   * wait for the disk: outside Linux.
   */
  static async create(directory: string, half: number): Promise<JournalFile | undefined> {
    if (process.platform !== 'linux' || freeBytes(directory) < RESERVE) return undefined;
    const path = join(directory, NAME);
    const id = randomBytes(8).readBigUInt64LE();
    try {
      await rm(path, { force: true });
      await using file = await open(path, 'wx', 0o600);
      await file.writeFile(emptyJournal(id, BLOCK + 2 * half));
      await file.sync();
      await syncDirectory(directory);
      return new JournalFile(path, id, half);
    } catch {
      await rm(path, { force: true }).catch(() => {});
      return undefined;
    }
  }

  /** Throws Unavailable if the file has been removed or replaced. */
  checkInPlace(): void {
    this.#place.check();
  }

  /**
   * Resolves when these bytes of a half are on the disk. Rejects with NoSpace if nothing is left of them, with Unavailable if
   * some may be on the disk.
   */
  async write(half: 0 | 1, bytes: Buffer, begin: number, end: number): Promise<void> {
    const at = BLOCK + half * this.#half + begin;
    try {
      await writeAll(this.#file, bytes.subarray(begin, end), at);
    } catch (error) {
      throw this.#isRevoked(at) ? journalFailure(error) : this.#unknown(error);
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Removes the file, unless it has been replaced. The next start removes one that is left. */
  remove(): void {
    try {
      if (this.#place.isKept()) rmSync(this.#path);
    } catch {}
  }

  /** Without its header no batch begins there. */
  #isRevoked(at: number): boolean {
    try {
      return writeSync(this.#file, Buffer.alloc(8), 0, 8, at) === 8;
    } catch {
      return false;
    }
  }

  #unknown(cause: unknown): KeyValueError {
    return new KeyValueError('Unavailable', `the commit failed: ${this.#path} cannot be written`, { cause });
  }
}

/** Removes a journal that is not in use. Idempotent. */
export function removeJournal(directory: string): void {
  rmSync(join(directory, NAME), { force: true });
}

/** By key, as latin1: a newer value, or undefined for a removed entry. */
export type NewerEntries = ReadonlyMap<string, Buffer | undefined>;

/**
 * The entries of a folder's journal that its data file does not have yet. `meta` is the meta record in the data file. Empty
 * for a store that was closed. Throws Corrupt without the complete journal.
 */
export function newerEntries(directory: string, meta: Buffer): NewerEntries {
  const mark = decodeJournalMark(meta);
  const entries = mark === undefined ? [] : readEntries(directory, mark);
  return new Map(entries.map(({ key, value }) => [key.toString('latin1'), value]));
}

function readEntries(directory: string, mark: JournalMark): readonly JournalEntry[] {
  const path = join(directory, NAME);
  try {
    return entriesAfter(readFileSync(path), mark);
  } catch (error) {
    if (isMissingFile(error)) throw new KeyValueError('Corrupt', `${path}, which has the last writes, is missing`);
    if (isKeyValueError(error)) throw new KeyValueError('Corrupt', `${path} is damaged: ${error.message}`);
    throw error;
  }
}

/** A write that ends early, as on a full disk, is continued: that fails with the reason. */
async function writeAll(file: number, bytes: Buffer, at: number): Promise<void> {
  let written = await writeSome(file, bytes, at);
  while (written < bytes.length) written += await writeSome(file, bytes.subarray(written), at + written);
}

function writeSome(file: number, bytes: Buffer, at: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(file, bytes, 0, bytes.length, at, (error, written) => {
      if (error === null && written > 0) resolve(written);
      else reject(error ?? new Error('nothing was written'));
    });
  });
}
