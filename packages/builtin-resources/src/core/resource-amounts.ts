import { Quantity } from '@apiserver/apimachinery/values';

/** The amount of a resource in a list. Clients choose the names: one may be a member of every object. */
export function amountOf(list: Readonly<Record<string, string>> | undefined, name: string): Quantity | undefined {
  const text = list !== undefined && Object.hasOwn(list, name) ? list[name] : undefined;
  return text === undefined ? undefined : Quantity.parse(text);
}

/**
 * Rounds the amounts of a list up to thousandths. Mutates.
 * Upstream: SetDefaults_ResourceList of pkg/apis/core/v1/defaults.go
 */
export function roundUpAmounts(list: Record<string, string> | undefined): void {
  for (const [name, amount] of Object.entries(list ?? {})) {
    const quantity = Quantity.parse(amount);
    const rounded = quantity.roundUp(-3);
    if (list !== undefined && rounded !== quantity) list[name] = rounded.toString();
  }
}

/** Rounds limits and requests up in the same way. Mutates. */
export function roundUpRequirements(
  requirements: { readonly limits?: Record<string, string>; readonly requests?: Record<string, string> } | undefined,
): void {
  roundUpAmounts(requirements?.limits);
  roundUpAmounts(requirements?.requests);
}
