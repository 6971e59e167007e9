import type { Container, Pod, PodSpec, PodStatus } from '@apiserver/api/core/v1';
import { containerResources } from '@apiserver/resource-kit/pods';
import type { PodFeatures } from '../pod-spec/pod-features.js';
import { isPodLevelResource } from '../pod-spec/pod-level-resource.js';
import { applyPodSpecDefaults, normalizePodTemplate } from '../pod-spec/pod-spec-defaults.js';
import { roundUpAmounts, roundUpRequirements } from '../resource-amounts.js';
import { isHugePageResource } from '../validation/resource-name.js';

/**
 * The defaults of a pod: those of any spec, and those that templates leave to their pods. Mutates.
 * Upstream: SetDefaults_Pod of pkg/apis/core/v1/defaults.go
 */
export function applyPodDefaults({ spec, status }: Pod, { PodLevelResources }: PodFeatures): void {
  applyPodSpecDefaults(spec);
  roundUpStatus(status);
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  for (const container of containers) requestLimits(container);
  if (PodLevelResources) {
    applyHugePageLimits(spec);
    applyPodRequests(spec);
  }
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork) for (const container of containers) exposePortsOnHost(container);
}

/** Keeps a pod's address equal to the first of its addresses. Mutates. */
export function normalizePod(pod: Pod): void {
  normalizePodTemplate(pod);
  const { status } = pod;
  const first = status.podIPs?.[0]?.ip;
  if (status.podIP === undefined && first !== undefined) status.podIP = first;
  if (status.podIP && status.podIP !== first) status.podIPs = [{ ip: status.podIP }];
  const firstHost = status.hostIPs?.[0]?.ip;
  if (status.hostIP === undefined && firstHost !== undefined) status.hostIP = firstHost;
}

/** The default request is the limit. */
function requestLimits({ resources }: Container): void {
  if (resources.limits !== undefined) resources.requests = { ...resources.limits, ...resources.requests };
}

/**
 * Huge pages cannot be overcommitted: the default limit of a pod with pod-level resources is that of its containers,
 * unless the pod requests such pages.
 * Upstream: defaultHugePagePodLimits
 */
function applyHugePageLimits(spec: PodSpec): void {
  if (spec.resources === undefined) return;
  const { limits, requests } = spec.resources;
  if (Object.keys({ ...limits, ...requests }).length === 0) return;
  for (const [name, amount] of containerResources(spec, 'limits')) {
    if (!isHugePageResource(name) || requests?.[name] !== undefined || limits?.[name] !== undefined) continue;
    spec.resources.limits = { ...spec.resources.limits, [name]: amount.toString() };
  }
}

/** Only a pod with limits has default requests. Upstream: defaultPodRequests */
function applyPodRequests(spec: PodSpec): void {
  if (spec.resources === undefined || Object.keys(spec.resources.limits ?? {}).length === 0) return;
  const requests = { ...spec.resources.requests };
  for (const [name, amount] of containerResources(spec, 'requests')) {
    if (name === 'cpu' || name === 'memory') requests[name] ??= amount.toString();
  }
  for (const [name, amount] of Object.entries(spec.resources.limits ?? {})) {
    if (isPodLevelResource(name)) requests[name] ??= amount;
  }
  if (Object.keys(requests).length > 0) spec.resources.requests = requests;
}

/** Upstream: SetObjectDefaults_Pod of pkg/apis/core/v1/zz_generated.defaults.go */
function roundUpStatus(status: PodStatus): void {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status;
  for (const place of [status, ...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses]) {
    roundUpAmounts(place.allocatedResources);
    roundUpRequirements(place.resources);
  }
}

function exposePortsOnHost({ ports = [] }: Container): void {
  for (const port of ports) port.hostPort ||= port.containerPort;
}
