/** One import, export-from or dynamic import of a source file. */
export interface Import {
  /** As written: a package, a builtin or a relative path. */
  readonly specifier: string;
  /** True if the compiler erases it (`import type`, `export type`, or `import('x')` in a type). */
  readonly typeOnly: boolean;
  /** The text between the keyword and `from`: the names that are imported. Empty for the other forms. */
  readonly names: string;
  /** True for `import('x')`. */
  readonly dynamic: boolean;
}

const statement = /^[ \t]*(?:import|export)\s+(type\s)?([^;'"`]*?)\bfrom\s*['"]([^'"\n]+)['"]/gm;
const sideEffect = /^[ \t]*import\s*['"]([^'"\n]+)['"]/gm;
const dynamicImport = /\bimport\(\s*['"]([^'"\n]+)['"]/g;
const comments = /^[ \t]*(?:\/\/.*|\/\*[\s\S]*?\*\/)/gm;

/**
 * Lists what a TypeScript or JavaScript source imports. It reads the layout that the formatter produces (a statement
 * begins on its own line), not every layout the language allows: the type checker's own API is not in TypeScript 7.
 */
export function importsOf(source: string): Import[] {
  const code = source.replace(comments, '');
  const found: Import[] = [];
  for (const [, type, names = '', specifier = ''] of code.matchAll(statement)) {
    found.push({ specifier, typeOnly: type !== undefined, names, dynamic: false });
  }
  for (const pattern of [sideEffect, dynamicImport]) {
    const dynamic = pattern === dynamicImport;
    for (const [, specifier = ''] of code.matchAll(pattern)) {
      found.push({ specifier, typeOnly: false, names: '', dynamic });
    }
  }
  return found;
}
