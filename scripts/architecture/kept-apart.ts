import type { Workspace } from './workspace.ts';

/** Packages that load another one, themselves or by a dependency, although `keptApart` says that they must not. */
export function keptApartProblems({ architecture, packages }: Workspace): string[] {
  const dependenciesOf = new Map(
    packages.map(({ manifest }) => [manifest.name, Object.keys(manifest.dependencies ?? {})]),
  );
  return (architecture.keptApart ?? []).flatMap(({ from, packages: names, reason }) =>
    names.flatMap((name) => {
      const path = pathBetween(name, from, dependenciesOf);
      return path === undefined ? [] : [`architecture.json: ${path.join(' → ')}: ${reason}`];
    }),
  );
}

/** The shortest way from a package to another over dependencies. */
function pathBetween(
  start: string,
  end: string,
  dependenciesOf: ReadonlyMap<string, readonly string[]>,
): readonly string[] | undefined {
  const seen = new Set([start]);
  const paths: (readonly string[])[] = [[start]];
  for (const path of paths) {
    const last = path.at(-1) ?? start;
    if (last === end) return path;
    for (const name of dependenciesOf.get(last) ?? []) {
      if (!seen.has(name)) paths.push([...path, name]);
      seen.add(name);
    }
  }
  return undefined;
}
