import type { Service } from '@apiserver/api/core/v1';

/** The address of a headless service. Upstream: ClusterIPNone */
export const HEADLESS = 'None';

/** Upstream: isHeadlessService of pkg/apis/core/validation/validation.go */
export function isHeadless({ spec }: Service): boolean {
  return spec.clusterIPs?.length === 1 && spec.clusterIPs[0] === HEADLESS;
}

/** All except ExternalName, which only names another host. */
export function needsClusterIP({ spec }: Service): boolean {
  return spec.type !== 'ExternalName';
}

/** Reports whether the ports of a service are also ports of nodes. */
export function needsNodePort({ spec }: Service): boolean {
  return spec.type === 'NodePort' || spec.type === 'LoadBalancer';
}

/** Load balancers with the Local traffic policy check the health of endpoints on each node. */
export function needsHealthCheck({ spec }: Service): boolean {
  return spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
}

/** Upstream: ExternallyAccessible of pkg/api/service/util.go */
export function isExternallyAccessible(service: Service): boolean {
  const { type, externalIPs = [] } = service.spec;
  return needsNodePort(service) || (type === 'ClusterIP' && externalIPs.length > 0);
}

/** The node ports that are set. */
export function nodePortsOf({ spec }: Service): number[] {
  return (spec.ports ?? []).flatMap(({ nodePort }) => (nodePort ? [nodePort] : []));
}

/** Reports whether two lists have the same strings in the same order; an absent list equals an empty one. */
export function sameTexts(a: readonly string[] = [], b: readonly string[] = []): boolean {
  return a.length === b.length && a.every((text, i) => text === b[i]);
}
