import type { LimitRange, LimitRangeItem, PersistentVolumeClaim, PodSpec } from '@apiserver/api/core/v1';
import { Quantity } from '@apiserver/apimachinery/values';
import { type Amounts, amountsOf, containerResources, type ResourceField } from '../../pods/pod-resources.js';

/** Amounts beyond it cannot be told in thousandths. Upstream: resource.MaxMilliValue */
const MAX_MILLI_VALUE = (2n ** 63n - 1n) / 1000n;

const NOTHING = Quantity.of(0);

/** Resources that a pod can ask for as a whole, as far as limit ranges know. */
const POD_LEVEL_RESOURCES = ['cpu', 'memory'];

/** What is asked for, in total or by one container. */
interface Asked {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

/**
 * What of a pod is out of the bounds of a limit range.
 * Upstream: PodValidateLimitFunc of plugin/pkg/admission/limitranger/admission.go
 */
export function podLimitFaults({ spec: { limits } }: LimitRange, pod: PodSpec): string[] {
  return (limits ?? []).flatMap((item) => {
    if (item.type === 'Pod') return boundFaults(item, wholePod(pod));
    if (item.type !== 'Container') return [];
    return [...(pod.containers ?? []), ...(pod.initContainers ?? [])].flatMap(({ resources }) =>
      boundFaults(item, { requests: amountsOf(resources?.requests), limits: amountsOf(resources?.limits) }),
    );
  });
}

/** Of a claim only what it requests counts. Upstream: PersistentVolumeClaimValidateLimitFunc */
export function claimLimitFaults({ spec: { limits } }: LimitRange, { spec }: PersistentVolumeClaim): string[] {
  const asked = { requests: amountsOf(spec.resources?.requests), limits: new Map() };
  return (limits ?? []).flatMap((item) =>
    item.type === 'PersistentVolumeClaim'
      ? [
          ...bounds(item.min, (name, bound) => minFault(item.type, name, bound, asked)),
          ...bounds(item.max, (name, bound) => maxRequestFault(item.type, name, bound, asked)),
        ]
      : [],
  );
}

function wholePod(pod: PodSpec): Asked {
  return { requests: wholePodAmounts(pod, 'requests'), limits: wholePodAmounts(pod, 'limits') };
}

function wholePodAmounts(pod: PodSpec, field: ResourceField): Amounts {
  const amounts = containerResources(pod, field);
  for (const [name, amount] of amountsOf(pod.resources?.[field])) {
    if (POD_LEVEL_RESOURCES.includes(name)) amounts.set(name, amount);
  }
  return amounts;
}

function boundFaults({ type, min, max, maxLimitRequestRatio }: LimitRangeItem, asked: Asked): string[] {
  return [
    ...bounds(min, (name, bound) => minFault(type, name, bound, asked)),
    ...bounds(max, (name, bound) => maxFault(type, name, bound, asked)),
    ...bounds(maxLimitRequestRatio, (name, bound) => ratioFault(type, name, bound, asked)),
  ];
}

/** By name: upstream's order is that of a Go map, which is none. */
function bounds(
  list: Readonly<Record<string, string>> | undefined,
  faultOf: (name: string, bound: Quantity) => string | undefined,
): string[] {
  const names = Object.keys(list ?? {}).sort();
  return names.flatMap((name) => faultOf(name, Quantity.parse(list?.[name] ?? '0')) ?? []);
}

function minFault(type: string, name: string, bound: Quantity, asked: Asked): string | undefined {
  const [request, limit] = [asked.requests.get(name), asked.limits.get(name)];
  const rule = `minimum ${name} usage per ${type} is ${bound}`;
  const values = comparable(request, limit, bound);
  if (request === undefined) return `${rule}.  No request is specified`;
  if (values.request < values.bound) return `${rule}, but request is ${request}`;
  return limit !== undefined && values.limit < values.bound ? `${rule}, but limit is ${limit}` : undefined;
}

function maxFault(type: string, name: string, bound: Quantity, asked: Asked): string | undefined {
  const [request, limit] = [asked.requests.get(name), asked.limits.get(name)];
  const rule = `maximum ${name} usage per ${type} is ${bound}`;
  const values = comparable(request, limit, bound);
  if (limit === undefined) return `${rule}.  No limit is specified`;
  if (values.limit > values.bound) return `${rule}, but limit is ${limit}`;
  return request !== undefined && values.request > values.bound ? `${rule}, but request is ${request}` : undefined;
}

function maxRequestFault(type: string, name: string, bound: Quantity, { requests }: Asked): string | undefined {
  const request = requests.get(name);
  const rule = `maximum ${name} usage per ${type} is ${bound}`;
  const values = comparable(request, undefined, bound);
  if (request === undefined) return `${rule}.  No request is specified`;
  return values.request > values.bound ? `${rule}, but request is ${request}` : undefined;
}

function ratioFault(type: string, name: string, bound: Quantity, asked: Asked): string | undefined {
  const rule = `${name} max limit to request ratio per ${type} is ${bound}`;
  const { request, limit } = comparable(asked.requests.get(name), asked.limits.get(name), bound);
  if (request === 0n) return `${rule}, but no request is specified or request is 0`;
  if (limit === 0n) return `${rule}, but no limit is specified or limit is 0`;
  const ratio = Number(limit) / Number(request);
  const fine = bound.value() <= MAX_MILLI_VALUE;
  const exceeded = fine ? ratio * 1000 > Number(bound.milliValue()) : ratio > Number(bound.value());
  return exceeded ? `${rule}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}

/** The three as integers of one scale: thousandths where all of them can be told so. What is missing is 0. */
function comparable(request: Quantity | undefined, limit: Quantity | undefined, bound: Quantity) {
  const all = { request: request ?? NOTHING, limit: limit ?? NOTHING, bound };
  const fine = Object.values(all).every((amount) => amount.value() <= MAX_MILLI_VALUE);
  const integer = (amount: Quantity) => (fine ? amount.milliValue() : amount.value());
  return { request: integer(all.request), limit: integer(all.limit), bound: integer(all.bound) };
}
