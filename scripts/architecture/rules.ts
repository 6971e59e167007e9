import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import { dependencyProblems } from './dependencies.ts';
import { findCycles } from './find-cycles.ts';
import { folderProblems } from './folders.ts';
import type { Import } from './imports.ts';
import { keptApartProblems } from './kept-apart.ts';
import { lightEntryProblems } from './light-entries.ts';
import { moduleStateProblems } from './module-state.ts';
import { readmeProblems } from './readmes.ts';
import { semanticsProblems } from './semantics.ts';
import type { Manifest, Package, Placement, SourceFile, Workspace } from './workspace.ts';

/** Checks a whole workspace against one rule and returns a sentence for every place that breaks it. */
type Rule = (workspace: Workspace) => string[];

/** Names that open a server, in the builtins that have servers. */
const serverNames = /\b(?:createServer|createSecureServer|Server|Http2Server|Http2SecureServer)\b/;

/** All that is wrong with the workspace's architecture, as sentences; empty if nothing is. */
export function violationsOf(workspace: Workspace): string[] {
  const rules: readonly Rule[] = [
    ...[placement, manifests, dependencyRings, dependencyProblems],
    ...[cycles, fileCycles, folderProblems, keptApartProblems, lightEntryProblems],
    ...[semanticsProblems, moduleStateProblems, references, imports, readmeProblems],
  ];
  return rules.flatMap((rule) => rule(workspace));
}

function placements(workspace: Workspace): readonly Placement[] {
  return [...workspace.architecture.packages, ...workspace.architecture.examples];
}

function ringsByName(workspace: Workspace): ReadonlyMap<string, number> {
  return new Map(placements(workspace).map(({ name, ring }) => [name, ring]));
}

function placement(workspace: Workspace): string[] {
  const declared = placements(workspace);
  const found = new Map(workspace.packages.map((pkg) => [pkg.folder, pkg.manifest.name]));
  const missing = declared.filter(({ folder }) => !found.has(folder));
  const unplaced = workspace.packages.filter((pkg) => !declared.some(({ folder }) => folder === pkg.folder));
  const misnamed = declared.filter(({ folder, name }) => found.has(folder) && found.get(folder) !== name);
  return [
    ...missing.map(({ folder }) => `architecture.json: there is no folder ${folder}`),
    ...unplaced.map(({ folder }) => `${folder}: has no ring in architecture.json`),
    ...misnamed.map(({ folder, name }) => `${folder}/package.json: its name should be ${name}`),
  ];
}

function manifests(workspace: Workspace): string[] {
  return workspace.packages.flatMap(({ folder, manifest }) => {
    const problems: string[] = [];
    if (manifest.version !== workspace.version) problems.push(`version should be ${workspace.version}`);
    if (manifest.type !== 'module') problems.push('type should be "module"');
    if (manifest.engines?.node !== '>=24') problems.push('engines.node should be ">=24"');
    for (const [name, range] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
      const own = name.startsWith(`${workspace.architecture.scope}/`);
      if (own && range !== workspace.version) problems.push(`${name} should be at ${workspace.version}`);
    }
    return problems.map((problem) => `${folder}/package.json: ${problem}`);
  });
}

/** A package depends on lower rings or its own; its tests do not reach higher either. */
function dependencyRings(workspace: Workspace): string[] {
  const rings = ringsByName(workspace);
  return workspace.packages.flatMap(({ folder, manifest }) => {
    const ring = rings.get(manifest.name) ?? Number.POSITIVE_INFINITY;
    const names = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies, ...manifest.devDependencies });
    return names
      .filter((name) => (rings.get(name) ?? Number.NEGATIVE_INFINITY) > ring)
      .map((name) => `${folder}/package.json: ring ${ring} must not depend on ${name} of ring ${rings.get(name)}`);
  });
}

/** Rings do not forbid a cycle within a ring, so this rule does. */
function cycles(workspace: Workspace): string[] {
  const dependencies = new Map(
    workspace.packages.map(({ manifest }) => [manifest.name, Object.keys(manifest.dependencies ?? {})]),
  );
  return findCycles(dependencies).map((cycle) => `cycle: ${cycle.join(' → ')}`);
}

/** Files that import each other, if only types or later, are one concept or lack a third file. */
function fileCycles(workspace: Workspace): string[] {
  return workspace.packages.flatMap(({ folder, files }) => {
    const graph = new Map(files.map((file) => [file.path, file.imports.filter(isRelative).map(targetIn(file))]));
    return findCycles(graph).map((cycle) => `${folder}: cycle: ${cycle.join(' → ')}`);
  });
}

function isRelative({ specifier }: Import): boolean {
  return specifier.startsWith('.');
}

function targetIn({ path }: SourceFile): (imported: Import) => string {
  return ({ specifier }) => posix.join(posix.dirname(path), specifier).replace(/\.js$/, '.ts');
}

/**
 * Project references are the workspace dependencies (those of tests only if wanted); the root references every package.
 */
