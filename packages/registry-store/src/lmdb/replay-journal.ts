import { isKeyValueError } from '../key-value-error.js';
import type { LmdbDatabase } from './environment.js';
import { newerEntries, removeJournal } from './journal-file.js';
import { commitFailure } from './lmdb-errors.js';
import { decodeCheckedFrom, decodeJournalMark, decodeMeta, encodeMeta, META_KEY } from './records.js';

/**
 * Stores what a killed process left in its journal in the data file at `path`, and removes the journal. Throws Corrupt
 * without the complete journal, NoSpace on a full disk, and changes nothing then.
 */
export async function replayJournal(directory: string, database: LmdbDatabase, path: string): Promise<void> {
  try {
    const meta = database.getBinary(META_KEY);
    if (meta !== undefined && decodeJournalMark(meta) !== undefined) await replay(directory, database, meta);
  } catch (error) {
    throw isKeyValueError(error) ? error : await commitFailure(error, { unchanged: true, path });
  }
  removeJournal(directory);
}

/** All of it in one commit. The promises of single writes settle with the batch's; each still needs a handler. */
async function replay(directory: string, database: LmdbDatabase, meta: Buffer): Promise<void> {
  const entries = newerEntries(directory, meta);
  const last = entries.get(META_KEY.toString('latin1')) ?? meta;
  await database.batch(() => {
    for (const [text, value] of entries) {
      const key = Buffer.from(text, 'latin1');
      const written = value === undefined ? database.remove(key) : database.put(key, value);
      written.catch(() => {});
    }
    database.put(META_KEY, encodeMeta(decodeMeta(last), decodeCheckedFrom(last))).catch(() => {});
  });
}
