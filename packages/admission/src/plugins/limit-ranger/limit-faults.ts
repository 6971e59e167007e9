import type { LimitRange, LimitRangeItem, PersistentVolumeClaim, PodSpec } from '@apiserver/api/core/v1';
import { fixedDecimals } from '@apiserver/apimachinery/text';
import { type Amounts, amountsOf, Quantity } from '@apiserver/apimachinery/values';
import { containerResources, type ResourceField } from '@apiserver/resource-kit/pods';

/** Larger amounts cannot be expressed in thousandths. Upstream: resource.MaxMilliValue */
const MAX_MILLI_VALUE = (2n ** 63n - 1n) / 1000n;

const NOTHING = Quantity.of(0);

/** The pod-level resources that limit ranges support. */
const POD_LEVEL_RESOURCES = ['cpu', 'memory'];

/** Amounts that a container or a whole pod requests. */
interface Requested {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

/**
 * Violations of a limit range by a pod, in steps for `inSlices`.
 * Upstream: PodValidateLimitFunc of plugin/pkg/admission/limitranger/admission.go
 */
export function* podLimitFaults({ spec: { limits } }: LimitRange, pod: PodSpec): Generator<void, string[]> {
  const faults: string[] = [];
  for (const item of limits ?? []) {
    if (item.type === 'Pod') faults.push(...boundFaults(item, wholePod(pod)));
    if (item.type !== 'Container') continue;
    for (const { resources } of [...(pod.containers ?? []), ...(pod.initContainers ?? [])]) {
      const requested = { requests: amountsOf(resources?.requests), limits: amountsOf(resources?.limits) };
      faults.push(...boundFaults(item, requested));
      yield;
    }
  }
  return faults;
}

/**
 * Violations of a limit range by a claim; only its requests count.
 * Upstream: PersistentVolumeClaimValidateLimitFunc
 */
export function claimLimitFaults({ spec: { limits } }: LimitRange, { spec }: PersistentVolumeClaim): string[] {
  const requested = { requests: amountsOf(spec.resources?.requests), limits: new Map() };
  return (limits ?? []).flatMap((item) =>
    item.type === 'PersistentVolumeClaim'
      ? [
          ...bounds(item.min, (name, bound) => minFault(item.type, name, bound, requested)),
          ...bounds(item.max, (name, bound) => maxRequestFault(item.type, name, bound, requested)),
        ]
      : [],
  );
}

function wholePod(pod: PodSpec): Requested {
  return { requests: wholePodAmounts(pod, 'requests'), limits: wholePodAmounts(pod, 'limits') };
}

function wholePodAmounts(pod: PodSpec, field: ResourceField): Amounts {
  const amounts = containerResources(pod, field);
  for (const [name, amount] of amountsOf(pod.resources?.[field])) {
    if (POD_LEVEL_RESOURCES.includes(name)) amounts.set(name, amount);
  }
  return amounts;
}

function boundFaults({ type, min, max, maxLimitRequestRatio }: LimitRangeItem, requested: Requested): string[] {
  return [
    ...bounds(min, (name, bound) => minFault(type, name, bound, requested)),
    ...bounds(max, (name, bound) => maxFault(type, name, bound, requested)),
    ...bounds(maxLimitRequestRatio, (name, bound) => ratioFault(type, name, bound, requested)),
  ];
}

/** Sorted by name: upstream iterates over a Go map, in random order. */
function bounds(
  list: Readonly<Record<string, string>> | undefined,
  faultOf: (name: string, bound: Quantity) => string | undefined,
): string[] {
  const names = Object.keys(list ?? {}).sort();
  return names.flatMap((name) => faultOf(name, Quantity.parse(list?.[name] ?? '0')) ?? []);
}

function minFault(type: string, name: string, bound: Quantity, requested: Requested): string | undefined {
  const [request, limit] = [requested.requests.get(name), requested.limits.get(name)];
  const rule = `minimum ${name} usage per ${type} is ${bound}`;
  const values = comparable(request, limit, bound);
  if (request === undefined) return `${rule}.  No request is specified`;
  if (values.request < values.bound) return `${rule}, but request is ${request}`;
  return limit !== undefined && values.limit < values.bound ? `${rule}, but limit is ${limit}` : undefined;
}

function maxFault(type: string, name: string, bound: Quantity, requested: Requested): string | undefined {
  const [request, limit] = [requested.requests.get(name), requested.limits.get(name)];
  const rule = `maximum ${name} usage per ${type} is ${bound}`;
  const values = comparable(request, limit, bound);
  if (limit === undefined) return `${rule}.  No limit is specified`;
  if (values.limit > values.bound) return `${rule}, but limit is ${limit}`;
  return request !== undefined && values.request > values.bound ? `${rule}, but request is ${request}` : undefined;
}

function maxRequestFault(type: string, name: string, bound: Quantity, { requests }: Requested): string | undefined {
  const request = requests.get(name);
  const rule = `maximum ${name} usage per ${type} is ${bound}`;
  const values = comparable(request, undefined, bound);
  if (request === undefined) return `${rule}.  No request is specified`;
  return values.request > values.bound ? `${rule}, but request is ${request}` : undefined;
}

function ratioFault(type: string, name: string, bound: Quantity, requested: Requested): string | undefined {
  const rule = `${name} max limit to request ratio per ${type} is ${bound}`;
  const { request, limit } = comparable(requested.requests.get(name), requested.limits.get(name), bound);
  if (request === 0n) return `${rule}, but no request is specified or request is 0`;
  if (limit === 0n) return `${rule}, but no limit is specified or limit is 0`;
  const ratio = Number(limit) / Number(request);
  const fine = bound.value() <= MAX_MILLI_VALUE;
  const exceeded = fine ? ratio * 1000 > Number(bound.milliValue()) : ratio > Number(bound.value());
  return exceeded ? `${rule}, but provided ratio is ${fixedDecimals(ratio, 6)}` : undefined;
}

/** The three as integers of one scale: thousandths if all of them fit. A missing amount is 0. */
function comparable(request: Quantity | undefined, limit: Quantity | undefined, bound: Quantity) {
  const all = { request: request ?? NOTHING, limit: limit ?? NOTHING, bound };
  const fine = Object.values(all).every((amount) => amount.value() <= MAX_MILLI_VALUE);
  const integer = (amount: Quantity) => (fine ? amount.milliValue() : amount.value());
  return { request: integer(all.request), limit: integer(all.limit), bound: integer(all.bound) };
}
