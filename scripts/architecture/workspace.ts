import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join, normalize, relative } from 'node:path';
import type { Import } from './imports.ts';
import { importsOf } from './imports.ts';
import { moduleStateOf } from './module-state.ts';
import { readsSemantics } from './semantics.ts';

/** A row of architecture.json. Examples stand above every ring. */
export interface Placement {
  readonly name: string;
  readonly ring: number;
  /** Relative to the repository. */
  readonly folder: string;
}

/** architecture.json: the table of rings as data. */
interface Architecture {
  readonly scope: string;
  readonly packages: readonly Placement[];
  readonly examples: readonly Placement[];
  /** Only `allowedIn` may open servers with these builtins, and the files of programs that are no API servers. */
  readonly serverModules: {
    readonly modules: readonly string[];
    readonly allowedIn: string;
    readonly otherPrograms?: readonly string[];
  };
  /** Folders of a package whose main entry is a bundle. They import it by name, because a relative path loads a second copy. */
  readonly besideBundles?: readonly { readonly folder: string; readonly reason: string }[];
  /** Files that look at the semantics of a kind. They choose the policy or the codec for it. */
  readonly semanticsReaders?: readonly { readonly file: string; readonly reason: string }[];
  /** Packages that must not load `from`, not even by a dependency. */
  readonly keptApart?: readonly {
    readonly from: string;
    readonly packages: readonly string[];
    readonly reason: string;
  }[];
  /** Files that must not load a folder when they are imported. Paths are relative to the repository. */
  readonly lightEntries?: readonly {
    readonly entries: readonly string[];
    readonly without: string;
    readonly reason: string;
  }[];
  /** Variables of modules in rings 0 and 1 that change: `file#name`. */
  readonly moduleState?: readonly { readonly variable: string; readonly reason: string }[];
  /** Pairs of folders that may import each other, with paths in alphabetical order. Keep this empty. */
  readonly mutualFolders?: readonly { readonly folders: readonly [string, string]; readonly reason: string }[];
}

/** Fields of a package.json that the rules read. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly type?: string;
  readonly engines?: { readonly node?: string };
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export interface SourceFile {
  /** Relative to the package's folder, with forward slashes. */
  readonly path: string;
  readonly imports: readonly Import[];
  /** See `readsSemantics`. Absent: no. */
  readonly readsSemantics?: boolean;
  /** See `moduleStateOf`. Absent: none. */
  readonly moduleState?: readonly string[];
}

/** A package as it lies on the disk. */
export interface Package {
  readonly folder: string;
  readonly manifest: Manifest;
  /** Folders of the project references, relative to the repository. */
  readonly references: readonly string[];
  readonly files: readonly SourceFile[];
  /** The text of README.md. Absent: there is none. */
  readonly readme?: string;
}

export interface Workspace {
  readonly architecture: Architecture;
  /** The one version that all packages carry. */
  readonly version: string;
  readonly packages: readonly Package[];
  /** Folders that the root tsconfig.json references. */
  readonly rootReferences: readonly string[];
  /** Packages that any test may import, because the root installs them. */
  readonly rootDevDependencies: readonly string[];
  /** Programs outside the packages: paths of `scripts/` and `test/`. Absent: none. */
  readonly programs?: readonly string[];
}

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
