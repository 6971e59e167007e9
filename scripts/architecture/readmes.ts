import type { Package, Workspace } from './workspace.ts';

/**
 * READMEs whose paragraph about the ring is wrong, as sentences. It begins with `Ring N.` and names, in backticks, the
 * packages of this repository that the package depends on, and no others.
 */
export function readmeProblems({ architecture, packages }: Workspace): string[] {
  const rings = new Map(architecture.packages.map(({ name, ring }) => [name, ring]));
  return packages.flatMap((pkg) => {
    const ring = rings.get(pkg.manifest.name);
    return pkg.readme === undefined || ring === undefined ? [] : problemsOf(pkg, pkg.readme, { ring, rings });
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
