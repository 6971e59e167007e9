import { equalJson, ParseError } from '@apiserver/apimachinery';
import type { Filter, Operand, Step } from './json-path.js';

const OPERATOR = /==|!=|<=|>=|<|>/;

/** Throws a ParseError for a constant that is none. */
export function filterOf(text: string, parsePath: (path: string) => readonly Step[]): Filter {
  const operand = (part: string): Operand => {
    const trimmed = part.trim();
    if (trimmed.startsWith('@') || trimmed.startsWith('.')) return { path: parsePath(trimmed) };
    return { value: constantOf(trimmed) };
  };
  const found = OPERATOR.exec(text);
  if (found === null) return { left: operand(text), operator: 'exists', right: undefined };
  const [operator] = found;
  const [left, right] = [text.slice(0, found.index), text.slice(found.index + operator.length)];
  return { left: operand(left), operator: operator as Filter['operator'], right: operand(right) };
}

function constantOf(text: string): unknown {
  const quoted = /^(['"])(.*)\1$/s.exec(text);
  if (quoted !== null) return (quoted[2] ?? '').replace(/\\(.)/g, '$1');
  if (text === 'true' || text === 'false') return text === 'true';
  const number = Number(text);
  if (text === '' || Number.isNaN(number)) throw new ParseError(`unrecognized identifier ${text}`);
  return number;
}

/** Whether an element passes. `find` follows a path from it. */
export function passes(filter: Filter, find: (path: readonly Step[]) => readonly unknown[]): boolean {
  const resolve = (operand: Operand) => ('path' in operand ? find(operand.path) : [operand.value]);
  const left = resolve(filter.left);
  if (filter.operator === 'exists' || filter.right === undefined) return left.length > 0;
  const right = resolve(filter.right);
  if (left.length === 0 || right.length === 0) return false;
  return compare(filter.operator, left[0], right[0]);
}

function compare(operator: Filter['operator'], a: unknown, b: unknown): boolean {
  if (operator === '==') return equalJson(a, b);
  if (operator === '!=') return !equalJson(a, b);
  if (typeof a !== typeof b || (typeof a !== 'number' && typeof a !== 'string')) return false;
  const [left, right] = [a as number, b as number];
  if (operator === '<') return left < right;
  if (operator === '<=') return left <= right;
  return operator === '>' ? left > right : left >= right;
}
