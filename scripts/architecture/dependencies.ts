import { posix } from 'node:path';
import type { Import } from './imports.ts';
import type { Package, Workspace } from './workspace.ts';

/**
 * Faults of declared dependencies, as sentences: a dependency that is never loaded, and an undeclared one that an entry
 * point loads, `./testing` included. Only this repository would install the latter.
 */
export function dependencyProblems(workspace: Workspace): string[] {
  return workspace.packages.flatMap((pkg) =>
    [...unused(workspace, pkg), ...undeclared(pkg)].map((problem) => `${pkg.folder}/package.json: ${problem}`),
  );
}

/** A program's bundle loads what the packages in it load; types are of use without an import. */
function unused({ architecture }: Workspace, { manifest, files }: Package): string[] {
  const loaded = new Set(
    files.filter(({ path }) => !isTest(path)).flatMap(({ imports }) => imports.flatMap(packageOf)),
  );
  const isOwn = (name: string) => name.startsWith(`${architecture.scope}/`);
  return Object.keys(manifest.dependencies ?? {})
    .filter((name) => !loaded.has(name) && !name.startsWith('@types/') && (isOwn(name) || manifest.bin === undefined))
    .map((name) => `${name} is a dependency that nothing but tests loads`);
}

function undeclared(pkg: Package): string[] {
  const { dependencies, peerDependencies } = pkg.manifest;
  const declared = new Set([...Object.keys({ ...dependencies, ...peerDependencies }), pkg.manifest.name]);
  const loaded = new Set(reachableImports(pkg).flatMap(packageOf));
  return [...loaded].filter((name) => !declared.has(name)).map((name) => `${name} is loaded by an entry point`);
}

/** All imports of the files that the entry points lead to. */
function reachableImports({ manifest, files }: Package): readonly Import[] {
  const importsOf = new Map(files.map(({ path, imports }) => [path, imports]));
  const waiting = Object.values(manifest.exports ?? {}).flatMap((conditions) => sourceOf(conditions) ?? []);
  const reached = new Set<string>();
  for (const path of waiting) {
    if (reached.has(path)) continue;
    reached.add(path);
    const relative = (importsOf.get(path) ?? []).filter(({ specifier }) => specifier.startsWith('.'));
    waiting.push(
      ...relative.map(({ specifier }) => posix.join(posix.dirname(path), specifier.replace(/\.js$/, '.ts'))),
    );
  }
  return [...reached].flatMap((path) => importsOf.get(path) ?? []);
}

function sourceOf(conditions: unknown): string | undefined {
  const source = (conditions as { readonly '@apiserver/source'?: string })['@apiserver/source'];
  return source?.replace('./', '');
}

function packageOf({ specifier }: Import): string[] {
  if (specifier.startsWith('.') || specifier.startsWith('node:')) return [];
  const [first = '', second = ''] = specifier.split('/');
  return [first.startsWith('@') ? `${first}/${second}` : first];
}

function isTest(path: string): boolean {
  return /\.(?:test|soak)\.ts$/.test(path);
}
