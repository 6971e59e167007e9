import { Quantity } from '@apiserver/apimachinery/values';

/** Quantities by resource name, as in API objects. */
export type ResourceList = Readonly<Record<string, string>>;

/** Adds the amounts of `more` to `sums`. Mutates `sums`. */
export function addResources(sums: Map<string, Quantity>, more: Iterable<readonly [string, Quantity]>): void {
  for (const [name, amount] of more) sums.set(name, sums.get(name)?.add(amount) ?? amount);
}

/** Raises the amounts in `maxima` to those of `other` where these are greater. Mutates `maxima`. */
export function raiseResources(maxima: Map<string, Quantity>, other: Iterable<readonly [string, Quantity]>): void {
  for (const [name, amount] of other) {
    const known = maxima.get(name);
    if (known === undefined || amount.compare(known) > 0) maxima.set(name, amount);
  }
}

/** Parses the quantities of a list. */
export function quantitiesOf(list: ResourceList | undefined): Map<string, Quantity> {
  return new Map(Object.entries(list ?? {}).map(([name, amount]) => [name, Quantity.parse(amount)]));
}

/** Reports whether two lists have equal amounts of the same resources, in any notation. */
export function equalResourceLists(a: ResourceList = {}, b: ResourceList = {}): boolean {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => {
    const [left, right] = [a[name], b[name]];
    if (left === undefined || right === undefined) return false;
    return left === right || Quantity.parse(left).equals(Quantity.parse(right));
  });
}
