/**
 * Words that no variable or function may be named. Upstream: reservedIds in github.com/google/cel-go/parser/parser.go
 */
export const RESERVED_WORDS: ReadonlySet<string> = new Set([
  'as',
  'break',
  'const',
  'continue',
  'else',
  'false',
  'for',
  'function',
  'if',
  'import',
  'in',
  'let',
  'loop',
  'package',
  'namespace',
  'null',
  'return',
  'true',
  'var',
  'void',
  'while',
]);

/** Most nested calls of one rule, and most levels of the tree. */
export const MAX_DEPTH = 250;

/** Most code points of an expression. */
export const MAX_CODE_POINTS = 100_000;
