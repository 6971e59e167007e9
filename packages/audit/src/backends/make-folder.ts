import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { codeOf, errorOf, goFileError } from '@apiserver/apimachinery/errors';

/** A folder that cannot be made. */
class FolderError extends Error {
  override readonly name = 'FolderError';
}

/**
 * Makes a folder and those above it, one by one: Node's recursive mkdir never ends below a parent that accepts no
 * folders, such as /proc. Throws a FolderError with the text of Go's os.MkdirAll.
 */
export function makeFolder(folder: string, mode: number): void {
  const missing: string[] = [];
  for (let at = resolve(folder); !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.push(at);
  try {
    for (const each of missing.reverse()) makeOne(each, mode);
    // The path may name a file: this call throws the error for that.
    if (missing.length === 0) mkdirSync(folder, { recursive: true, mode });
  } catch (error) {
    throw new FolderError(reasonOf(folder, errorOf(error)), { cause: error });
  }
}

/** Another process may make the folder at the same time. */
function makeOne(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

/** Names the topmost folder that could not be made, or the file in its place. */
function reasonOf(folder: string, error: Error): string {
  let top = folder;
  while (!existsSync(top) && !existsSync(dirname(top))) top = dirname(top);
  const code = codeOf(error);
  if (code !== 'EEXIST' && code !== 'ENOTDIR') return goFileError('mkdir', top, error);
  return `mkdir ${existsSync(top) ? top : dirname(top)}: not a directory`;
}
