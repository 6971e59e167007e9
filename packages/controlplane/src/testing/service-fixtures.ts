import type { RangeAllocation, Service, ServiceSpec } from '@apiserver/api/core/v1';
import type { IPAddress, ServiceCIDR } from '@apiserver/api/networking/v1';
import type { Clock } from '@apiserver/apimachinery/clock';
import type { Logger, LoopbackClient } from '@apiserver/apiserver-contracts';
import { createFakeStorage } from '@apiserver/registry-store/testing';
import type { EventRecorder } from '../events/event-recorder.js';
import { noNodePortMetrics } from '../node-port-allocator/node-port-metrics.js';
import { parsePortRange } from '../node-port-allocator/port-range.js';
import {
  createServiceAllocators,
  type ServerServiceAllocators,
} from '../service-allocation/create-service-allocators.js';
import { noClusterIPMetrics } from '../service-ip-allocator/cluster-ip-metrics.js';
import { newIPAddress } from '../service-ip-allocator/ip-address-object.js';
import { type IPRange, parseIPRange } from '../service-ip-allocator/ip-range.js';

export const SERVICES = { group: '', version: 'v1', resource: 'services' };
export const IP_ADDRESSES = { group: 'networking.k8s.io', version: 'v1', resource: 'ipaddresses' };
export const SERVICE_CIDRS = { group: 'networking.k8s.io', version: 'v1', resource: 'servicecidrs' };

/** A logger that records its warnings and errors in `logged`. */
export function loggerOf(logged: string[]): Logger {
  const logger: Logger = {
    info: () => {},
    warning: (message) => void logged.push(message),
    error: (error, message) => void logged.push(`${message}: ${error}`),
    v: () => undefined,
    named: () => logger,
  };
  return logger;
}

/** A recorder that keeps object, reason and note of each event in `events`. */
export function eventsOf(events: string[]): EventRecorder {
  return { warn: ({ metadata }, { reason, note }) => void events.push(`${metadata.name} ${reason}: ${note}`) };
}

/** A service in namespace `ns`. */
export function serviceOf(name: string, spec: ServiceSpec): Service {
  const [clusterIP] = spec.clusterIPs ?? [];
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'ns' },
    spec: { type: 'ClusterIP', ...(clusterIP && { clusterIP }), ...spec },
    status: { loadBalancer: {} },
  };
}

/** The address of a service in namespace `ns`, as the allocator creates it. */
export function addressOf(name: string, service: string, changes: Partial<IPAddress> = {}): IPAddress {
  const made = newIPAddress(name, { namespace: 'ns', name: service });
  const metadata = { ...made.metadata, creationTimestamp: '1970-01-01T00:00:00Z', ...changes.metadata };
  return { ...made, ...changes, metadata };
}

export function serviceCIDROf(name: string, ...cidrs: string[]): ServiceCIDR {
  return { apiVersion: 'networking.k8s.io/v1', kind: 'ServiceCIDR', metadata: { name }, spec: { cidrs }, status: {} };
}

/** Allocators of 10.0.0.0/24, fd00::/112 and 30000-30099, over a client, with nothing stored yet. */
export function allocatorsOf(client: LoopbackClient, clock: Clock): ServerServiceAllocators {
  const [v4, v6] = ['10.0.0.0/24', 'fd00::/112'].map(parseIPRange) as [IPRange, IPRange];
  return createServiceAllocators({
    ranges: [v4, v6],
    nodePorts: parsePortRange('30000-30099'),
    portStorage: createFakeStorage<RangeAllocation>(),
    client,
    clusterIPMetrics: () => noClusterIPMetrics,
    nodePortMetrics: noNodePortMetrics,
    random: () => 0,
    clock,
    logger: loggerOf([]),
  });
}
