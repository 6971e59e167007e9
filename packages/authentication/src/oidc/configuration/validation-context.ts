import type { ExpressionCompiler } from '../expressions/expression-compiler.js';

/** The context of a validation. */
export interface ValidationContext {
  readonly compiler: ExpressionCompiler;
  /** Issuers of this server's own tokens. */
  readonly disallowedIssuers: readonly string[];
  /** Upstream feature gate: StructuredAuthenticationConfigurationEgressSelector */
  readonly egressSelector: boolean;
}