function references(workspace: Workspace): string[] {
  const folderOf = new Map(workspace.packages.map(({ folder, manifest }) => [manifest.name, folder]));
  const problems = workspace.packages.flatMap(({ folder, manifest, references: actual }) => {
    const foldersOf = (names: object = {}) => Object.keys(names).flatMap((name) => folderOf.get(name) ?? []);
    const wanted = foldersOf(manifest.dependencies);
    const optional = foldersOf(manifest.devDependencies);
    return differences(`${folder}/tsconfig.json`, actual, { wanted, optional });
  });
  const all = workspace.packages.map(({ folder }) => folder);
  return [...problems, ...differences('tsconfig.json', workspace.rootReferences, { wanted: all, optional: [] })];
}

function differences(
  file: string,
  actual: readonly string[],
  { wanted, optional }: { readonly wanted: readonly string[]; readonly optional: readonly string[] },
): string[] {
  const surplus = actual.filter((path) => !wanted.includes(path) && !optional.includes(path));
  return [
    ...wanted.filter((path) => !actual.includes(path)).map((path) => `${file}: a reference to ${path} is missing`),
    ...surplus.map((path) => `${file}: ${path} is no dependency of it`),
  ];
}

function imports(workspace: Workspace): string[] {
  return workspace.packages.flatMap((pkg) =>
    pkg.files.flatMap((file) =>
      file.imports.flatMap((imported) =>
        importProblems(workspace, pkg, file, imported).map(
          (problem) => `${pkg.folder}/${file.path}: '${imported.specifier}' ${problem}`,
        ),
      ),
    ),
  );
}

function importProblems(workspace: Workspace, pkg: Package, file: SourceFile, imported: Import): string[] {
  const { specifier } = imported;
  if (specifier.startsWith('.')) return relativeProblems(file, specifier);
  if (specifier.startsWith('node:')) return serverProblems(workspace, pkg, file, imported);
  if (builtinModules.includes(specifier)) return ['must be written with node:'];
  return packageProblems(workspace, pkg, file, specifier);
}

function relativeProblems(file: SourceFile, specifier: string): string[] {
  const target = posix.join(posix.dirname(file.path), specifier);
  const problems: string[] = [];
  if (target.startsWith('..')) problems.push('leaves the package');
  if (!/\.(?:js|json)$/.test(specifier)) problems.push('must end in .js');
  if (/(?:^|\/)testing\//.test(target) && !isTestCode(file)) problems.push('brings test code into the product');
  return problems;
}

function serverProblems(workspace: Workspace, pkg: Package, file: SourceFile, imported: Import): string[] {
  const { modules, allowedIn, otherPrograms = [] } = workspace.architecture.serverModules;
  if (pkg.manifest.name === allowedIn || isTestCode(file) || imported.typeOnly) return [];
  if (otherPrograms.includes(`${pkg.folder}/${file.path}`)) return [];
  if (!modules.includes(imported.specifier)) return [];
  const named = /^\s*\{[\s\S]*\}\s*$/.test(imported.names);
  if (!named) return [`must be imported by names, so that it shows that no server is opened outside ${allowedIn}`];
  return serverNames.test(imported.names) ? [`opens a server; only ${allowedIn} does`] : [];
}

function packageProblems(workspace: Workspace, pkg: Package, file: SourceFile, specifier: string): string[] {
  const [scopeOrName = '', rest = '', ...path] = specifier.split('/');
  const name = scopeOrName.startsWith('@') ? `${scopeOrName}/${rest}` : scopeOrName;
  const subpath = name === specifier ? '.' : `./${(scopeOrName.startsWith('@') ? path : [rest, ...path]).join('/')}`;
  const problems: string[] = [];
  if (name === pkg.manifest.name) {
    const { besideBundles = [] } = workspace.architecture;
    const isBeside = besideBundles.some(({ folder }) => `${pkg.folder}/${file.path}`.startsWith(`${folder}/`));
    return isBeside || isTestCode(file) ? [] : ['imports its own package by name; use a relative path'];
  }
  if (!allowedNames(workspace, pkg, file).has(name)) problems.push('is not among the dependencies in package.json');
  const target = workspace.packages.find(({ manifest }) => manifest.name === name);
  if (target && !isExported(target.manifest, subpath)) problems.push(`is not in the exports of ${name}`);
  if (target && subpath === './testing' && !isTestCode(file)) problems.push('brings test code into the product');
  return problems;
}

/** Also by a pattern: `./*` exports every subpath that no entry of its own names. */
function isExported(manifest: Manifest, subpath: string): boolean {
  return Object.keys(manifest.exports ?? {}).some((key) => {
    const [before = '', after] = key.split('*');
    if (after === undefined) return key === subpath;
    return subpath.length > key.length - 1 && subpath.startsWith(before) && subpath.endsWith(after);
  });
}

function allowedNames(workspace: Workspace, { manifest }: Package, file: SourceFile): ReadonlySet<string> {
  const names = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  if (isTestCode(file)) names.push(...Object.keys(manifest.devDependencies ?? {}), ...workspace.rootDevDependencies);
  return new Set(names);
}

/** Tests, and what a package exports for tests. */
function isTestCode({ path }: SourceFile): boolean {
  return path.endsWith('.test.ts') || path.endsWith('.soak.ts') || path.includes('/testing/');
}
