import type { Expression } from '../ast/expression.js';
import { Operator } from '../ast/operators.js';
import { childrenOf } from '../check/descendants.js';

/**
 * The names of the fields that an expression selects, by `.name` or `.?name`, whatever they belong to.
 *
 * Upstream: CompileCELExpression in k8s.io/apiserver/pkg/authorization/cel/compile.go
 */
export function selectedFields(root: Expression): ReadonlySet<string> {
  const found = new Set<string>();
  const pending: Expression[] = [root];
  for (let expression = pending.pop(); expression !== undefined; expression = pending.pop()) {
    const field = fieldOf(expression);
    if (field !== undefined) found.add(field);
    pending.push(...childrenOf(expression));
  }
  return found;
}

function fieldOf(expression: Expression): string | undefined {
  if (expression.kind === 'select') return expression.field;
  if (expression.kind !== 'call' || expression.name !== Operator.OptSelect) return undefined;
  const [, field] = expression.args;
  return field?.kind === 'literal' && typeof field.value === 'string' ? field.value : undefined;
}
