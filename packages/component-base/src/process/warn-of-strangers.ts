import { statSync } from 'node:fs';
import type { Logger } from '@apiserver/apiserver-contracts';

/** Write permission of the group, and of everybody. */
const OTHERS_WRITE = 0o022;

/**
 * Logs a warning if other users can change a folder: they could replace its keys, and impersonate anybody. Not an
 * error, because volumes of containers are usually writable by a group or by everybody.
 */
export function warnOfStrangers(directory: string, logger: Pick<Logger, 'warning'>): void {
  const user = process.getuid?.();
  // Windows has no such modes.
  if (user === undefined) return;
  const { mode, uid } = statSync(directory);
  const details = { directory, mode: (mode & 0o7777).toString(8).padStart(4, '0') };
  if ((mode & OTHERS_WRITE) !== 0) {
    logger.warning('Other users can replace the keys in the data folder; its mode should be 0700', details);
  } else if (uid !== user && uid !== 0) {
    logger.warning('The data folder belongs to another user', { ...details, uid });
  }
}
