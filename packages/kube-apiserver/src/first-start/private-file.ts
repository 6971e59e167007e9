import {
  closeSync,
  existsSync,
  fchmodSync,
  fsync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { StartupError } from './startup-error.js';

/**
 * Writes a file so that nobody sees half of it: a temporary file beside it, renamed over it. The mode holds whatever the
 * umask is. A crash of the machine may lose it: for what the next start makes anew.
 */
export function writeFileAtomically(path: string, content: string, mode: number): void {
  const { file, temporary } = writeTemporary(path, content, mode);
  closeSync(file);
  renameSync(temporary, path);
}

/**
 * As writeFileAtomically; when it resolves, the file survives a crash of the machine, and in one before that it is the old one
 * or the new one, whole. The disk may take longer than all else of a start, so it is waited for on another thread.
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

/** The file is open. Throws a StartupError where it cannot be written, for want of room above all. */
function writeTemporary(path: string, content: string, mode: number): { file: number; temporary: string } {
  const temporary = `${path}.${process.pid}.tmp`;
  rmSync(temporary, { force: true });
  const file = openSync(temporary, 'wx', mode);
  try {
    fchmodSync(file, mode);
    writeSync(file, content);
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
 * Makes a directory and its parents, readable by its owner alone. One that exists keeps its mode. Throws a StartupError
 * that says which part of the path cannot be made, and why.
 */
export function makePrivateDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new StartupError(`cannot make the folder ${path}`, { cause: reasonNotMade(resolve(path)) ?? cause });
  }
}

/** Node says of a read-only parent that there is no such directory, unless it is to make one level only. */
function reasonNotMade(path: string): unknown {
  const missing = [path];
  for (let parent = dirname(path); !existsSync(parent); parent = dirname(parent)) missing.push(parent);
  try {
    mkdirSync(missing.at(-1) ?? path, { mode: 0o700 });
    return undefined;
  } catch (error) {
    return error;
  }
}

/** The file's text, or undefined when there is none. Other failures are thrown. */
export function readFileIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
