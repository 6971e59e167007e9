import { randomUUID } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** Who writes a part writes to it all the time. One that is stopped for longer finds it gone, and fails. */
const STALE_MILLISECONDS = 600_000;
const PART = /^\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.part$/;

/** Where a backup to `path` is written until it is whole: a name of its own, for another one may be under way. */
export function newPartPath(path: string): string {
  return `${path}.${randomUUID()}.part`;
}

/** Removes the parts of backups to `path` that nobody has written to for ten minutes: those of processes that were killed. */
export async function removeStaleParts(path: string, now: Date): Promise<void> {
  const directory = dirname(resolve(path));
  const name = basename(path);
  // What is wrong with the folder, the writer tells.
  for (const entry of await readdir(directory).catch(() => [])) {
    if (!entry.startsWith(name) || !PART.test(entry.slice(name.length))) continue;
    const part = join(directory, entry);
    // Another backup may remove it, or finish it, at the same time.
    const written = await stat(part).catch(() => undefined);
    if (written !== undefined && now.getTime() - written.mtimeMs > STALE_MILLISECONDS) await rm(part, { force: true });
  }
}
