/**
 * Counts casts and bare throws in each package's sources, without tests, their suites in `testing` and generated files.
 * `ratchet/allowed.json` has the number that each package may still have; it may only fall. `--write` writes today's
 * numbers, as after code moved to another package; it refuses when a total has risen. Exit code 1 if a package has more
 * than it may.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Counts, countKinds, KINDS, NONE, sum } from './ratchet/count-kinds.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const allowedPath = join(root, 'scripts/ratchet/allowed.json');
const allowed: Readonly<Record<string, Counts>> = JSON.parse(readFileSync(allowedPath, 'utf8'));
const found = new Map<string, Counts>();
for (const path of globSync('packages/*/src/**/*.ts', { cwd: root }).sort()) {
  if (/\.(test|soak)\.ts$|generated|[\\/]testing[\\/]/.test(path)) continue;
  const name = path.split(/[\\/]/)[1] ?? '';
  found.set(name, sum([found.get(name) ?? NONE, countKinds(readFileSync(join(root, path), 'utf8'))]));
}

if (process.argv.includes('--write')) write();
else compare();

function compare(): void {
  for (const [name, counts] of found) {
    for (const kind of KINDS) {
      const most = allowed[name]?.[kind] ?? 0;
      if (counts[kind] <= most) continue;
      console.error(
        `packages/${name}: ${counts[kind]} ${kind}, ${most} are allowed (node scripts/check-ratchet.ts --write)`,
      );
      process.exitCode = 1;
    }
  }
}

function write(): void {
  const before = sum(Object.values(allowed));
  const now = sum([...found.values()]);
  for (const kind of KINDS.filter((kind) => now[kind] > before[kind])) {
    console.error(`${now[kind]} ${kind} in all packages, ${before[kind]} are allowed`);
    process.exitCode = 1;
  }
  if (process.exitCode === 1) return;
  const left = [...found].filter(([, counts]) => KINDS.some((kind) => counts[kind] > 0));
  writeFileSync(allowedPath, `${JSON.stringify(Object.fromEntries(left), null, 2)}\n`);
}
