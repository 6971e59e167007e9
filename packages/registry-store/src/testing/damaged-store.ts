import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { currentDataFile } from '../lmdb/data-files.js';
import { openEnvironment } from '../lmdb/environment.js';
import { decodeMeta, isChecked, META_KEY, tableOf } from '../lmdb/records.js';

const CHECKSUM = 4;
const UNCHECKED_META_SIZE = 41;
const INDEX = 0x20;

function dataFile(directory: string): string {
  return join(directory, currentDataFile(directory) ?? '');
}

/** Flips a bit in every occurrence of these bytes in a closed store's file, `at` bytes after their beginning. */
export function damageBytes(directory: string, bytes: string | Uint8Array, at = 0): void {
  const path = dataFile(directory);
  const file = readFileSync(path);
  const wanted = Buffer.from(bytes as Uint8Array);
  let found = file.indexOf(wanted);
  if (found === -1) throw new Error(`${path} has no such bytes`);
  for (; found !== -1; found = file.indexOf(wanted, found + 1)) file[found + at] = (file[found + at] ?? 0) ^ 0x10;
  writeFileSync(path, file);
}

/** Damages the index record of a key in a closed store. */
export function damageIndex(directory: string, key: string): void {
  const id = Buffer.concat([Buffer.from([INDEX]), Buffer.from(key)]);
  damageBytes(directory, id, id.length + 3);
}

/** Converts a closed store to the format from before checksums. */
export async function withoutChecksums(directory: string): Promise<void> {
  const database = await openEnvironment(dataFile(directory));
  const entries = Array.from(database.getRange({ start: Buffer.from([1]) }));
  await database.batch(() => {
    for (const { key, value } of entries) void database.put(key, unchecked(key, value));
  });
  await database.close();
}

function unchecked(key: Buffer, value: Buffer): Buffer {
  if (META_KEY.equals(key)) {
    decodeMeta(value);
    const old = Buffer.from(value.subarray(0, UNCHECKED_META_SIZE));
    old[0] = 1;
    return old;
  }
  switch (tableOf(key)) {
    case 'index':
      return Buffer.from(value.subarray(0, -CHECKSUM));
    case 'log': {
      if (!isChecked(value)) return value;
      const old = Buffer.from(value.subarray(0, -CHECKSUM));
      old[8] = (old[8] ?? 0) & 1;
      return old;
    }
    default:
      return value;
  }
}
