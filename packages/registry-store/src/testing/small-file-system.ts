import { execFileSync } from 'node:child_process';

/** Mounts a file system of that size, such as `16k`, on a folder; undefined where mounting is not allowed. */
export function smallFileSystem(path: string, size: string): Disposable | undefined {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path], { stdio: 'ignore' });
    return { [Symbol.dispose]: () => void execFileSync('umount', [path]) };
  } catch {
    return undefined;
  }
}
