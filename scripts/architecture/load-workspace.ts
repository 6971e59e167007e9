import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join, normalize, relative } from 'node:path';
import { importsOf } from './imports.ts';
import { moduleStateOf } from './module-state.ts';
import { readsSemantics } from './semantics.ts';
import type { Manifest, Package, Workspace } from './workspace.ts';

interface TsConfig {
  readonly references?: readonly { readonly path: string }[];
}

/** Reads the repository at `root`. Throws if a folder of packages has no package.json, a package has no
 * tsconfig.json, or if one is not JSON. */
export function loadWorkspace(root: string): Workspace {
  const rootManifest: Manifest = readJson(root, 'package.json');
  // A folder of examples without a manifest has projects of users, which are no packages of the workspace.
  const examples = foldersIn(root, 'examples').filter((folder) => existsSync(join(root, folder, 'package.json')));
  const folders = [...foldersIn(root, 'packages'), ...examples];
  return {
    architecture: readJson(root, 'architecture.json'),
    version: readJson<{ version: string }>(root, 'lerna.json').version,
    packages: folders.map((folder) => loadPackage(root, folder)),
    rootReferences: referencesOf(root, '.'),
    rootDevDependencies: Object.keys(rootManifest.devDependencies ?? {}),
    programs: globSync('{scripts,test}/**/*.{ts,mjs}', { cwd: root, exclude: ['**/node_modules'] }).map((path) =>
      path.replaceAll('\\', '/'),
    ),
  };
}

function foldersIn(root: string, group: string): string[] {
  if (!existsSync(join(root, group))) return [];
  const entries = readdirSync(join(root, group), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => `${group}/${entry.name}`);
}

function loadPackage(root: string, folder: string): Package {
  const readme = join(root, folder, 'README.md');
  const files = globSync('{src,bin}/**/*.{ts,js,mjs}', { cwd: join(root, folder) });
  return {
    folder,
    manifest: readJson(root, `${folder}/package.json`),
    references: referencesOf(root, folder),
    ...(existsSync(readme) && { readme: readFileSync(readme, 'utf8') }),
    files: files.sort().map((path) => {
      const source = readFileSync(join(root, folder, path), 'utf8');
      return {
        path: path.replaceAll('\\', '/'),
        imports: importsOf(source),
        readsSemantics: readsSemantics(source),
        moduleState: moduleStateOf(source),
      };
    }),
  };
}

function referencesOf(root: string, folder: string): string[] {
  const config: TsConfig = readJson(root, `${folder}/tsconfig.json`);
  return (config.references ?? []).map(({ path }) =>
    relative(root, join(root, normalize(`${folder}/${path}`))).replaceAll('\\', '/'),
  );
}

function readJson<T>(root: string, path: string): T {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}
