import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

const DAY = 24 * 60 * 60 * 1_000;
const COMPRESSED = '.gz';

/** The bounds of files that were renamed. 0: no bound. */
export interface OldFiles {
  /** The present file. */
  readonly path: string;
  readonly maxAgeDays: number;
  readonly maxBackups: number;
  readonly compress: boolean;
}

/** The name of a file that ends at `now`: `audit-2026-01-31T23-59-59.999.log`. */
export function backupName(path: string, now: number): string {
  const time = new Date(now).toISOString().slice(0, -1).replaceAll(':', '-');
  const { prefix, extension } = namesOf(path);
  return join(dirname(path), `${prefix}${time}${extension}`);
}

interface OldFile {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly endedAt: number;
}

/**
 * Removes files that are too old or too many, and compresses the others if that is asked for. Throws the first error.
 * Upstream: millRunOnce of gopkg.in/natefinch/lumberjack.v2
 */
export async function tidyOldFiles(options: OldFiles, now: number): Promise<void> {
  const { path, maxAgeDays, maxBackups, compress } = options;
  if (maxAgeDays === 0 && maxBackups === 0 && !compress) return;
  const folder = dirname(path);
  const files = oldFilesIn(await readdir(folder), path);
  const numbers = new Map<string, number>();
  for (const { name } of files) {
    const plain = withoutCompression(name);
    if (!numbers.has(plain)) numbers.set(plain, numbers.size + 1);
  }
  const isLeftOver = ({ name, endedAt }: OldFile) =>
    (maxBackups > 0 && (numbers.get(withoutCompression(name)) ?? 0) > maxBackups) ||
    (maxAgeDays > 0 && endedAt < now - maxAgeDays * DAY);
  for (const file of files) {
    if (isLeftOver(file)) await rm(join(folder, file.name), { force: true });
    else if (compress && !file.name.endsWith(COMPRESSED)) await compressFile(join(folder, file.name));
  }
}

/** The newest first. */
function oldFilesIn(names: readonly string[], path: string): readonly OldFile[] {
  const { prefix, extension } = namesOf(path);
  return names
    .flatMap((name) => {
      const plain = withoutCompression(name);
      if (!name.startsWith(prefix) || !plain.endsWith(extension)) return [];
      const endedAt = timeOf(plain.slice(prefix.length, plain.length - extension.length));
      return endedAt === undefined ? [] : [{ name, endedAt }];
    })
    .sort((a, b) => b.endedAt - a.endedAt);
}

function timeOf(text: string): number | undefined {
  const match = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d\.\d{3})$/.exec(text);
  const time = match === null ? Number.NaN : Date.parse(`${match[1]}:${match[2]}:${match[3]}Z`);
  return Number.isNaN(time) ? undefined : time;
}

function withoutCompression(name: string): string {
  return name.endsWith(COMPRESSED) ? name.slice(0, -COMPRESSED.length) : name;
}

function namesOf(path: string): { readonly prefix: string; readonly extension: string } {
  const name = basename(path);
  // Unlike Go, Node finds no extension in a name that begins with its only dot.
  const extension = extname(`x${name}`);
  return { prefix: `${name.slice(0, name.length - extension.length)}-`, extension };
}

async function compressFile(path: string): Promise<void> {
  const { mode } = await stat(path);
  const target = path + COMPRESSED;
  try {
    await pipeline(createReadStream(path), createGzip(), createWriteStream(target, { mode: mode & 0o777 }));
  } catch (error) {
    await rm(target, { force: true });
    throw error;
  }
  await rm(path);
}
