import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf, errorOf, goFileError } from '@apiserver/apimachinery/errors';

/** A folder that cannot be made. */
class FolderError extends Error {
  override readonly name = 'FolderError';
}

/** Makes a folder and those above it. Throws a FolderError with the text of Go's os.MkdirAll. */
export function makeFolder(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { recursive: true, mode });
  } catch (error) {
    throw new FolderError(reasonOf(folder, errorOf(error)), { cause: error });
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
