import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { endianness } from 'node:os';
import { join } from 'node:path';
import { KeyValueError } from '../key-value-error.js';

/** LMDB's file begins with a meta page, which has this number behind its page header. */
const MAGIC = 0xbeefc0de;
const MAGIC_AT = 24;
/** Two meta pages of the smallest page size come before anything else. */
const SMALLEST_FILE = 8192;

/**
 * Throws Corrupt when the folder's data file is not LMDB's, before LMDB is asked: the native module does not survive
 * an environment that it cannot open.
 */
export function checkDataFile(directory: string): void {
  const path = join(directory, 'data.mdb');
  if (!existsSync(path)) return;
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    if (size === 0) return;
    const magic = Buffer.alloc(4);
    readSync(file, magic, 0, magic.length, MAGIC_AT);
    const valid = size >= SMALLEST_FILE && readNative32(magic) === MAGIC;
    if (!valid) throw new KeyValueError('Corrupt', `${path} is not a store, or its beginning is damaged`);
  } finally {
    closeSync(file);
  }
}

/** LMDB writes in the machine's own byte order. */
function readNative32(buffer: Buffer): number {
  return endianness() === 'LE' ? buffer.readUInt32LE() : buffer.readUInt32BE();
}
