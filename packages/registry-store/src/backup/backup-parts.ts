import { randomUUID } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** Writers of a part never pause this long. A writer that was suspended longer finds its part removed, and fails. */
const STALE_MS = 600_000;
const PART = /^\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.part$/;

/** A new path for an unfinished backup to `path`. It is unique, because another backup may be in progress. */
export function newPartPath(path: string): string {
  return `${path}.${randomUUID()}.part`;
}

/** Removes parts of backups to `path` that have not been written to for ten minutes: those of killed processes. */
export async function removeStaleParts(path: string, now: Date): Promise<void> {
  const directory = dirname(resolve(path));
  const name = basename(path);
  // The writer reports errors of the folder.
  for (const entry of await readdir(directory).catch(() => [])) {
    if (!entry.startsWith(name) || !PART.test(entry.slice(name.length))) continue;
    const part = join(directory, entry);
    // A concurrent backup may remove or finish it.
    const written = await stat(part).catch(() => undefined);
    if (written !== undefined && now.getTime() - written.mtimeMs > STALE_MS) await rm(part, { force: true });
  }
}
