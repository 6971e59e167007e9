/** A part of a file. */
export interface ByteRange {
  readonly start: number;
  readonly length: number;
}

/**
 * The part that a Range header asks for; undefined stands for the whole file, which is also the response to several
 * ranges.
 * Upstream: parseRange of net/http
 */
export function byteRange(header: string | undefined, size: number): ByteRange | undefined | 'unsatisfiable' {
  const match = /^bytes=\s*(\d*)-(\d*)\s*$/.exec(header ?? '');
  if (match === null) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '') return last === '' ? 'unsatisfiable' : suffix(Number(last), size);
  const start = Number(first);
  if (start >= size) return 'unsatisfiable';
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return start > end ? 'unsatisfiable' : { start, length: end - start + 1 };
}

function suffix(wanted: number, size: number): ByteRange | 'unsatisfiable' {
  const length = Math.min(wanted, size);
  return length === 0 ? 'unsatisfiable' : { start: size - length, length };
}
