import type { Service } from '@apiserver/api/core/v1';
import { needsClusterIP, needsHealthCheck, needsNodePort, nodePortsOf, sameTexts } from '../service-traits.js';

/**
 * Copies allocated values that the client omitted, so that an update need not repeat them. Mutates `service`.
 * Upstream: patchAllocatedValues of pkg/registry/core/service/storage/storage.go
 */
export function patchAllocatedValues(service: Service, old: Service): void {
  const { spec } = service;
  const before = old.spec;
  if (needsClusterIP(old) && needsClusterIP(service)) {
    if (!spec.clusterIP && before.clusterIP) spec.clusterIP = before.clusterIP;
    if (isEmpty(spec.clusterIPs) && spec.clusterIP === before.clusterIP) copyClusterIPs(service, old);
  }
  if (needsNodePort(old) && needsNodePort(service)) patchNodePorts(service, old);
  if (needsHealthCheck(old) && needsHealthCheck(service) && !spec.healthCheckNodePort && before.healthCheckNodePort) {
    spec.healthCheckNodePort = before.healthCheckNodePort;
  }
}

/** Ports keep their node ports by name, unless another port has requested it. */
function patchNodePorts(service: Service, old: Service): void {
  const after = new Set(nodePortsOf(service));
  const used = new Set(nodePortsOf(old).filter((port) => after.has(port)));
  const byName = new Map((old.spec.ports ?? []).map(({ name = '', nodePort = 0 }) => [name, nodePort]));
  for (const port of service.spec.ports ?? []) {
    const before = byName.get(port.name ?? '') ?? 0;
    if (port.nodePort || before === 0 || used.has(before)) continue;
    port.nodePort = before;
    used.add(before);
  }
}

/**
 * Synchronizes clusterIP with clusterIPs if the client's intent is clear; otherwise validation reports it. `old` is
 * absent for a new service, or one stored before clusterIPs existed. Mutates `service`.
 * Upstream: normalizeClusterIPs of pkg/registry/core/service/storage/storage.go
 */
export function normalizeClusterIPs(service: Service, old?: Service): void {
  const { spec } = service;
  if (old === undefined) {
    if (spec.clusterIP && isEmpty(spec.clusterIPs)) spec.clusterIPs = [spec.clusterIP];
    return;
  }
  const before = old.spec;
  const sameSingular = (spec.clusterIP ?? '') === (before.clusterIP ?? '');
  if (!isEmpty(before.clusterIPs) && isEmpty(spec.clusterIPs) && sameSingular) copyClusterIPs(service, old);
  if (sameSingular || !sameTexts(before.clusterIPs, spec.clusterIPs)) return;
  if (spec.clusterIP) spec.clusterIPs = [spec.clusterIP];
  else delete spec.clusterIPs;
}

function copyClusterIPs({ spec }: Service, old: Service): void {
  if (old.spec.clusterIPs !== undefined) spec.clusterIPs = [...old.spec.clusterIPs];
}

function isEmpty(list: readonly string[] | undefined): boolean {
  return list === undefined || list.length === 0;
}
