import type { Service } from '@apiserver/api/core/v1';

/** In the place of an address: the service has none. Upstream: ClusterIPNone */
export const HEADLESS = 'None';

/** Upstream: isHeadlessService of pkg/apis/core/validation/validation.go */
export function isHeadless({ spec }: Service): boolean {
  return spec.clusterIPs?.length === 1 && spec.clusterIPs[0] === HEADLESS;
}

/** All but an ExternalName, which is only a name of something elsewhere. */
export function needsClusterIP({ spec }: Service): boolean {
  return spec.type !== 'ExternalName';
}

export function needsNodePort({ spec }: Service): boolean {
  return spec.type === 'NodePort' || spec.type === 'LoadBalancer';
}

/** Load balancers that keep to the nodes with endpoints ask the nodes which ones have some. */
export function needsHealthCheck({ spec }: Service): boolean {
  return spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
}

/** Upstream: ExternallyAccessible of pkg/api/service/util.go */
export function isExternallyAccessible(service: Service): boolean {
  const { type, externalIPs = [] } = service.spec;
  return needsNodePort(service) || (type === 'ClusterIP' && externalIPs.length > 0);
}

/** The node ports that are set, one for each port that has one. */
export function nodePortsOf({ spec }: Service): number[] {
  return (spec.ports ?? []).flatMap(({ nodePort }) => (nodePort ? [nodePort] : []));
}

/** Whether two lists hold the same texts in the same order; an absent list is an empty one. */
export function sameTexts(a: readonly string[] = [], b: readonly string[] = []): boolean {
  return a.length === b.length && a.every((text, i) => text === b[i]);
}
