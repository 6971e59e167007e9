/** Runs a read of a file. Throws Go's text for a missing one: `open /a: no such file or directory`. */
export function missingFile<T>(path: string, operation: 'open' | 'stat', read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ENOENT') throw error;
    throw new Error(`${operation} ${path}: no such file or directory`, { cause: error });
  }
}
