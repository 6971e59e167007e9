import { Quantity } from './quantity.js';

/** Quantities by resource name, as in API objects. */
export type ResourceList = Readonly<Record<string, string>>;

/** Parsed quantities by resource name. */
export type Amounts = Map<string, Quantity>;

/** Parses the quantities of a list. */
export function amountsOf(list: ResourceList | undefined): Amounts {
  return new Map(Object.entries(list ?? {}).map(([name, amount]) => [name, Quantity.parse(amount)]));
}

/** Adds the amounts of `more` to `sums`. Mutates `sums`. */
export function addAmounts(sums: Amounts, more: Iterable<readonly [string, Quantity]>): void {
  for (const [name, amount] of more) sums.set(name, sums.get(name)?.add(amount) ?? amount);
}

/** Raises the amounts in `maxima` to those of `other` where these are greater. Mutates `maxima`. */
export function raiseAmounts(maxima: Amounts, other: Iterable<readonly [string, Quantity]>): void {
  for (const [name, amount] of other) {
    const known = maxima.get(name);
    if (known === undefined || amount.compare(known) > 0) maxima.set(name, amount);
  }
}
