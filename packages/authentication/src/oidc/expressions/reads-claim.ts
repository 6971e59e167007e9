import { childrenOf, type Expression } from '@apiserver/cel';

/** The function of `claims.?name`. */
const OPTIONAL_SELECT = '_?._';

/**
 * True if an expression selects a claim by its name: `claims.name` or `claims.?name`.
 * Upstream: hasSelectExp of k8s.io/apiserver/pkg/apis/apiserver/validation
 */
export function readsClaim(root: Expression, name: string): boolean {
  const pending = [root];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (selects(next, name)) return true;
    pending.push(...childrenOf(next));
  }
  return false;
}

function selects(expression: Expression, name: string): boolean {
  if (expression.kind === 'select') return isClaims(expression.operand) && expression.field === name;
  if (expression.kind !== 'call' || expression.target !== undefined || expression.name !== OPTIONAL_SELECT) {
    return false;
  }
  const [operand, field, ...more] = expression.args;
  if (more.length > 0 || operand === undefined || field === undefined || !isClaims(operand)) return false;
  return field.kind === 'literal' && field.value === name;
}

function isClaims(expression: Expression): boolean {
  return expression.kind === 'identifier' && expression.name === 'claims';
}
