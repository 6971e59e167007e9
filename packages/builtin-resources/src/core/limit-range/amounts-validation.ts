import type { LimitRangeItem } from '@apiserver/api/core/v1';
import { type FieldError, type FieldPath, fieldInvalid, printedAsJson } from '@apiserver/apimachinery/field';
import { fixedDecimals } from '@apiserver/apimachinery/text';
import { Quantity } from '@apiserver/apimachinery/values';
import { amountOf } from '../resource-amounts.js';
import { isOvercommitAllowed } from '../validation/resource-name.js';

/** The amounts of one resource in an item. */
interface Amounts {
  readonly resource: string;
  readonly min: Quantity | undefined;
  readonly max: Quantity | undefined;
  readonly limit: Quantity | undefined;
  readonly request: Quantity | undefined;
  readonly ratio: Quantity | undefined;
}

const ONE = Quantity.of(1);
/** Larger amounts do not fit into 64-bit thousandths. Upstream: resource.MaxMilliValue */
const MAX_MILLI_VALUE = (2n ** 63n - 1n) / 1000n;

/**
 * The amounts of an item must be ascending: min, default request, default limit, max.
 * Upstream: ValidateLimitRange of pkg/apis/core/validation/validation.go
 */
export function validateAmounts(item: LimitRangeItem, path: FieldPath): FieldError[] {
  // A pod item must not have defaults, which are refused as such.
  const { default: limits, defaultRequest: requests } = item.type === 'Pod' ? {} : item;
  const fields = [item.max, item.min, limits, requests, item.maxLimitRequestRatio];
  const resources = [...new Set(fields.flatMap((field) => Object.keys(field ?? {})))].sort();
  return resources.flatMap((resource) => {
    const amounts: Amounts = {
      resource,
      min: amountOf(item.min, resource),
      max: amountOf(item.max, resource),
      limit: amountOf(limits, resource),
      request: amountOf(requests, resource),
      ratio: amountOf(item.maxLimitRequestRatio, resource),
    };
    return [
      ...validateOrder(amounts, path),
      ...validateRatio(amounts, path.child('maxLimitRequestRatio').key(resource)),
      ...validateEquality(amounts, path.child('defaultRequest').key(resource)),
    ];
  });
}

/** Two amounts, of which the first must not exceed the second; `shown` is the one in the message. */
interface Order {
  readonly low: Quantity | undefined;
  readonly high: Quantity | undefined;
  readonly field: 'min' | 'default' | 'defaultRequest';
  readonly shown: 'low' | 'high';
  readonly words: readonly [low: string, high: string];
}

function validateOrder({ resource, min, max, limit, request }: Amounts, path: FieldPath): FieldError[] {
  const orders: readonly Order[] = [
    { low: min, high: max, field: 'min', shown: 'low', words: ['min', 'max'] },
    { low: min, high: request, field: 'defaultRequest', shown: 'high', words: ['min', 'default request'] },
    { low: request, high: max, field: 'defaultRequest', shown: 'low', words: ['default request', 'max'] },
    { low: request, high: limit, field: 'defaultRequest', shown: 'low', words: ['default request', 'default limit'] },
    { low: min, high: limit, field: 'default', shown: 'low', words: ['min', 'default'] },
    { low: limit, high: max, field: 'default', shown: 'high', words: ['default', 'max'] },
  ];
  return orders.flatMap(({ low, high, field, shown, words }) => {
    if (low === undefined || high === undefined || low.compare(high) <= 0) return [];
    const fault = `${words[0]} value ${low} is greater than ${words[1]} value ${high}`;
    return [fieldInvalid(path.child(field).key(resource), printed(shown === 'low' ? low : high), fault)];
  });
}

function validateRatio({ min, max, ratio }: Amounts, path: FieldPath): FieldError[] {
  if (ratio === undefined) return [];
  const errors: FieldError[] = [];
  if (ratio.compare(ONE) < 0) errors.push(fieldInvalid(path, printed(ratio), `ratio ${ratio} is less than 1`));
  if (min === undefined || max === undefined) return errors;
  const inMilli = [ratio, min, max].every((amount) => amount.value() < MAX_MILLI_VALUE);
  const count = (amount: Quantity) => Number(inMilli ? amount.milliValue() : amount.value());
  const limit = count(max) / count(min);
  if ((inMilli ? Number(ratio.milliValue()) / 1000 : Number(ratio.value())) > limit) {
    const fault = `ratio ${ratio} is greater than max/min = ${fixedDecimals(limit, 6)}`;
    errors.push(fieldInvalid(path, printed(ratio), fault));
  }
  return errors;
}

/** A resource that cannot be overcommitted must have equal requests and limits. */
function validateEquality({ resource, limit, request }: Amounts, path: FieldPath): FieldError[] {
  if (isOvercommitAllowed(resource) || limit === undefined || request === undefined || limit.equals(request)) return [];
  const fault = `default value ${limit} must equal to defaultRequest value ${request} in ${resource}`;
  return [fieldInvalid(path, printed(request), fault)];
}

function printed(amount: Quantity) {
  return printedAsJson(amount.toString());
}
