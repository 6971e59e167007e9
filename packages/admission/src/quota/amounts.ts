import type { Amounts, Quantity } from '@apiserver/apimachinery/values';
import { Quantity as QuantityValue } from '@apiserver/apimachinery/values';

const ZERO = QuantityValue.of(0);

/** One of each named resource. */
export function oneOf(...names: readonly string[]): Amounts {
  return new Map(names.map((name) => [name, QuantityValue.of(1)]));
}

/** The amounts of the named resources only. Upstream: quota.Mask of k8s.io/apiserver/pkg/quota/v1/resources.go */
export function mask(amounts: Amounts, names: { has(name: string): boolean }): Amounts {
  return new Map([...amounts].filter(([name]) => names.has(name)));
}

/** The difference of `amounts` and `less`, never below zero. Upstream: quota.SubtractWithNonNegativeResult */
export function surplus(amounts: Amounts, less: Amounts): Amounts {
  const result: Amounts = new Map();
  for (const [name, amount] of amounts) {
    const rest = amount.subtract(less.get(name) ?? ZERO);
    result.set(name, rest.sign < 0 ? ZERO : rest);
  }
  return result;
}

/** Without the zeros. */
export function nonZero(amounts: Amounts): Amounts {
  return new Map([...amounts].filter(([, amount]) => !amount.isZero));
}

/** Reports whether both have equal amounts of the same resources. */
export function equalAmounts(a: Amounts, b: Amounts): boolean {
  return a.size === b.size && [...a].every(([name, amount]) => b.get(name)?.equals(amount) ?? false);
}

/** The resources whose amount exceeds `limits`. */
export function exceeded(amounts: Amounts, limits: Amounts): ReadonlySet<string> {
  const over = [...amounts].filter(([name, amount]) => {
    const limit: Quantity | undefined = limits.get(name);
    return limit !== undefined && amount.compare(limit) > 0;
  });
  return new Set(over.map(([name]) => name));
}

/**
 * Formats amounts as `cpu=1,memory=2Gi`, sorted by name.
 * Upstream: prettyPrint of k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go
 */
export function printAmounts(amounts: Amounts): string {
  return [...amounts]
    .map(([name, amount]) => `${name}=${amount}`)
    .sort()
    .join(',');
}

/** Amounts as an object has them. */
export function listOf(amounts: Amounts): Record<string, string> {
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, amount.toString()]));
}
