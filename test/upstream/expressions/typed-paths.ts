import type { TypedPath } from './random-expression.ts';

/** Paths by the names of their types in EXPRESSIONS. */
export function pathsOf(types: Readonly<Record<string, readonly string[]>>): TypedPath[] {
  return Object.entries(types).flatMap(([type, paths]) => paths.map((path) => ({ path, type })));
}
