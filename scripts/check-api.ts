/**
 * Compares `api.md` of every package with the declarations in its `dist`. A change of the public API thereby shows in a
 * review. `--write` writes the reports. Exit code 1 if one is stale, or if an export has no docstring.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ModuleReader } from './api-report/declaration-module.ts';
import { type Entry, writeReport } from './api-report/write-report.ts';

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, { readonly types?: string }>>;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const reader = new ModuleReader();
for (const folder of globSync('packages/*', { cwd: root }).sort()) {
  if (!existsSync(join(root, folder, 'package.json'))) continue;
  const manifest: Manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const { text, undocumented } = writeReport(manifest.name, entriesOf(folder, manifest), reader);
  const path = join(root, folder, 'api.md');
  if (process.argv.includes('--write')) writeFileSync(path, text);
  else if (!existsSync(path) || readFileSync(path, 'utf8') !== text) {
    console.error(`${folder}/api.md is stale: node scripts/check-api.ts --write`);
    process.exitCode = 1;
  }
  for (const name of undocumented) console.error(`${name} has no docstring`);
  if (undocumented.length > 0) process.exitCode = 1;
}

/** Sorted, so that the package itself comes first. */
function entriesOf(folder: string, { name, exports = {} }: Manifest): Entry[] {
  return Object.entries(exports)
    .flatMap(([subpath, { types }]) =>
      types === undefined ? [] : entriesOfTypes(folder, `${name}${subpath.slice(1)}`, types),
    )
    .sort((a, b) => (a.specifier < b.specifier ? -1 : 1));
}

/** A pattern stands for the generated files that it matches. */
function entriesOfTypes(folder: string, specifier: string, types: string): Entry[] {
  if (!types.includes('*')) return [{ specifier, path: join(root, folder, types), namesOnly: false }];
  const [before = '', after = ''] = join(folder, types).split('*');
  return globSync(join(folder, types).replace('*', '**/*'), { cwd: root }).map((path) => ({
    specifier: specifier.replace('*', path.replaceAll('\\', '/').slice(before.length, -after.length)),
    path: join(root, path),
    namesOnly: true,
  }));
}
