import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryRoot } from '../harness/api-server.ts';

/**
 * Commands that sh and cmd.exe read alike: a program of npm's own PATH, and words without special characters of either.
 */
const portable = /^(?:node|biome|tsc|vitest)(?: [\w@./:=,-]+)*$/;

const isPortable = (script: string): boolean => portable.test(script);

it.each([
  ['node scripts/start.mjs', true],
  ['biome check --write', true],
  ['MALLOC_ARENA_MAX=1 node scripts/start.mjs', false],
  ['exec node scripts/start.mjs', false],
  ['node scripts/a.mjs && node scripts/b.mjs', false],
  ['node scripts/a.mjs $FLAGS', false],
  ["node -e '1'", false],
  ['node scripts\\start.mjs', false],
  ['rm -rf dist', false],
])('%s: %s', (script, expected) => {
  expect(isPortable(script)).toBe(expected);
});

it('the scripts of every package.json run in sh and in cmd.exe', () => {
  const manifests = globSync(['package.json', '{packages,examples}/*/package.json', 'scripts/*/package.json'], {
    cwd: repositoryRoot,
  });
  const scripts = manifests.flatMap((path) => {
    const { scripts = {} } = JSON.parse(readFileSync(join(repositoryRoot, path), 'utf8'));
    return Object.entries<string>(scripts).map(([name, script]) => ({ path, name, script }));
  });
  expect(scripts.length).toBeGreaterThan(5);
  expect(scripts.filter(({ script }) => !isPortable(script))).toEqual([]);
});
