import type { Service, ServiceSpec } from '@apiserver/api/core/v1';
import { isExternallyAccessible, needsClusterIP } from './service-traits.js';

/** Three hours. Upstream: DefaultClientIPServiceAffinitySeconds */
const CLIENT_IP_TIMEOUT_SECONDS = 10_800;

/**
 * Mutates.
 * Upstream: SetDefaults_Service of pkg/apis/core/v1/defaults.go
 */
export function applyServiceDefaults(service: Service): void {
  const { spec } = service;
  applySessionAffinityDefaults(spec);
  spec.type ||= 'ClusterIP';
  for (const port of spec.ports ?? []) {
    port.protocol ||= 'TCP';
    port.targetPort ||= port.port;
  }
  if (isExternallyAccessible(service)) spec.externalTrafficPolicy ||= 'Cluster';
  if (needsClusterIP(service)) spec.internalTrafficPolicy ??= 'Cluster';
  if (spec.type === 'LoadBalancer') applyLoadBalancerDefaults(service);
}

function applySessionAffinityDefaults(spec: ServiceSpec): void {
  spec.sessionAffinity ||= 'None';
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === 'ClientIP' && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: CLIENT_IP_TIMEOUT_SECONDS } };
  }
}

function applyLoadBalancerDefaults({ spec, status }: Service): void {
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const ingress of status.loadBalancer?.ingress ?? []) {
    if (ingress.ip) ingress.ipMode ??= 'VIP';
  }
}
