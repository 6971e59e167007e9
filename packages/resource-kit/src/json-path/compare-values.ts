import { TypedNumber } from './json-path.js';

type Comparable = boolean | number | bigint | string;

/**
 * Compares two values of one type. Undefined for different types, types without an order, and unknown operators.
 *
 * Upstream: k8s.io/client-go/third_party/forked/golang/template/funcs.go
 */
export function compareValues(operator: string, left: unknown, right: unknown): boolean | undefined {
  const [a, b] = [comparable(left), comparable(right)];
  if (a === undefined || b === undefined || a.kind !== b.kind) return undefined;
  if (operator === '==') return order(a.value, b.value) === 0;
  if (operator === '!=') return order(a.value, b.value) !== 0;
  if (a.kind === 'bool') return undefined;
  return orderings[operator]?.(order(a.value, b.value));
}

const orderings: Readonly<Record<string, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

/** Signed and unsigned integers are comparable; doubles are not comparable with them. */
function comparable(value: unknown): { readonly kind: string; readonly value: Comparable } | undefined {
  if (value instanceof TypedNumber) return { kind: value.kind === 'float' ? 'float' : 'int', value: value.value };
  switch (typeof value) {
    case 'boolean':
      return { kind: 'bool', value };
    case 'string':
      return { kind: 'string', value };
    case 'bigint':
      return { kind: 'int', value };
    case 'number':
      return { kind: isFloat(value) ? 'float' : 'int', value };
    default:
      return undefined;
  }
}

/** Reports whether Go decodes the number as a double. It decodes an integral number within 64 bits as an integer. */
export function isFloat(value: number): boolean {
  return !Number.isSafeInteger(value);
}

function order(a: Comparable, b: Comparable): number {
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : a > b ? 1 : 0;
}
