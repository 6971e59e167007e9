type Plain = { readonly [key: string]: unknown };

/**
 * Deep equality of two JSON values. The order of object keys does not count, the order of array elements does. A key
 * that is `undefined` is not JSON and must not occur. A number and a bigint of equal value are equal.
 */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return equalScalars(a, b);
  if (Array.isArray(a)) return Array.isArray(b) && equalArrays(a, b);
  return !Array.isArray(b) && equalObjects(a as Plain, b as Plain);
}

function equalScalars(a: unknown, b: unknown): boolean {
  if (typeof a === 'bigint' && typeof b === 'number') return Number.isInteger(b) && BigInt(b) === a;
  if (typeof b === 'bigint' && typeof a === 'number') return Number.isInteger(a) && BigInt(a) === b;
  return false;
}

function equalArrays(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    if (!equalJson(a[i], b[i])) return false;
  }
  return true;
}

function equalObjects(a: Plain, b: Plain): boolean {
  let more = 0;
  for (const key in a) {
    // Inherited members of b are functions, which equal no JSON; only its prototype could pass for an own object.
    if (!equalJson(a[key], b[key]) || (key === '__proto__' && !Object.hasOwn(b, key))) return false;
    more++;
  }
  for (const _ in b) more--;
  return more === 0;
}
