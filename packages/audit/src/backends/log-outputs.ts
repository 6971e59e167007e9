import { Buffer } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { errorOf, goFileError } from '@apiserver/apimachinery/errors';
import { orStartupError, StartupError } from '@apiserver/component-base/process';
import { endsWithinLine } from './ends-within-line.js';
import { type LineOutput, LOG_IS_CLOSED, UnwrittenLines } from './line-writer.js';
import { makeFolder } from './make-folder.js';
import { writeAll } from './write-all.js';

/** Creates the file and its folder if they are missing. Throws an Error with upstream's message. */
export function ensureLogFile(path: string): void {
  orStartupError(() => makeFolder(dirname(path), 0o700), 'ensureLogFile: ');
  try {
    closeSync(openSync(path, constants.O_CREAT | constants.O_APPEND | constants.O_RDWR, 0o600));
  } catch (error) {
    throw new StartupError(`ensureLogFile: ${goFileError('open', path, errorOf(error))}`, { cause: error });
  }
}

/** A file that grows without bound. Throws if it cannot be opened. */
export function appendedFile(path: string): LineOutput {
  let file: number | undefined = openSync(path, constants.O_APPEND | constants.O_WRONLY);
  return {
    isTorn: fstatSync(file).isFile() && endsWithinLine(path),
    maxBytes: undefined,
    needsNewFile: () => false,
    newFile: () => {},
    write: (buffers) => {
      if (file === undefined) throw new TypeError(LOG_IS_CLOSED);
      writeAll(file, buffers, () => {});
    },
    close: async () => {
      const open = file;
      file = undefined;
      if (open !== undefined) closeSync(open);
    },
  };
}

/** Bytes that a stream holds for a slow reader. Further events are lost. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/** A stream of the process, which stays open. */
export function streamOutput(stream: Writable): LineOutput {
  return {
    maxBytes: undefined,
    needsNewFile: () => false,
    newFile: () => {},
    write: (buffers) => {
      if (stream.writableLength >= MAX_UNREAD_BYTES) throw new UnwrittenLines('nobody reads the log');
      stream.write(Buffer.concat(buffers));
    },
    close: async () => {},
  };
}
