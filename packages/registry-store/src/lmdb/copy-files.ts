import { join } from 'node:path';

/*
 * LMDB must not be opened by a second process while the first one writes. Each opening stores the transaction number
 * that it has read into memory that both share. If a commit happened in between, the next one overwrites it, and it is
 * lost.
 *
 * A process that wants the content of an open store therefore asks the server for a copy, by files in the store's
 * folder:
 * - copy-ID.request, which the asking process creates, touches while it needs the copy, and removes
 * - copy-ID.part, a private folder into which the server is writing
 * - copy-ID.mdb, the finished copy; copy-ID.error, with the reason why there is none
 */

const COPY_FILE = /^copy-([0-9a-f-]{36})\.(?:request|part|mdb|mdb-lock|error)$/;

/** Interval in milliseconds in which the asking process touches its request. */
export const TOUCH_INTERVAL_MS = 5000;
/** Milliseconds without a touch after which the asking process counts as dead. */
export const STALE_AFTER_MS = 60_000;

/** Paths of the files of a copy. */
export interface CopyFiles {
  readonly request: string;
  readonly part: string;
  readonly copy: string;
  readonly lock: string;
  readonly error: string;
}

/** The files of one copy. */
export function copyFiles(directory: string, id: string): CopyFiles {
  const path = (end: string) => join(directory, `copy-${id}.${end}`);
  return {
    request: path('request'),
    part: path('part'),
    copy: path('mdb'),
    lock: path('mdb-lock'),
    error: path('error'),
  };
}

/** Reports whether a file belongs to a copy. */
export function isCopyFile(name: string): boolean {
  return copyId(name) !== undefined;
}

/** The identifier of the copy that a file belongs to; undefined for other files. */
export function copyId(name: string): string | undefined {
  return COPY_FILE.exec(name)?.[1];
}
