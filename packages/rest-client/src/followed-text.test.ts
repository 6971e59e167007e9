import { execFileSync } from 'node:child_process';
import { mkdtempDisposableSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { followedFile } from './followed-text.js';

it('reads a file again once it is no longer fresh, and keeps the last text of a missing one', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'followed-'));
  const path = join(folder.path, 'token');
  let now = 1_000;
  writeFileSync(path, 'a');
  const text = followedFile({ path, freshFor: 10, now: () => now });
  const after = (milliseconds: number) => {
    now += milliseconds;
    return text();
  };
  writeFileSync(path, 'b');
  expect([after(0), after(9), after(1)]).toEqual(['a', 'a', 'b']);
  writeFileSync(path, 'c');
  expect([after(9), after(1)]).toEqual(['b', 'c']);
  // A writer may have emptied it, and not yet written.
  writeFileSync(path, ' \n');
  expect(after(10)).toBe('c');
  rmSync(path);
  expect(after(10)).toBe('c');
  execFileSync('mkfifo', [path]);
  expect(after(10)).toBe('c');
  rmSync(path);
  writeFileSync(path, 'd');
  expect([after(9), after(1)]).toEqual(['c', 'd']);
  now -= 3_600_000;
  expect(text()).toBe('d');
  writeFileSync(path, 'e');
  expect([after(9), after(1)]).toEqual(['d', 'e']);
  writeFileSync(path, 'f');
  now -= 3_600_000;
  expect(text()).toBe('f');
  rmSync(path);
  expect(() => followedFile({ path, freshFor: 10, now: () => now })).toThrow('ENOENT');
});
