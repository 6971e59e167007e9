import { STRING_TRAVERSAL } from '../values/traversal.js';
import { type Amount, MAX_AMOUNT, wrapAmount } from './amount.js';
import type { CallEstimate, CallEstimator, CostedCall, CostedNode } from './costed-call.js';
import { type Estimate, fixed, LIST_CREATION, ONE, plus, scaled, times } from './estimate.js';

/** The types whose lists can be sorted. */
const SORTABLE = [
  ...['int', 'uint', 'double', 'bool', 'google.protobuf.Duration', 'google.protobuf.Timestamp'],
  ...['string', 'bytes'],
];

/** Estimators by overload. */
const ESTIMATORS: ReadonlyMap<string, CallEstimator> = new Map<string, CallEstimator>([
  ['list_slice', slice],
  ['list_flatten', (call) => ofTarget(call, (size) => newList(1, size))],
  ['list_flatten_int', (call) => ofTarget(call, (size) => newList(Number(literalOr(call.args[0], MAX_AMOUNT)), size))],
  ['lists_range', (call) => newList(1, fixed(literalOr(call.args[0], MAX_AMOUNT)))],
  ['list_reverse', (call) => ofTarget(call, (size) => newList(1, size))],
  ['list_distinct', (call) => ofTarget(call, (size) => newList(2, times(size, size)))],
  ...SORTABLE.flatMap((type) => [
    [`list_${type}_sort`, (call: CostedCall) => sorted(call, call.target, type)] as const,
    [`list_${type}_sortByAssociatedKeys`, (call: CostedCall) => sorted(call, call.args[0], type)] as const,
  ]),
  ['list_sets_contains_list', (call) => sets(call, 1)],
  ['list_sets_intersects_list', (call) => sets(call, 1)],
  ['list_sets_equivalent_list', (call) => sets(call, 2)],
]);

/**
 * Estimates the cost of a call of the extension libraries for lists and sets; undefined for any other.
 *
 * Upstream: github.com/google/cel-go/ext/lists.go, sets.go
 */
export function estimateLibraryCall(call: CostedCall): CallEstimate | undefined {
  return ESTIMATORS.get(call.overload)?.(call);
}

function ofTarget(call: CostedCall, estimate: (size: Estimate) => CallEstimate): CallEstimate | undefined {
  return call.target && estimate(call.sizeOf(call.target));
}

function newList(factor: number, size: Estimate): CallEstimate {
  return { cost: plus(scaled(size, factor), fixed(1 + LIST_CREATION)), size };
}

function slice(call: CostedCall): CallEstimate | undefined {
  const [start, end] = call.args;
  return ofTarget(call, (size) => {
    const length = BigInt(literalOr(end, size.max)) - BigInt(literalOr(start, 0));
    return newList(1, fixed(wrapAmount(length)));
  });
}

function sorted(call: CostedCall, keys: CostedNode | undefined, type: string): CallEstimate | undefined {
  if (keys === undefined) return undefined;
  const size = call.sizeOf(keys);
  const factor = type === 'string' || type === 'bytes' ? 2 + STRING_TRAVERSAL : 2;
  return newList(factor, times(size, size));
}

function sets(call: CostedCall, factor: number): CallEstimate | undefined {
  const [left, right] = call.args;
  if (left === undefined || right === undefined) return undefined;
  return { cost: plus(scaled(times(call.sizeOf(left), call.sizeOf(right)), factor), ONE) };
}

/** The value of an int literal, at least zero. */
function literalOr(node: CostedNode | undefined, otherwise: Amount): Amount {
  const value = node?.expression?.kind === 'literal' ? node.expression.value : undefined;
  if (typeof value !== 'number' && typeof value !== 'bigint') return otherwise;
  return value < 0 ? 0 : value;
}
