import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, isMissingFile } from '@apiserver/apimachinery/errors';
import { isKeyValueError, KeyValueError } from '../key-value-error.js';
import { syncDirectory } from './data-files.js';
import { openDirect, writeAll } from './direct-file.js';
import { FilePlace } from './file-place.js';
import { BLOCK, blockAfter, emptyJournal, entriesAfter, type JournalEntry } from './journal-batches.js';
import type { Journal } from './journaled-tables.js';
import { freeBytes, journalFailure } from './lmdb-errors.js';
import { decodeJournalMark, type JournalMark } from './records.js';

const NAME = 'journal';
/** Free bytes of the disk without which no journal is created. */
const RESERVE = 64 * 1024 * 1024;

interface JournalFileOptions {
  readonly path: string;
  readonly id: bigint;
  readonly halves: readonly [Buffer, Buffer];
  /** Undefined where writes cannot bypass the cache of the system. */
  readonly direct: number | undefined;
}

/** The journal that a running store writes to. */
export class JournalFile implements Journal {
  readonly id: bigint;
  readonly halves: readonly [Buffer, Buffer];
  readonly #path: string;
  readonly #file: number;
  #direct: number | undefined;
  readonly #place: FilePlace;

  private constructor({ path, id, halves, direct }: JournalFileOptions) {
    this.id = id;
    this.halves = halves;
    this.#path = path;
    this.#place = new FilePlace(path);
    this.#file = openSync(path, constants.O_WRONLY | constants.O_DSYNC);
    this.#direct = direct;
  }

  /**
   * Creates the journal of a folder with two halves of that size, and replaces one that is no longer in use. All of it
   * is on the disk, so that batches allocate nothing. Undefined where there is little space, or a write does not wait
   * for the disk: outside Linux.
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
      const direct = await openDirect(path, BLOCK, [half, half]);
      try {
        const [first = ownBuffer(half), second = ownBuffer(half)] = direct?.buffers ?? [];
        return new JournalFile({ path, id, halves: [first, second], direct: direct?.file });
      } catch (error) {
        if (direct !== undefined) closeSync(direct.file);
        throw error;
      }
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
   * Resolves when these bytes of a half are on the disk, and the rest of the last block. Rejects with NoSpace if
   * nothing is left of them, with Unavailable if some may be on the disk.
   */
  async write(half: 0 | 1, begin: number, end: number): Promise<void> {
    const bytes = this.halves[half].subarray(begin, blockAfter(end));
    const at = BLOCK + half * this.halves[0].length + begin;
    try {
      await this.#write(bytes, at);
    } catch (error) {
      throw this.#isRevoked(at) ? journalFailure(error) : this.#unknown(error);
    }
  }

  close(): void {
    closeSync(this.#file);
    this.#closeDirect();
  }

  /** Removes the file, unless it has been replaced. The next start removes one that is left. */
  remove(): void {
    try {
      if (this.#place.isKept()) rmSync(this.#path);
    } catch {}
  }

  /** Whole blocks of a half. */
  async #write(blocks: Buffer, at: number): Promise<void> {
    if (this.#direct !== undefined) {
      try {
        return await writeAll(this.#direct, blocks, at);
      } catch (error) {
        // The system does not write this part directly. Others fail for reasons that concern all writes.
        if (codeOf(error) !== 'EINVAL') throw error;
        this.#closeDirect();
      }
    }
    await writeAll(this.#file, blocks, at);
  }

  #closeDirect(): void {
    if (this.#direct !== undefined) closeSync(this.#direct);
    this.#direct = undefined;
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
 * The entries of a folder's journal that its data file does not have yet. `meta` is the meta record in the data file.
 * Empty for a store that was closed. Throws Corrupt without the complete journal.
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

/** Of its own, so that lmdb looks up its address once. */
function ownBuffer(size: number): Buffer {
  return Buffer.from(new ArrayBuffer(size));
}
