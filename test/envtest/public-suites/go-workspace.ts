import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { envtestFolder } from '../go-tests.ts';
import type { SuiteModule } from './suites.ts';

/** Go ignores folders of this name. */
const replacements = join(import.meta.dirname, 'testdata');

/**
 * Makes a Go workspace of copies of the modules, next to the module of our own tests. All of them are then compiled
 * with the same client libraries, but for those with `ownLibraries`. Existing copies stay.
 */
export function goWorkspace(folder: string, modules: readonly SuiteModule[]): void {
  mkdirSync(folder, { recursive: true });
  const wanted = modules.filter(({ suites }) => suites.some(({ skip }) => skip === undefined));
  for (const module of wanted) {
    const copy = join(folder, module.folder);
    if (existsSync(copy)) continue;
    cpSync(download(folder, module), copy, { recursive: true });
    for (const [path, nested] of Object.entries(module.nested)) {
      cpSync(download(folder, { module: nested, version: module.version }), join(copy, path), { recursive: true });
    }
    makeWritable(copy);
    withoutNeighbours(join(copy, 'go.mod'));
    for (const [path, ours] of Object.entries(module.replace)) cpSync(join(replacements, ours), join(copy, path));
  }
  const goVersion = go(folder, ['env', 'GOVERSION']).trim().replace(/^go/, '');
  const joined = wanted.filter(({ ownLibraries }) => !ownLibraries);
  const uses = [envtestFolder, ...joined.map((module) => `./${module.folder}`)];
  writeFileSync(join(folder, 'go.work'), `go ${goVersion}\n\nuse (\n${uses.map((use) => `\t${use}\n`).join('')})\n`);
}

/** Fetches a module into Go's own cache and returns where it is. */
export function download(folder: string, { module, version }: Pick<SuiteModule, 'module' | 'version'>): string {
  const response: unknown = JSON.parse(go(folder, ['mod', 'download', '-json', `${module}@${version}`]));
  if (typeof response === 'object' && response !== null && 'Dir' in response) return String(response.Dir);
  throw new Error(`${module}@${version} cannot be fetched`);
}

/** Go's cache is read-only, and a module's archive does not say which of its scripts can be run. */
function makeWritable(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const executable = entry.isDirectory() || entry.name.endsWith('.sh');
    chmodSync(join(entry.parentPath, entry.name), executable ? 0o755 : 0o644);
  }
}

/** Modules that are developed side by side name each other's folders, which are not there. */
function withoutNeighbours(goMod: string): void {
  const text = readFileSync(goMod, 'utf8');
  writeFileSync(goMod, text.replace(/^(replace )?\s*\S+ => \.\.\/.*$/gm, ''));
}

/** Runs go to its end and returns its output; throws with that when it fails. */
export function go(
  cwd: string,
  parameters: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): string {
  const env = { ...process.env, ...variables };
  const { status, stdout, stderr } = spawnSync('go', parameters, { cwd, encoding: 'utf8', env });
  if (status !== 0) throw new Error(`go ${parameters.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}
