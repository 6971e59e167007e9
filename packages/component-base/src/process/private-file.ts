import { Buffer } from 'node:buffer';
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { codeOf, errorOf, goFileError, isMissingFile } from '@apiserver/apimachinery/errors';
import { StartupError } from './startup-error.js';

/**
 * Writes a file atomically: a temporary file beside it is renamed over it. The mode is independent of the umask. A
 * crash of the machine may lose it: for content that the next start makes again.
 */
export function writeFileAtomically(path: string, content: string, mode: number): void {
  const { file, temporary } = writeTemporary(path, content, mode);
  closeSync(file);
  renameSync(temporary, path);
}

/**
 * As writeFileAtomically; once it resolves, the file survives a crash of the machine. After an earlier crash it is
 * completely old or completely new. The disk may take longer than the rest of a start, so another thread waits for it.
 */
export async function writeFileDurably(path: string, content: string, mode: number): Promise<void> {
  const { file, temporary } = writeTemporary(path, content, mode);
  try {
    await synced(file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
  await syncDirectory(dirname(path));
}

/** Codes of failures of a disk without room. */
const FULL: readonly (string | undefined)[] = ['ENOSPC', 'EDQUOT'];

/**
 * As writeFileAtomically; on a full disk, a file that is there is overwritten in its own place. A crash may then leave it
 * in part: only for content that the next start makes again, and that is of no use as it is. Throws a StartupError if
 * that fails too; the old content is then kept.
 */
export function replaceFile(path: string, content: string, mode: number): void {
  try {
    writeFileAtomically(path, content, mode);
  } catch (error) {
    const isFull = error instanceof StartupError && FULL.includes(codeOf(error.cause));
    if (!isFull || !overwrite(path, content, mode)) throw error;
  }
}

/** Writes over a file in the room that it has. Returns false if that cannot be done. */
function overwrite(path: string, content: string, mode: number): boolean {
  const bytes = Buffer.from(content);
  let file: number | undefined;
  try {
    file = openSync(path, 'r+');
    fchmodSync(file, mode);
    return writeOver(file, bytes);
  } catch {
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Takes the room of a longer content before it touches the old one. */
function writeOver(file: number, bytes: Buffer): boolean {
  const { size } = fstatSync(file);
  try {
    writeFrom(file, bytes, size);
  } catch {
    ftruncateSync(file, size);
    return false;
  }
  writeFrom(file, bytes.subarray(0, size), 0);
  ftruncateSync(file, bytes.length);
  return true;
}

/** Writes the bytes from a position on. A single write may be partial. */
function writeFrom(file: number, bytes: Buffer, from: number): void {
  for (let at = from; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, at);
}

/** Returns an open file. Throws a StartupError if it cannot be written, for example on a full disk. */
function writeTemporary(path: string, content: string, mode: number): { file: number; temporary: string } {
  const temporary = `${path}.${process.pid}.tmp`;
  rmSync(temporary, { force: true });
  const file = openSync(temporary, 'wx', mode);
  try {
    fchmodSync(file, mode);
    // A single write may be partial, where the disk is nearly full.
    writeFileSync(file, content);
    return { file, temporary };
  } catch (error) {
    closeSync(file);
    rmSync(temporary, { force: true });
    throw new StartupError(`cannot write ${path}`, { cause: error });
  }
}

/** Makes the rename itself survive a crash. Windows cannot open a directory, and does not need it. */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const directory = openSync(path, 'r');
  try {
    await synced(directory);
  } finally {
    closeSync(directory);
  }
}

function synced(file: number): Promise<void> {
  return new Promise((resolve, reject) => fsync(file, (error) => (error === null ? resolve() : reject(error))));
}

/**
 * Creates a directory and its parents, readable by their owner alone. It creates them one by one: Node's recursive
 * mkdir never ends below a parent that accepts no folders, such as /proc. An existing directory keeps its mode. Throws
 * a StartupError with the cause, which names the flag that chose the path.
 */
export function makePrivateDirectory(path: string, flag?: string): void {
  const missing: string[] = [];
  for (let folder = resolve(path); !existsSync(folder) && dirname(folder) !== folder; folder = dirname(folder)) {
    missing.push(folder);
  }
  try {
    for (const folder of missing.reverse()) mkdirSync(folder, { mode: 0o700 });
    // The path may name a file: the second mkdirSync throws the error for that.
    if (!statSync(path).isDirectory()) mkdirSync(path);
  } catch (cause) {
    const named = flag === undefined ? '' : `--${flag}: `;
    throw new StartupError(`${named}cannot make the folder ${path}`, { cause });
  }
}

/**
 * Flags for reading a file again while the server runs. A named pipe in its place is empty: without these flags it
 * would hold a thread until something writes to it.
 */
export const READ_WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** The file's text, or undefined when there is none. Other failures are thrown. */
export function readFileIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
}

/** The text of a file that must be readable. Throws a StartupError that names it, with Go's text. */
export function readRequiredFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartupError(goFileError('open', file, errorOf(error)), { cause: error });
  }
}
