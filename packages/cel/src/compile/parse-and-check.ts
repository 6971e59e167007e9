import { type CheckedExpression, checkExpression } from '../check/check-expression.js';
import type { CheckEnvironment } from '../check/environment.js';
import { validateLiterals } from '../check/validate-literals.js';
import { KUBERNETES_SYNTAX } from '../kubernetes/kubernetes-syntax.js';
import { parseExpression } from '../syntax/parse-expression.js';
import { ExpressionErrors } from '../syntax/source.js';
import type { SyntaxOptions } from '../syntax/syntax-options.js';

/**
 * Parses an expression, finds its types and overloads, and validates its literals. Returns the errors of the first of
 * these steps that has any.
 *
 * Upstream: Env.Compile of github.com/google/cel-go
 */
export function parseAndCheck(
  text: string,
  environment: CheckEnvironment,
  syntax: SyntaxOptions = KUBERNETES_SYNTAX,
): CheckedExpression | ExpressionErrors {
  const parsed = parseExpression(text, syntax);
  if (parsed instanceof ExpressionErrors) return parsed;
  const checked = checkExpression(parsed, environment);
  return checked instanceof ExpressionErrors ? checked : (validateLiterals(checked) ?? checked);
}
