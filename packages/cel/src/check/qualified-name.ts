import type { Expression } from '../ast/expression.js';

/** The name `a.b.c` that an identifier or selections of one spell; undefined for any other expression. */
export function qualifiedName(expression: Expression): string | undefined {
  const parts: string[] = [];
  let part = expression;
  while (part.kind === 'select' && !part.test) {
    parts.push(part.field);
    part = part.operand;
  }
  return part.kind === 'identifier' ? [part.name, ...parts.reverse()].join('.') : undefined;
}
