import { openSync, readSync } from 'node:fs';

/**
 * Milliseconds so far for which the main thread was ready, and had no processor. Zero where the kernel does not tell.
 */
export function openWaits(): () => number {
  try {
    const descriptor = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
    const buffer = Buffer.alloc(64);
    return () => {
      const length = readSync(descriptor, buffer, 0, buffer.length, 0);
      return Number(buffer.toString('latin1', 0, length).split(' ')[1]) / 1e6;
    };
  } catch {
    return () => 0;
  }
}
