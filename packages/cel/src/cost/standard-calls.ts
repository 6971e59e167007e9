import { smallerAmount, wrapAmount } from './amount.js';
import { type CallEstimate, type CallEstimator, type CostedCall, knownSize } from './costed-call.js';
import { type Estimate, ONE, plus, regexSearch, scaled, times, traversal } from './estimate.js';

/**
 * The overloads whose cost depends on sizes, except `&&`, `||` and `?:`, whose cost depends on that of their arguments.
 */
const ESTIMATORS: ReadonlyMap<string, CallEstimator> = new Map([
  ['string_format', ({ target }) => target && { cost: traversal(knownSize(target)) }],
  ['string_to_bytes', (call) => convert(call, ({ min, max }) => ({ min, max: unbounded(max, (n) => n * 4n) }))],
  ['bytes_to_string', (call) => convert(call, ({ min, max }) => ({ min: unbounded(min, (n) => n / 4n), max }))],
  ['strings_quote', (call) => convert(call, quotedSize)],
  ['starts_with_string', affix],
  ['ends_with_string', affix],
  ['in_list', ({ args }) => (args.length === 2 ? { cost: scaled(knownSize(args[1]), 1) } : undefined)],
  ['matches_string', matches],
  ['contains_string', contains],
  ...forAll(['add_string', 'add_bytes', 'add_list'], concatenate),
  ...forAll(['less_string', 'greater_string', 'less_equals_string', 'greater_equals_string'], compare),
  ...forAll(['less_bytes', 'greater_bytes', 'less_equals_bytes', 'greater_equals_bytes'], compare),
  ...forAll(['equals', 'not_equals'], compare),
]);

/**
 * Estimates the cost of a call of a function of the language; undefined for one of constant cost.
 *
 * Upstream: functionCost in github.com/google/cel-go/checker/cost.go
 */
export function estimateStandardCall(call: CostedCall): CallEstimate | undefined {
  return ESTIMATORS.get(call.overload)?.(call);
}

function forAll(overloads: readonly string[], estimator: CallEstimator): readonly (readonly [string, CallEstimator])[] {
  return overloads.map((overload) => [overload, estimator]);
}

function convert(call: CostedCall, sizeOf: (size: Estimate) => Estimate): CallEstimate | undefined {
  if (call.args.length !== 1) return undefined;
  const size = knownSize(call.args[0]);
  return { cost: traversal(size), size: sizeOf(size) };
}

/** All units are escaped at most, and there are two quotes. */
function quotedSize({ min, max }: Estimate): Estimate {
  return { min: unbounded(min, (n) => n + 2n), max: unbounded(max, (n) => n * 2n + 2n) };
}

function unbounded(amount: Estimate['min'], compute: (amount: bigint) => bigint): Estimate['min'] {
  return wrapAmount(compute(BigInt(amount)));
}

function affix({ args }: CostedCall): CallEstimate | undefined {
  return args.length === 1 ? { cost: traversal(knownSize(args[0])) } : undefined;
}

function matches({ target, args }: CostedCall): CallEstimate | undefined {
  if (target === undefined || args.length !== 1) return undefined;
  return { cost: regexSearch(knownSize(target), knownSize(args[0])) };
}

function contains({ target, args }: CostedCall): CallEstimate | undefined {
  if (target === undefined || args.length !== 1) return undefined;
  return { cost: times(traversal(knownSize(target)), traversal(knownSize(args[0]))) };
}

/** Lists are joined in constant time. */
function concatenate({ overload, args }: CostedCall): CallEstimate | undefined {
  if (args.length !== 2) return undefined;
  const size = plus(knownSize(args[0]), knownSize(args[1]));
  return { cost: overload === 'add_list' ? ONE : traversal(size), size };
}

function compare({ args }: CostedCall): CallEstimate {
  const max = smallerAmount(knownSize(args[0]).max, knownSize(args[1]).max);
  return { cost: traversal({ min: max > 0 ? 1 : 0, max }) };
}
