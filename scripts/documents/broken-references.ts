/** The repository as documents refer to it. */
export interface Repository {
  /** Paths of all files, relative to the repository, with forward slashes. */
  readonly files: readonly string[];
  /** Names of the scripts in the root package.json. */
  readonly scripts: readonly string[];
}

/** Folders whose paths are recognised when a document names them as code. */
const namedFolders = /^(?:\.ci|docs|examples|packages|scripts|test)\/[\w./-]*[\w-]$/;
const testFile = /\.(?:test|soak)\.ts$|[-/]suite\.ts$/;

/**
 * References of a Markdown document without a target in the repository: links, headings of linked files, paths as code,
 * npm scripts, and tests in tables whose last column is `test`. `path` is that of the document, relative to the
 * repository.
 */
export function brokenReferences(
  path: string,
  text: string,
  repository: Repository,
  read: (path: string) => string,
): string[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, '');
  const known = new Set(repository.files.flatMap(withFolders));
  return [
    ...linksOf(prose)
      .filter((link) => isBrokenLink(path, link, known, read))
      .map((link) => `link to ${link}`),
    ...pathsOf(prose)
      .filter((named) => !known.has(named) && !isModule(named, known))
      .map((named) => `path ${named}`),
    ...npmScriptsOf(text)
      .filter((name) => !repository.scripts.includes(name))
      .map((name) => `npm run ${name}`),
    ...testsOf(prose)
      .filter((name) => !isTest(name, repository.files))
      .map((name) => `test ${name}`),
  ];
}

function withFolders(path: string): string[] {
  const segments = path.split('/');
  return segments.map((_, i) => segments.slice(0, i + 1).join('/'));
}

function linksOf(prose: string): string[] {
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^https?:/.test(target));
}

function isBrokenLink(from: string, link: string, known: ReadonlySet<string>, read: (path: string) => string): boolean {
  const [target = '', heading] = link.split('#');
  const path = target === '' ? from : new URL(target, `file:///${from}`).pathname.slice(1).replace(/\/$/, '');
  if (!known.has(path)) return true;
  return heading !== undefined && !headingsOf(read(path)).includes(heading);
}

/** As GitHub names them. */
function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function pathsOf(prose: string): string[] {
  const words = [...prose.matchAll(/`([^`\n]+)`/g)].flatMap(([, code = '']) => code.split(' '));
  return words.filter((word) => namedFolders.test(word));
}

/** `docs/decisions/0017` for a file whose name begins so. */
function isModule(named: string, known: ReadonlySet<string>): boolean {
  return [...known].some((path) => path.startsWith(`${named}-`) || path.startsWith(`${named}.`));
}

function npmScriptsOf(text: string): string[] {
  return [...text.matchAll(/\bnpm run ([a-z-]+)/g)].map(([, name = '']) => name);
}

/** The names in the last column of such tables; what is no single word is told to people, not to this. */
function testsOf(prose: string): string[] {
  const tables = prose.split(/\n\s*\n/).filter((block) => /^\|.*\| test \|$/m.test(block));
  const rows = tables.flatMap((table) => table.split('\n').slice(2));
  const cells = rows.map(
    (row) =>
      row
        .split(' | ')
        .at(-1)
        ?.replace(/\s*\|$/, '') ?? '',
  );
  const names = cells.flatMap((cell) => cell.replace(/\([^)]*\)/g, '').split(/[,;] /));
  return names.map((name) => name.trim()).filter((name) => /^[a-z0-9]+(?:[-/.][a-z0-9]+)*$/.test(name));
}

/** A file of tests of that name, in a package or folder if one is named before it; or a folder with tests. */
function isTest(name: string, files: readonly string[]): boolean {
  const parts = name.split(/[/.]/);
  return files.some(
    (path) =>
      testFile.test(path) &&
      parts.every((part) => path.split(/[/.]/).includes(part) || path.includes(`/${part}-suite.ts`)),
  );
}
