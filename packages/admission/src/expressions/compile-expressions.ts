import type { ExpressionPurpose, PolicyCompiler } from '@apiserver/cel';
import type { WrittenExpression } from './activation.js';

/** Compiles expressions of one purpose, in steps: other requests may have the event loop between them. */
export function* compileExpressions(
  compiler: PolicyCompiler,
  texts: readonly string[],
  purpose: ExpressionPurpose,
): Generator<void, readonly WrittenExpression[]> {
  const written: WrittenExpression[] = [];
  for (const text of texts) {
    written.push({ text, compiled: yield* compiler.compileSteps(text, purpose) });
    yield;
  }
  return written;
}
