import type { Package, Workspace } from './workspace.ts';

/**
 * READMEs that differ from their packages, as sentences. The paragraph that begins with `Ring N.` names, in backticks,
 * the packages of this repository that the package depends on, and no others. A table of folders has all of them.
 */
export function readmeProblems({ architecture, packages }: Workspace): string[] {
  const rings = new Map(architecture.packages.map(({ name, ring }) => [name, ring]));
  return packages.flatMap((pkg) => {
    const ring = rings.get(pkg.manifest.name);
    if (pkg.readme === undefined || ring === undefined) return [];
    return [...problemsOf(pkg, pkg.readme, { ring, rings }), ...tableProblems(pkg, pkg.readme)];
  });
}

interface Expected {
  readonly ring: number;
  readonly rings: ReadonlyMap<string, number>;
}

function problemsOf({ folder, manifest }: Package, readme: string, { ring, rings }: Expected): string[] {
  const path = `${folder}/README.md`;
  const paragraph = readme.split(/\n{2,}/).find((text) => text.startsWith(`Ring ${ring}.`));
  if (paragraph === undefined) return [`${path}: a paragraph "Ring ${ring}. …" is missing`];
  const named = new Set([...paragraph.matchAll(/`@[\w-]+\/[\w-]+`/g)].map(([text]) => text.slice(1, -1)));
  const wanted = Object.keys(manifest.dependencies ?? {}).filter((name) => rings.has(name));
  const missing = wanted.filter((name) => !named.has(name));
  const surplus = [...named].filter((name) => !wanted.includes(name));
  return [
    ...missing.map((name) => `${path}: its paragraph "Ring ${ring}." lacks ${name}`),
    ...surplus.map((name) => `${path}: its paragraph "Ring ${ring}." names ${name}, which is no dependency`),
  ];
}

/** The rows of a table with the head `folder`, by the paths in their first cells. */
function tableProblems({ folder, files }: Package, readme: string): string[] {
  const table = /^\| folder \|.*\n(?:\|.*\n?)+/m.exec(readme)?.[0];
  if (table === undefined) return [];
  const cells = table.split('\n').map((row) => row.split('|')[1] ?? '');
  const named = new Set(cells.flatMap((cell) => [...cell.matchAll(/`([\w-]+)\/?`/g)].map(([, name = '']) => name)));
  const folders = new Set(files.flatMap(({ path }) => /^src\/([^/]+)\//.exec(path)?.[1] ?? []));
  return [
    ...[...folders.difference(named)].map((name) => `${folder}/README.md: its table of folders lacks ${name}/`),
    ...[...named.difference(folders)].map(
      (name) => `${folder}/README.md: its table of folders has ${name}/, which is none`,
    ),
  ];
}
