import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '@apiserver/apimachinery/errors';
import { isKeyValueError, KeyValueError } from '../key-value-error.js';
import { checkDataFile } from '../lmdb/check-data-file.js';
import { currentDataFile } from '../lmdb/data-files.js';
import { lockDirectory } from '../lmdb/directory-lock.js';
import { newerEntries } from '../lmdb/journal-file.js';
import { decodeMeta } from '../lmdb/records.js';
import { RecordCheck } from './record-check.js';

/** The result of a check. */
export interface CheckResult {
  /** One line for each damage; empty if there is none. */
  readonly faults: readonly string[];
  /** Number of keys in the store. */
  readonly keys: number;
  readonly revision: number;
  /** Number of records that predate checksums: their content cannot be verified. */
  readonly unchecked: number;
}

/**
 * Reads all of a store, which no server may have open, and reports damage: pages, records that do not match their
 * checksums, keys without values. It writes only the lock of the folder, and only where possible. It does not use LMDB,
 * which trusts its input. Throws KeyValueError if there is no store or another process has it open.
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
  takeJournal(directory, records, fault);
  const { faults, ...summary } = records.end();
  return { ...summary, faults: [...structure, ...faults] };
}

/** Takes what a killed server has left in its journal. */
function takeJournal(directory: string, records: RecordCheck, fault: (error: KeyValueError) => void): void {
  const { meta } = records;
  if (meta === undefined || !isReadable(meta)) return;
  try {
    for (const [text, value] of newerEntries(directory, meta)) {
      const key = Buffer.from(text, 'latin1');
      if (value === undefined) records.remove(key);
      else records.take(key, value);
    }
  } catch (error) {
    if (!isKeyValueError(error)) throw error;
    fault(error);
  }
}

/** False for a damaged record, which has a fault of its own. */
function isReadable(meta: Buffer): boolean {
  try {
    decodeMeta(meta);
    return true;
  } catch {
    return false;
  }
}

/** On a read-only file system no other process has the store open. */
async function lockIfPossible(directory: string): Promise<Disposable> {
  try {
    const lock = await lockDirectory(directory);
    return { [Symbol.dispose]: () => lock.release() };
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EROFS' || code === 'EACCES') {
      return { [Symbol.dispose]: () => {} };
    }
    throw error;
  }
}
