import type { Service } from '@apiserver/api/core/v1';
import {
  isExternallyAccessible,
  needsClusterIP,
  needsHealthCheck,
  needsNodePort,
  nodePortsOf,
  sameTexts,
} from './service-traits.js';

/**
 * Drops fields of the old type that the new type does not support, unless the client changed them too: validation
 * then reports them. Allocations are released after the update. Mutates `service`.
 * Upstream: dropTypeDependentFields of pkg/registry/core/service/strategy.go
 */
export function dropTypeDependentFields(service: Service, old: Service): void {
  if (needsClusterIP(old) && !needsClusterIP(service)) dropClusterIPs(service, old);
  if (needsNodePort(old) && !needsNodePort(service) && hasNoNewNodePort(service, old)) {
    for (const port of service.spec.ports ?? []) delete port.nodePort;
  }
  if (needsHealthCheck(old) && !needsHealthCheck(service)) dropIfSame(service, old, 'healthCheckNodePort');
  if (isLoadBalancer(old) && !isLoadBalancer(service)) {
    dropIfSame(service, old, 'allocateLoadBalancerNodePorts');
    dropIfSame(service, old, 'loadBalancerClass');
  }
  if (isExternallyAccessible(old) && !isExternallyAccessible(service)) {
    dropIfSame(service, old, 'externalTrafficPolicy');
  }
  if (!isLoadBalancer(service)) service.status.loadBalancer = {};
}

type Scalar = 'healthCheckNodePort' | 'allocateLoadBalancerNodePorts' | 'loadBalancerClass' | 'externalTrafficPolicy';

function dropIfSame(service: Service, old: Service, field: Scalar): void {
  if (service.spec[field] === old.spec[field]) delete service.spec[field];
}

function dropClusterIPs({ spec }: Service, old: Service): void {
  if (spec.clusterIP === old.spec.clusterIP && sameTexts(spec.clusterIPs, old.spec.clusterIPs)) {
    delete spec.clusterIP;
    delete spec.clusterIPs;
  }
  if (sameTexts(spec.ipFamilies, old.spec.ipFamilies)) delete spec.ipFamilies;
  if (spec.ipFamilyPolicy === old.spec.ipFamilyPolicy) delete spec.ipFamilyPolicy;
}

function hasNoNewNodePort(service: Service, old: Service): boolean {
  const before = new Set(nodePortsOf(old));
  return nodePortsOf(service).every((port) => before.has(port));
}

function isLoadBalancer({ spec }: Service): boolean {
  return spec.type === 'LoadBalancer';
}
