import { chownSync, closeSync, constants, openSync, renameSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '@apiserver/apimachinery/clock';
import { errorOf, goFileError, isMissingFile, messageOf } from '@apiserver/apimachinery/errors';
import { endsWithinLine } from './ends-within-line.js';
import { type LineOutput, LOG_IS_CLOSED } from './line-writer.js';
import { makeFolder } from './make-folder.js';
import { backupName, type OldFiles, tidyOldFiles } from './old-files.js';
import { writeAll } from './write-all.js';

/** A log file that cannot be opened or renamed. */
class LogFileError extends Error {
  override readonly name = 'LogFileError';
}

const MEGABYTE = 1024 * 1024;

/** The bounds of a rotated file and its older ones. 0: no bound, except for `maxMegabytes`. */
export interface RotationOptions extends OldFiles {
  readonly maxMegabytes: number;
  readonly clock: Clock;
}

/**
 * A file that is renamed when it is full. Older files have the time of their end in their names.
 * Upstream: gopkg.in/natefinch/lumberjack.v2
 */
export class RotatedFile implements LineOutput {
  readonly maxBytes: number;
  readonly #options: RotationOptions;
  #file: number | undefined = undefined;
  #isClosed = false;
  /** Bytes that are written. */
  #size = 0;
  /** The file of an earlier process ends within a line. */
  #isTorn = false;
  #tidying: Promise<void> = Promise.resolve();

  /** Opens the file with the first line. */
  constructor(options: RotationOptions) {
    this.#options = options;
    this.maxBytes = options.maxMegabytes * MEGABYTE;
  }

  needsNewFile(bytes: number): boolean {
    if (this.#file === undefined) return true;
    return this.#size + bytes > this.maxBytes;
  }

  get isTorn(): boolean {
    return this.#isTorn;
  }

  newFile(bytes: number): void {
    if (this.#isClosed) throw new LogFileError(LOG_IS_CLOSED);
    if (this.#file === undefined && this.#reopen(bytes)) return;
    this.#isTorn = false;
    this.#closeFile();
    this.#open();
    this.#tidy();
  }

  write(buffers: readonly Uint8Array[]): void {
    if (this.#file === undefined) throw new LogFileError(LOG_IS_CLOSED);
    // On a full disk, files that hold nothing must not take the places of older ones.
    writeAll(this.#file, buffers, (bytes) => {
      this.#size += bytes;
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#closeFile();
    await this.#tidying;
  }

  /** Goes on with the file of an earlier process if it has room. */
  #reopen(bytes: number): boolean {
    const { path } = this.#options;
    this.#tidy();
    const present = statOf(path);
    if (present === undefined || present.size + bytes >= this.maxBytes) return false;
    try {
      this.#isTorn = present.isFile() && endsWithinLine(path);
      this.#file = openSync(path, constants.O_APPEND | constants.O_WRONLY);
      this.#size = present.size;
      return true;
    } catch {
      return false;
    }
  }

  #open(): void {
    const { path, clock } = this.#options;
    try {
      makeFolder(dirname(path), 0o755);
    } catch (error) {
      throw new LogFileError(`can't make directories for new logfile: ${messageOf(error)}`, { cause: error });
    }
    const old = statOf(path);
    if (old !== undefined) {
      const backup = backupName(path, clock.now());
      try {
        renameSync(path, backup);
      } catch (error) {
        const reason = goFileError('rename', `${path} ${backup}`, errorOf(error));
        throw new LogFileError(`can't rename log file: ${reason}`, { cause: error });
      }
    }
    const flags = constants.O_CREAT | constants.O_WRONLY | constants.O_TRUNC | constants.O_APPEND;
    try {
      this.#file = openSync(path, flags, old === undefined ? 0o600 : old.mode & 0o777);
    } catch (error) {
      throw new LogFileError(`can't open new logfile: ${goFileError('open', path, errorOf(error))}`, { cause: error });
    }
    this.#size = 0;
    if (old !== undefined && process.platform !== 'win32') chownSync(path, old.uid, old.gid);
  }

  #closeFile(): void {
    const file = this.#file;
    // Even a failed close ends the descriptor.
    this.#file = undefined;
    if (file !== undefined) closeSync(file);
  }

  /** Upstream ignores failures of this too. */
  #tidy(): void {
    const { clock } = this.#options;
    this.#tidying = this.#tidying.then(() => tidyOldFiles(this.#options, clock.now())).catch(() => {});
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw new LogFileError(`error getting log file info: ${goFileError('stat', path, errorOf(error))}`, {
      cause: error,
    });
  }
}
