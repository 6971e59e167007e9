import { messageOf } from './message-of.js';

/** Go's words for errors of the operating system, by Node's codes. Upstream: package syscall of Go */
const GO_WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EADDRINUSE: 'address already in use',
  EADDRNOTAVAIL: 'cannot assign requested address',
  ECONNREFUSED: 'connection refused',
  EHOSTUNREACH: 'no route to host',
  EIO: 'input/output error',
  EISDIR: 'is a directory',
  ELOOP: 'too many levels of symbolic links',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'file name too long',
  ENETUNREACH: 'network is unreachable',
  ENFILE: 'too many open files in system',
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space left on device',
  ENOTDIR: 'not a directory',
  ENXIO: 'no such device or address',
  EPERM: 'operation not permitted',
  EROFS: 'read-only file system',
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

/** A failed operation on a file, as Node tells it. */
function isFileError(thrown: unknown): thrown is Error & { syscall: keyof typeof OPERATIONS; path: string } {
  if (!(thrown instanceof Error && 'syscall' in thrown && 'path' in thrown)) return false;
  const { syscall, path } = thrown;
  return typeof syscall === 'string' && Object.hasOwn(OPERATIONS, syscall) && typeof path === 'string';
}

/** Go's names of Node's operations on one file. */
const OPERATIONS = { access: 'access', lstat: 'stat', mkdir: 'mkdir', open: 'open', stat: 'stat' } as const;

/** The message of what was thrown; that of a file's operation is Go's, as of `goFileError`. */
export function goErrorText(thrown: unknown): string {
  return isFileError(thrown) ? goFileError(OPERATIONS[thrown.syscall], thrown.path, thrown) : messageOf(thrown);
}

/**
 * Go's text for a failed operation on a file: `open /a: no such file or directory`. For errors without known words it
 * is Node's message. A file that was opened may fail to be read, as a folder does. The path of a `rename` is both paths.
 */
export function goFileError(
  operation: 'access' | 'mkdir' | 'open' | 'rename' | 'stat',
  path: string,
  thrown: Error,
): string {
  const words = goWordsOf(thrown);
  if (words === undefined) return thrown.message;
  if (operation === 'rename' && codeOf(thrown) === 'EISDIR') return `rename ${path}: file exists`;
  return `${'syscall' in thrown && thrown.syscall === 'read' ? 'read' : operation} ${path}: ${words}`;
}
