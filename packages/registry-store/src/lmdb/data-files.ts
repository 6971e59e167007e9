import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissingFile } from '@apiserver/apimachinery/errors';
import { KeyValueError } from '../key-value-error.js';
import { isCopyFile } from './copy-files.js';

/*
 * Files of a store's folder:
 * - the data file: data.mdb, or data-N.mdb after N rewrites
 * - LMDB's lock file: data.mdb-lock
 * - for a moment, a file that shows whether there is room for the data file: data.mdb-room
 * - CURRENT, which names the data file
 * - files of copies that another process has asked for: see copy-files.ts
 *
 * Other data files are leftovers: of an interrupted rewrite, or of the previous file.
 */

const CURRENT = 'CURRENT';
const FIRST = 'data.mdb';
const DATA_FILE = /^data(?:-(\d+))?\.mdb$/;
const LEFTOVER = /^(?:data(?:-\d+)?\.mdb(?:-lock|-room)?|lock\.mdb|CURRENT\.new)$/;

/**
 * The name of the folder's data file; undefined for a store that does not exist, or was killed before its first write.
 * Throws Corrupt when CURRENT and the files are inconsistent.
 */
export function currentDataFile(directory: string): string | undefined {
  const name = readCurrent(directory);
  if (name === undefined) return withoutCurrent(directory);
  if (sizeOf(join(directory, name)) > 0) return name;
  throw new KeyValueError(
    'Corrupt',
    `${join(directory, name)} is missing or empty, and ${CURRENT} says that it is the store`,
  );
}

/** The name of the next data file: for the first opening, and after each rewrite. */
export function nextDataFile(name: string | undefined): string {
  if (name === undefined) return FIRST;
  return `data-${Number(DATA_FILE.exec(name)?.[1] ?? 0) + 1}.mdb`;
}

/** Prepares `announceDataFile`, so that little is left for it. `flushed`: must survive a crash of the machine. */
export async function prepareDataFile(directory: string, name: string, flushed: boolean): Promise<void> {
  const file = announcement(directory);
  const text = `${name}\n`;
  // A start waits for this: the asynchronous form takes 2 ms, all of it code that runs for the first time.
  if (flushed) await writeFile(file, text, { mode: 0o600, flush: true });
  else writeFileSync(file, text, { mode: 0o600 });
}

/** Makes the prepared file the store; if it throws, nothing has changed. */
export async function announceDataFile(directory: string): Promise<void> {
  renameSync(announcement(directory), join(directory, CURRENT));
}

/** Reverts a preparation that was not announced. Idempotent. */
export async function withdrawDataFile(directory: string): Promise<void> {
  await rm(announcement(directory), { force: true });
}

/** Removes files that are not the store. Requires the folder's lock. */
export async function removeLeftovers(directory: string, name: string | undefined): Promise<void> {
  const kept = new Set([name, `${name}-lock`]);
  const leftovers = readdirSync(directory).filter(
    (file) => (LEFTOVER.test(file) || isCopyFile(file)) && !kept.has(file),
  );
  await Promise.all(leftovers.map((file) => rm(join(directory, file), { recursive: true, force: true })));
}

/**
 * Makes the names in a folder as durable as its files. Where this is not possible (Windows) they are durable anyway.
 */
export async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using folder = await open(directory, 'r');
  await folder.sync();
}

function announcement(directory: string): string {
  return join(directory, `${CURRENT}.new`);
}

/** The content of CURRENT; undefined if it is absent. Throws Corrupt. */
export function readCurrent(directory: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(join(directory, CURRENT), 'utf8');
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
  // Empty after a crash of the machine during a first start, which does not wait for the disk.
  if (text === '') return undefined;
  const name = text.trim();
  if (DATA_FILE.test(name)) return name;
  throw new KeyValueError('Corrupt', `${join(directory, CURRENT)} does not name a data file`);
}

function withoutCurrent(directory: string): string | undefined {
  const names = readdirSync(directory).filter((file) => DATA_FILE.test(file));
  if (names.includes(FIRST)) return FIRST;
  if (names.length === 0) return undefined;
  throw new KeyValueError(
    'Corrupt',
    `${join(directory, CURRENT)}, which says which of ${names.join(', ')} is the store, is missing`,
  );
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
