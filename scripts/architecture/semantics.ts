import type { Workspace } from './workspace.ts';

const commentsAndTexts = /\/\*[\s\S]*?\*\/|\/\/.*|(['"`])(?:\\.|(?!\1)[^\\\n])*\1/g;
/** A kind that is declared, and the declaration of the member itself. */
const declared = /\bsemantics\??:\s*(?:'typed'\s*\|\s*'structural'|'typed'|'structural')/g;
const compared = /[!=]==?\s*'(?:typed|structural)'|'(?:typed|structural)'\s*[!=]==?|\bcase '(?:typed|structural)'/;

/** True if a source reads the semantics of a kind. Declaring a kind with its semantics does not count. */
export function readsSemantics(source: string): boolean {
  const code = source.replace(declared, '');
  return compared.test(code) || /\bsemantics\b/.test(code.replace(commentsAndTexts, ''));
}

/**
 * Built-in and custom kinds are served by the same code. Where they differ, a policy object has the behaviour. Only the
 * files that architecture.json lists read the semantics, to choose the policy or the codec.
 */
export function semanticsProblems({ architecture, packages }: Workspace): string[] {
  const allowed = new Map((architecture.semanticsReaders ?? []).map(({ file }) => [file, false]));
  const readers = packages.flatMap(({ folder, files }) =>
    files
      .filter(({ path, readsSemantics }) => readsSemantics && isProduct(path))
      .map(({ path }) => `${folder}/${path}`),
  );
  const problems = readers.flatMap((file) => {
    if (!allowed.has(file)) return [`${file}: looks at the semantics of a kind; give its policy object the behaviour`];
    allowed.set(file, true);
    return [];
  });
  const idle = [...allowed].filter(([, isUsed]) => !isUsed);
  return [...problems, ...idle.map(([file]) => `architecture.json: ${file} does not look at semantics`)];
}

function isProduct(path: string): boolean {
  return !/\.(?:test|soak)\.ts$/.test(path) && !path.includes('/testing/');
}
