import {
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** Whether a file must survive a crash of the machine, or may be lost because the next start makes it anew. */
export type Durability = 'synced' | 'replaceable';

/**
 * Writes a file so that nobody sees half of it: a temporary file beside it, renamed over it. The mode holds whatever the
 * umask is. A synced one is after a crash of the machine either the old one or the new one, whole; to sync may take
 * longer than all else of a start.
 */
export function writeFileAtomically(path: string, content: string, mode: number, durability: Durability): void {
  const temporary = `${path}.${process.pid}.tmp`;
  rmSync(temporary, { force: true });
  const file = openSync(temporary, 'wx', mode);
  try {
    fchmodSync(file, mode);
    writeSync(file, content);
    if (durability === 'synced') fsyncSync(file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
  if (durability === 'synced') syncDirectory(dirname(path));
}

/** Makes the rename itself survive a crash. Windows cannot open a directory, and does not need it. */
function syncDirectory(path: string): void {
  if (process.platform === 'win32') return;
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/** Makes a directory and its parents, readable by its owner alone. One that exists keeps its mode. */
export function makePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
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
