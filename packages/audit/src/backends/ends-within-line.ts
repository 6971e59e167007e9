import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const NEWLINE = 0x0a;

/**
 * True if a file ends within a line: the process that wrote it was killed, or its disk was full. False for a file that
 * cannot be read.
 */
export function endsWithinLine(path: string): boolean {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const { size } = fstatSync(file);
    const last = Buffer.alloc(1);
    return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== NEWLINE;
  } catch {
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
