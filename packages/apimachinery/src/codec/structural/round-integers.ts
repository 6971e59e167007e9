import { DecodeError } from '../../errors/decode-error.js';
import { setOwn } from '../../json/set-own.js';

/**
 * Converts integers beyond 64 bits to doubles in an untyped value, as upstream reads them. Mutates; returns the value.
 * Throws DecodeError for one beyond a double's range.
 *
 * Upstream: k8s.io/apimachinery/pkg/util/json
 */
export function roundIntegers(value: unknown): unknown {
  if (typeof value === 'bigint') return rounded(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) roundItems(value);
  else roundMembers(value as { [key: string]: unknown });
  return value;
}

function roundItems(items: unknown[]): void {
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    if (typeof item === 'bigint') items[i] = rounded(item);
    else if (typeof item === 'object') roundIntegers(item);
  }
}

function roundMembers(members: { [key: string]: unknown }): void {
  for (const key of Object.keys(members)) {
    const member = members[key];
    if (typeof member === 'bigint') setOwn(members, key, rounded(member));
    else if (typeof member === 'object') roundIntegers(member);
  }
}

function rounded(value: bigint): number | bigint {
  if (BigInt.asIntN(64, value) === value) return value;
  const double = Number(value);
  if (Number.isFinite(double)) return double;
  throw new DecodeError('type', `json: cannot unmarshal number ${value} into Go value of type float64`);
}
