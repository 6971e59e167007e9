import { goFileError, isMissingFile } from '@apiserver/apimachinery/errors';

/** Runs a read of a file. Throws Go's text for a missing one: `open /a: no such file or directory`. */
export function missingFile<T>(path: string, operation: 'open' | 'stat', read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Error) || !isMissingFile(error)) throw error;
    throw new Error(goFileError(operation, path, error), { cause: error });
  }
}
