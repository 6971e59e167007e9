import { Quantity } from '@apiserver/apimachinery/values';
import type { FlagTarget, FlagValue } from '../flags/flag-value.js';

/** A number of bytes such as `4Ki`, kept as text. Upstream: resource.QuantityValue of k8s.io/apimachinery */
export function quantityValue(target: FlagTarget<string>): FlagValue {
  return {
    typeName: 'quantity',
    isBoolean: false,
    set: (text) => target.set(Quantity.parse(text).toString()),
    toString: () => target.get(),
    defaultText: target.get() === '0' ? undefined : target.get(),
  };
}
