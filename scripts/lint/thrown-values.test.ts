import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const rule = fileURLToPath(new URL('thrown-values.grit', import.meta.url));
const biome = fileURLToPath(new URL('../../node_modules/@biomejs/biome/bin/biome', import.meta.url));

const refused = [
  'export const a = error instanceof Error ? error.message : String(error);',
  'export const b = [error instanceof Error ? error.message : "unknown"];',
  'export const c = error instanceof Error ? error : new Error(String(error));',
];
const allowed = [
  'export const d = messageOf(error);',
  'export const e = error instanceof Error ? error.stack : undefined;',
  'export const f = error instanceof Error ? other.message : String(error);',
];

test('the lint refuses an own conversion of a thrown value', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lint-'));
  try {
    writeFileSync(join(folder, 'biome.json'), JSON.stringify({ root: true, plugins: [rule] }));
    writeFileSync(join(folder, 'example.ts'), [...refused, ...allowed].join('\n'));
    const args = [biome, 'lint', '--colors=off', '--reporter=github', '.'];
    const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    const lines = [...stdout.matchAll(/title=plugin,.*?,line=(\d+),/g)].map(([, line]) => Number(line));
    expect(lines).toEqual([1, 2, 3]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
