import { posix } from 'node:path';
import type { Package, SourceFile, Workspace } from './workspace.ts';

/** A folder with more files than this, tests aside, is divided into subfolders by concept. */
export const MAX_FILES = 25;

/**
 * Folders that are no rooms, as sentences: two beside each other that import each other, wherever below them, and one
 * with too many files. A folder and those inside it are one room. Tests and `testing/` do not count.
 */
export function folderProblems({ architecture, packages, programs = [] }: Workspace): string[] {
  const allowed = new Map((architecture.mutualFolders ?? []).map(({ folders }) => [folders.join(' ↔ '), false]));
  const problems = packages.flatMap((pkg) => [
    ...mutualFolders(pkg).flatMap(({ pair, example }) => {
      if (!allowed.has(pair)) return [`${pair}: import each other, the second the first by ${example}`];
      allowed.set(pair, true);
      return [];
    }),
    ...largeFolders(pkg.files.filter(isProduct).map(({ path }) => `${pkg.folder}/${path}`)),
  ]);
  const idle = [...allowed].filter(([, isUsed]) => !isUsed);
  const large = largeFolders(programs.filter((path) => !isTest(path)));
  return [...problems, ...large, ...idle.map(([pair]) => `architecture.json: ${pair} do not import each other`)];
}

interface MutualFolders {
  /** Both folders, in the order of the alphabet. */
  readonly pair: string;
  readonly example: string;
}

function mutualFolders(pkg: Package): MutualFolders[] {
  const examples = new Map<string, string>();
  for (const file of pkg.files.filter(isProduct)) {
    for (const { specifier } of file.imports) {
      const target = specifier.startsWith('.') ? posix.join(posix.dirname(file.path), specifier) : undefined;
      const pair = target === undefined ? undefined : parting(file.path, target);
      if (pair !== undefined) examples.set(pair.join(' '), `${file.path} → ${target}`);
    }
  }
  return [...examples.keys()].flatMap((key) => {
    const [from = '', to = ''] = key.split(' ');
    const example = examples.get(`${to} ${from}`);
    if (from > to || example === undefined) return [];
    return [{ pair: `${pkg.folder}/${from} ↔ ${pkg.folder}/${to}`, example }];
  });
}

/** The two folders below the common path of two files; undefined if one file is directly in the common folder. */
function parting(from: string, to: string): readonly [string, string] | undefined {
  const [a, b] = [from.split('/'), to.split('/')];
  let i = 0;
  while (a[i] === b[i]) i++;
  if (i >= a.length - 1 || i >= b.length - 1) return undefined;
  return [a.slice(0, i + 1).join('/'), b.slice(0, i + 1).join('/')];
}

function largeFolders(paths: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const directory = posix.dirname(path);
    counts.set(directory, (counts.get(directory) ?? 0) + 1);
  }
  const large = [...counts].filter(([, count]) => count > MAX_FILES);
  return large.map(([path, count]) => `${path}: has ${count} files, ${MAX_FILES} are the most`);
}

function isProduct({ path }: SourceFile): boolean {
  return path.startsWith('src/') && !isTest(path) && !path.includes('/testing/');
}

function isTest(path: string): boolean {
  return /\.(?:test|soak)\.ts$/.test(path);
}
