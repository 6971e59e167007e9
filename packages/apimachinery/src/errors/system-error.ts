/** Go's words for errors of the operating system, by Node's codes. Upstream: package syscall of Go */
const GO_WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  ECONNREFUSED: 'connection refused',
  EHOSTUNREACH: 'no route to host',
  EISDIR: 'is a directory',
  ENETUNREACH: 'network is unreachable',
  ENOENT: 'no such file or directory',
  ENOTDIR: 'not a directory',
};

/** The code of a thrown value, such as `ENOENT`; undefined if it has none. */
export function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
}

/** Reports whether a file or folder is missing: that is what was thrown. */
export function isMissingFile(thrown: unknown): boolean {
  return codeOf(thrown) === 'ENOENT';
}

/** Go's words for an error of the operating system: `no such file or directory`. Undefined for other errors. */
export function goWordsOf(thrown: unknown): string | undefined {
  return GO_WORDS[codeOf(thrown) ?? ''];
}

/**
 * Go's text for a file that could not be read: `open /a: no such file or directory`. For errors without known words it
 * is Node's message. A folder can be opened, but not read.
 */
export function goFileError(operation: 'open' | 'stat', path: string, thrown: Error): string {
  const words = goWordsOf(thrown);
  if (words === undefined) return thrown.message;
  return `${codeOf(thrown) === 'EISDIR' ? 'read' : operation} ${path}: ${words}`;
}
