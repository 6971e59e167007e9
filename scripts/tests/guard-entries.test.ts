import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

it('guards a package beside the bundle of a build that was interrupted', () => {
  const folder = mkdtempSync(join(tmpdir(), 'guard-entries-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const manifest = { name: 'a', engines: { node: '>=24' }, exports: { '.': { default: './dist/index.js' } } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  mkdirSync(join(folder, 'dist/bundle.modules/node_modules/ipaddr.js'), { recursive: true });
  writeFileSync(join(folder, 'dist/index.js'), 'export {};\n');
  execFileSync(process.execPath, [join(import.meta.dirname, '../guard-entries.mjs'), folder], { stdio: 'pipe' });
  expect(readFileSync(join(folder, 'dist/index.js'), 'utf8')).toBe("import './required-node.js'; export {};\n");
});
