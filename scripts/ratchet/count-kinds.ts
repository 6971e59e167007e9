import { parseAst } from 'rolldown/parseAst';

/** The kinds of code that may only get rarer. */
export const KINDS = ['casts', 'bareThrows'] as const;

/** The number of each kind in a program. */
export type Counts = Readonly<Record<(typeof KINDS)[number], number>>;

export const NONE: Counts = { casts: 0, bareThrows: 0 };

const candidates = /\bas\b|<|throw new Error\b/;

/**
 * Counts type assertions except `as const`, and statements `throw new Error(…)`: an Error without a type of its own
 * tells no caller what is wrong. Throws for a program that is not TypeScript.
 */
export function countKinds(program: string): Counts {
  if (!candidates.test(program)) return NONE;
  const counts = { ...NONE };
  visit(parseAst(program, { lang: 'ts' }).body, (node) => {
    if (isCast(node)) counts.casts++;
    else if (isBareThrow(node)) counts.bareThrows++;
  });
  return counts;
}

export function sum(all: readonly Counts[]): Counts {
  return all.reduce(
    (total, { casts, bareThrows }) => ({ casts: total.casts + casts, bareThrows: total.bareThrows + bareThrows }),
    NONE,
  );
}

interface Node {
  readonly type: string;
  readonly [member: string]: unknown;
}

function visit(value: unknown, see: (node: Node) => void): void {
  if (Array.isArray(value)) for (const element of value) visit(element, see);
  else if (isNode(value)) {
    see(value);
    for (const name in value) visit(value[name], see);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function isCast({ type, typeAnnotation }: Node): boolean {
  if (type === 'TSTypeAssertion') return true;
  return type === 'TSAsExpression' && !(isNode(typeAnnotation) && nameOf(typeAnnotation['typeName']) === 'const');
}

function isBareThrow({ type, argument }: Node): boolean {
  return (
    type === 'ThrowStatement' &&
    isNode(argument) &&
    argument.type === 'NewExpression' &&
    nameOf(argument['callee']) === 'Error'
  );
}

function nameOf(node: unknown): unknown {
  return isNode(node) ? node['name'] : undefined;
}
