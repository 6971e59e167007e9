import { DecodeError } from '../../errors/decode-error.js';
import { setOwn } from '../../json/set-own.js';
import { checkDepth, isContainer, MAX_VALUE_DEPTH } from '../canonical/value-depth.js';

/**
 * Converts integers beyond 64 bits to doubles in an untyped value, as upstream reads them. Mutates; returns the value.
 * Throws DecodeError for one beyond a double's range.
 *
 * Upstream: k8s.io/apimachinery/pkg/util/json
 */
export function roundIntegers(value: unknown): unknown {
  if (typeof value === 'bigint') return rounded(value);
  if (isContainer(value)) roundWithin(value, Number.POSITIVE_INFINITY);
  return value;
}

/** The same for an object that may be too deep to be stored. Throws DecodeError for it, as `checkDepth`. */
export function roundRefusingDeep(value: unknown): unknown {
  if (!isContainer(value)) return roundIntegers(value);
  if (!roundWithin(value, MAX_VALUE_DEPTH)) return value;
  checkDepth(value);
  return roundIntegers(value);
}

/** Rounds the integers of so many levels. Returns whether there are more. */
function roundWithin(value: object, levels: number): boolean {
  if (levels === 0) return true;
  return Array.isArray(value)
    ? roundItems(value, levels - 1)
    : roundMembers(value as { [key: string]: unknown }, levels - 1);
}

function roundItems(items: unknown[], levels: number): boolean {
  let hasMore = false;
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    if (typeof item === 'bigint') items[i] = rounded(item);
    else if (isContainer(item) && roundWithin(item, levels)) hasMore = true;
  }
  return hasMore;
}

function roundMembers(members: { [key: string]: unknown }, levels: number): boolean {
  let hasMore = false;
  for (const key of Object.keys(members)) {
    const member = members[key];
    if (typeof member === 'bigint') setOwn(members, key, rounded(member));
    else if (isContainer(member) && roundWithin(member, levels)) hasMore = true;
  }
  return hasMore;
}

function rounded(value: bigint): number | bigint {
  if (BigInt.asIntN(64, value) === value) return value;
  const double = Number(value);
  if (Number.isFinite(double)) return double;
  throw new DecodeError('type', `json: cannot unmarshal number ${value} into Go value of type float64`);
}
