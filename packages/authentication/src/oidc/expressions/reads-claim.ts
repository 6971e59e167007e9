import type { Expression } from '@apiserver/cel';

/** The function of `claims.?name`. */
const OPTIONAL_SELECT = '_?._';

/**
 * True if an expression selects a claim by its name: `claims.name` or `claims.?name`.
 * Upstream: hasSelectExp of k8s.io/apiserver/pkg/apis/apiserver/validation
 */
export function readsClaim(root: Expression, name: string): boolean {
  const pending: (Expression | undefined)[] = [root];
  for (let next = pending.pop(); next !== undefined || pending.length > 0; next = pending.pop()) {
    if (next === undefined) continue;
    if (selects(next, name)) return true;
    pending.push(...partsOf(next));
  }
  return false;
}

function selects(expression: Expression, name: string): boolean {
  if (expression.kind === 'select') return isClaims(expression.operand) && expression.field === name;
  if (expression.kind !== 'call' || expression.target !== undefined || expression.name !== OPTIONAL_SELECT)
    return false;
  const [operand, field, ...more] = expression.args;
  if (more.length > 0 || operand === undefined || field === undefined || !isClaims(operand)) return false;
  return field.kind === 'literal' && field.value === name;
}

function isClaims(expression: Expression): boolean {
  return expression.kind === 'identifier' && expression.name === 'claims';
}

function partsOf(expression: Expression): readonly (Expression | undefined)[] {
  switch (expression.kind) {
    case 'select':
      return [expression.operand];
    case 'call':
      return [expression.target, ...expression.args];
    case 'list':
      return expression.elements;
    case 'map':
      return expression.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return expression.fields.map(({ value }) => value);
    case 'comprehension': {
      const { range, initial, condition, step, result } = expression;
      return [range, initial, condition, step, result];
    }
    default:
      return [];
  }
}
