import { posix } from 'node:path';
import type { Package, Workspace } from './workspace.ts';

/**
 * Entry points that load a folder, by any number of static imports, although `lightEntries` says that they must not.
 * Dynamic imports and types do not count.
 */
export function lightEntryProblems({ architecture, packages }: Workspace): string[] {
  return (architecture.lightEntries ?? []).flatMap(({ entries, without, reason }) =>
    entries.flatMap((entry) => {
      const path = pathInto(entry, `${without}/`, packages);
      return path === undefined ? [] : [`${path.join(' → ')}: ${reason}`];
    }),
  );
}

/** The shortest way from a file to one below a folder. A missing file is reported as its own way. */
function pathInto(start: string, folder: string, packages: readonly Package[]): readonly string[] | undefined {
  const imported = staticImports(packages);
  if (!imported.has(start)) return [start, '(there is no such file)'];
  const seen = new Set([start]);
  const paths: (readonly string[])[] = [[start]];
  for (const path of paths) {
    const last = path.at(-1) ?? start;
    if (last.startsWith(folder)) return path;
    for (const file of imported.get(last) ?? []) {
      if (!seen.has(file)) paths.push([...path, file]);
      seen.add(file);
    }
  }
  return undefined;
}

/** The files that each file imports at its load, by paths relative to the repository. */
function staticImports(packages: readonly Package[]): ReadonlyMap<string, readonly string[]> {
  const entries = new Map(packages.flatMap(entriesOf));
  return new Map(
    packages.flatMap(({ folder, files }) =>
      files.map(({ path, imports }) => {
        const directory = posix.dirname(`${folder}/${path}`);
        const targets = imports
          .filter(({ dynamic, typeOnly, names }) => !dynamic && !typeOnly && !namesTypesOnly(names))
          .flatMap(({ specifier }) => {
            if (!specifier.startsWith('.')) return entries.get(specifier) ?? [];
            return posix.join(directory, specifier).replace(/\.js$/, '.ts');
          });
        return [`${folder}/${path}`, targets] as const;
      }),
    ),
  );
}

/** The source of each subpath that a package exports. */
function entriesOf({ folder, manifest }: Package): [specifier: string, file: string][] {
  return Object.entries(manifest.exports ?? {}).flatMap(([subpath, target]) => {
    const source = typeof target === 'object' && target !== null ? Reflect.get(target, '@apiserver/source') : undefined;
    return typeof source === 'string' ? [[posix.join(manifest.name, subpath), posix.join(folder, source)]] : [];
  });
}

/** True for `{ type A, type B }`: the compiler erases the import. */
function namesTypesOnly(names: string): boolean {
  const list = /^\s*\{([\s\S]*)\}\s*$/.exec(names)?.[1];
  if (list === undefined) return false;
  const items = list.split(',').map((item) => item.trim());
  return items.filter((item) => item !== '').every((item) => item.startsWith('type '));
}
