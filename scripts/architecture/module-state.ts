import type { Package, SourceFile, Workspace } from './workspace.ts';

/** Rings whose packages every server of a process shares, and that no server owns. */
const HIGHEST_RING = 1;

const declarations = [
  /^(?:export )?(?:let|var) (\w+)/gm,
  /^(?:export )?const (\w+)(?:: (?:Map|Set)\b[^=\n]*)? = new (?:Map|Set)\b/gm,
  /^(?:export )?const (\w+)(?:: (?!readonly|Readonly)[^=\n]*)? = (?:\[\]|\{\});/gm,
  /^ +(?:private )?static (?!readonly\b)([#\w]+)(?:: [^=\n]*)? = /gm,
];

/**
 * Names of a module's variables that may change while a program runs: `let`, collections that are not read-only, static
 * fields. A WeakMap does not count: it holds facts about other objects, and disappears with them.
 */
export function moduleStateOf(source: string): string[] {
  return declarations.flatMap((pattern) => [...source.matchAll(pattern)].map(([, name = '']) => name));
}

/**
 * Rings 0 and 1 keep no state between calls by which servers of one process could affect each other. The memory and the
 * pure caches that architecture.json lists have a reason each.
 */
export function moduleStateProblems({ architecture, packages }: Workspace): string[] {
  const low = new Set(architecture.packages.filter(({ ring }) => ring <= HIGHEST_RING).map(({ name }) => name));
  const allowed = new Map((architecture.moduleState ?? []).map(({ variable }) => [variable, false]));
  const found = packages.filter(({ manifest }) => low.has(manifest.name)).flatMap(variablesOf);
  const problems = found.flatMap((variable) => {
    if (!allowed.has(variable)) {
      return [`${variable}: is state of the process; an object that a server owns should have it`];
    }
    allowed.set(variable, true);
    return [];
  });
  const idle = [...allowed].filter(([, isUsed]) => !isUsed);
  return [...problems, ...idle.map(([variable]) => `architecture.json: there is no state ${variable}`)];
}

function variablesOf({ folder, files }: Package): string[] {
  return files
    .filter(isProduct)
    .flatMap(({ path, moduleState = [] }) => moduleState.map((name) => `${folder}/${path}#${name}`));
}

function isProduct({ path }: SourceFile): boolean {
  return path.startsWith('src/') && !/\.(?:test|soak)\.ts$/.test(path) && !path.includes('/testing/');
}
