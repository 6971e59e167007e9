import type { ScalarSchema } from '../../schema/schema.js';
import { type CanonicalContext, type Canonicalize, orRefuse, refuse } from './canonical-context.js';

/** Throws NotCanonical for a value that is not text or does not parse; trusted text is accepted unchecked. */
export function textCanonicalizer(parse: (text: string) => string | null): Canonicalize {
  return (value, context) => {
    if (typeof value !== 'string') return refuse();
    return context.trusted ? value : orRefuse(parse, value);
  };
}

/** Strings, booleans and numbers. */
export function scalarCanonicalizer({ type }: ScalarSchema): Canonicalize {
  switch (type) {
    case 'string':
      return (value) => (typeof value === 'string' ? value : refuse());
    case 'bool':
      return (value) => (typeof value === 'boolean' ? value : refuse());
    case 'int32':
      return int32;
    case 'int64':
      return int64;
    case 'float64':
      return float64;
  }
}

/** Canonicalizes an integer of 32 bits. */
export function int32(value: unknown): unknown {
  return typeof value === 'number' && (value | 0) === value ? value : refuse();
}

function float64(value: unknown, context: CanonicalContext): unknown {
  if (typeof value !== 'number' || !Number.isFinite(value)) return refuse();
  // JavaScript's own writer loses the sign.
  if (Object.is(value, -0)) context.unordered = true;
  return value;
}

function int64(value: unknown): unknown {
  if (Number.isSafeInteger(value)) return value;
  return typeof value === 'bigint' && BigInt.asIntN(64, value) === value ? value : refuse();
}

/** Accepts any JSON value unchanged. */
export function rawValue(value: unknown, context: CanonicalContext): unknown {
  if (!context.trusted) context.members += countMembers(value);
  return value;
}

/** Number of members of all nested objects, without recursion. */
export function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  const stack: object[] = [value];
  for (let object = stack.pop(); object !== undefined; object = stack.pop()) {
    if (Array.isArray(object)) {
      for (const item of object as readonly unknown[]) if (typeof item === 'object' && item !== null) stack.push(item);
      continue;
    }
    for (const key in object) {
      members++;
      const member = (object as { readonly [key: string]: unknown })[key];
      if (typeof member === 'object' && member !== null) stack.push(member);
    }
  }
  return members;
}
