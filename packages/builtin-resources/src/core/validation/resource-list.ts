import { getOwn } from '@apiserver/apimachinery/json';
import { Quantity, type ResourceList } from '@apiserver/apimachinery/values';

/** Reports whether two lists have equal amounts of the same resources, in any notation. */
export function equalResourceLists(a: ResourceList = {}, b: ResourceList = {}): boolean {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => {
    const [left, right] = [a[name], getOwn(b, name)];
    if (left === undefined || right === undefined) return false;
    return left === right || Quantity.parse(left).equals(Quantity.parse(right));
  });
}
