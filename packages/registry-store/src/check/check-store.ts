import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isKeyValueError, KeyValueError } from '../key-value-error.js';
import { checkDataFile } from '../lmdb/check-data-file.js';
import { currentDataFile } from '../lmdb/data-files.js';
import { lockDirectory } from '../lmdb/directory-lock.js';
import { RecordCheck } from './record-check.js';

/** The result of a check. */
export interface CheckResult {
  /** One line for each thing that is damaged; empty: nothing is. */
  readonly faults: readonly string[];
  /** How many keys the store has. */
  readonly keys: number;
  readonly revision: number;
  /** How many of the records are from before there were checksums: what they hold cannot be known to be right. */
  readonly unchecked: number;
}

/**
 * Reads all of a store, which no server may have open, and says what of it is damaged: pages, records that do not match their
 * checksums, keys without values. Nothing is written but the lock of the folder, and that only where it can be; LMDB, which
 * believes what it reads, is not asked. Throws KeyValueError where there is no store or another process has it.
 */
export async function checkStore(directory: string): Promise<CheckResult> {
  const name = existsSync(directory) ? currentDataFile(directory) : undefined;
  if (name === undefined) throw new KeyValueError('Unavailable', `there is no store in ${directory}`);
  using _lock = await lockIfPossible(directory);
  const structure: string[] = [];
  const records = new RecordCheck();
  const fault = (error: KeyValueError): void => void structure.push(error.message);
  try {
    checkDataFile(join(directory, name), { fault, entry: (key, value) => records.take(key, value) });
  } catch (error) {
    if (!isKeyValueError(error)) throw error;
    fault(error);
    return { faults: structure, keys: 0, revision: 0, unchecked: 0 };
  }
  const { faults, ...summary } = records.end();
  return { ...summary, faults: [...structure, ...faults] };
}

/** On a file system that cannot be written to nobody else has the store. */
async function lockIfPossible(directory: string): Promise<Disposable> {
  try {
    const lock = await lockDirectory(directory);
    return { [Symbol.dispose]: () => lock.release() };
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'EROFS' || error.code === 'EACCES')) {
      return { [Symbol.dispose]: () => {} };
    }
    throw error;
  }
}
