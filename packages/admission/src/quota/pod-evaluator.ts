import type { Pod, PodAffinityTerm, PodSpec, ScopedResourceSelectorRequirement } from '@apiserver/api/core/v1';
import { isExtendedResource } from '@apiserver/apimachinery/validation';
import {
  type Amounts,
  addAmounts,
  amountsOf,
  type ResourceList,
  secondsInMilliseconds,
} from '@apiserver/apimachinery/values';
import type { ConsideredSpec } from '../pods/considered-spec.js';
import { hasPodResources, isBestEffortPod } from '../pods/pod-resources.js';
import { podUsageAmounts } from '../pods/pod-usage.js';
import { oneOf } from './amounts.js';
import { DEVICE_CLASS } from './extended-devices.js';
import { isExtendedRequest, REQUESTS } from './extended-request.js';
import type { QuotaEvaluator } from './quota-evaluator.js';
import { scopeMatches } from './scope-selector.js';

const COUNT = 'count/pods';
const COMPUTE = ['cpu', 'memory', 'ephemeral-storage'] as const;
const NAMES: ReadonlySet<string> = new Set([
  COUNT,
  'pods',
  ...COMPUTE.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);
const HUGE_PAGES = 'hugepages-';

/** If a quota limits one of these, each container must specify it: a historical mistake that clients rely on. */
const REQUIRED: ReadonlySet<string> = new Set(
  ['cpu', 'memory'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
);

/**
 * Counts pods and their requests. A terminated pod counts only as a pod.
 * Upstream: pkg/quota/v1/evaluator/core/pods.go
 */
export function podEvaluator(clock: { now(): number }, considered: ConsideredSpec): QuotaEvaluator {
  const usages = new WeakMap<PodSpec, readonly ContainerUsage[]>();
  return {
    handles: ({ operation, subresource, object, oldObject }) => {
      if (subresource === 'resize') return operation === 'UPDATE';
      if (subresource !== '') return false;
      if (operation !== 'UPDATE') return operation === 'CREATE';
      // An update that moves the pod from one scope to another.
      return isTerminating((object as Pod).spec) !== isTerminating((oldObject as Pod).spec);
    },
    counts: (name) =>
      NAMES.has(name) ||
      name.startsWith(HUGE_PAGES) ||
      name.startsWith(`${REQUESTS}${HUGE_PAGES}`) ||
      isExtendedRequest(name),
    usage(object) {
      const stored = object as Pod;
      const pod = { ...stored, spec: considered(stored.spec) };
      const result = oneOf(COUNT);
      if (hasEnded(pod, clock)) return result;
      addAmounts(result, computeUsage(podUsageAmounts(pod, 'requests'), podUsageAmounts(pod, 'limits', COMPUTE)));
      return result;
    },
    matchesScope: (scope, object) => inScope(scope, considered((object as Pod).spec)),
    constraintFault(required, object) {
      const { spec } = object as Pod;
      const needed = required.filter((name) => REQUIRED.has(name)).sort();
      if (needed.length === 0 || hasPodResources(considered(spec))) return undefined;
      const containers = usages.get(spec) ?? containerUsages(spec);
      usages.set(spec, containers);
      return missingFault(needed, containers);
    },
  };
}

/** Upstream: QuotaV1Pod */
function hasEnded({ metadata, status }: Pod, clock: { now(): number }): boolean {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return true;
  const { deletionTimestamp, deletionGracePeriodSeconds: grace } = metadata;
  if (!deletionTimestamp || grace === undefined || grace === null) return false;
  return clock.now() > Date.parse(deletionTimestamp) + secondsInMilliseconds(grace);
}

/** Upstream: podComputeUsageHelper */
function computeUsage(requests: Amounts, limits: Amounts): Amounts {
  const result = oneOf('pods');
  for (const [name, amount] of requests) {
    if ((COMPUTE as readonly string[]).includes(name) || name.startsWith(HUGE_PAGES)) {
      result.set(name, amount);
      result.set(`${REQUESTS}${name}`, amount);
    } else if (isExtendedResource(name) || name.startsWith(DEVICE_CLASS)) {
      result.set(`${REQUESTS}${name}`, amount);
    }
  }
  for (const name of COMPUTE) {
    const limit = limits.get(name);
    if (limit !== undefined) result.set(`limits.${name}`, limit);
  }
  return result;
}

/** The amounts of a container that every container may have to specify. */
interface ContainerUsage {
  readonly name: string;
  readonly usage: Amounts;
}

/** The same for all quotas: a pod may have many containers, and a namespace many quotas. */
function containerUsages(spec: PodSpec): readonly ContainerUsage[] {
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name, resources }) => ({
    name,
    usage: computeUsage(requiredAmounts(resources?.requests), requiredAmounts(resources?.limits)),
  }));
}

function requiredAmounts(list: ResourceList = {}): Amounts {
  return amountsOf(Object.fromEntries(Object.entries(list).filter(([name]) => REQUIRED.has(name))));
}

function missingFault(needed: readonly string[], containers: readonly ContainerUsage[]): string | undefined {
  const missing = needed.flatMap((name) => {
    const without = containers.filter(({ usage }) => !usage.has(name)).map((container) => container.name);
    return without.length === 0 ? [] : [`${name} for: ${[...new Set(without)].sort().join(',')}`];
  });
  return missing.length === 0 ? undefined : `must specify ${missing.join('; ')}`;
}

function inScope(scope: ScopedResourceSelectorRequirement, spec: PodSpec): boolean {
  switch (scope.scopeName) {
    case 'Terminating':
      return isTerminating(spec);
    case 'NotTerminating':
      return !isTerminating(spec);
    case 'BestEffort':
      return isBestEffortPod(spec);
    case 'NotBestEffort':
      return !isBestEffortPod(spec);
    case 'PriorityClass':
      return scopeMatches(scope, spec.priorityClassName ? [spec.priorityClassName] : []);
    case 'CrossNamespacePodAffinity':
      return affinityTerms(spec).some(
        ({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector !== undefined,
      );
    default:
      return false;
  }
}

function isTerminating({ activeDeadlineSeconds }: PodSpec): boolean {
  return activeDeadlineSeconds !== undefined && activeDeadlineSeconds >= 0;
}

function affinityTerms({ affinity }: PodSpec): PodAffinityTerm[] {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((of) => [
    ...(of?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(of?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
}
