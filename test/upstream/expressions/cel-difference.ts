import type { RuleOutcome } from '@apiserver/cel/testing';

const PARTS = ['compileError', 'type', 'estimatedCost', 'programError', 'value', 'error', 'cost'] as const;

/**
 * The parts of an outcome that differ, or undefined if there are none. No expectation where upstream panics. A negative
 * depth of `flatten` lowers upstream's cost, even below zero.
 */
export function celDifference(
  theirs: RuleOutcome & { readonly panics?: string },
  ours: RuleOutcome,
  { expression }: { readonly expression: string },
): unknown {
  if (theirs.panics !== undefined) return undefined;
  const lowered = /\.flatten\([^)]/.test(expression);
  if (lowered && theirs.error?.startsWith('operation cancelled') === true) return undefined;
  const parts = lowered ? PARTS.filter((part) => part !== 'cost') : PARTS;
  const differing = parts.filter((name) => JSON.stringify(theirs[name]) !== JSON.stringify(ours[name]));
  if (differing.length === 0) return undefined;
  return Object.fromEntries(differing.map((name) => [name, { theirs: theirs[name], ours: ours[name] }]));
}
