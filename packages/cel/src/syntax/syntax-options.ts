import type { Macros } from './macros.js';

/** The parts of the syntax that an environment chooses. */
export interface SyntaxOptions {
  readonly macros: Macros;
  /** Allows `a.?b`, `a[?b]`, `[?a]` and `{?a: b}`. */
  readonly optionalSyntax: boolean;
}
