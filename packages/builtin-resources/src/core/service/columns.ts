import type { LoadBalancerStatus, Service, ServicePort } from '@apiserver/api/core/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, describedColumn, nameColumn } from '@apiserver/resource-kit';
import { labelsText } from '../../workload/pod-columns.js';

const SPEC = 'io.k8s.api.core.v1.ServiceSpec';

/** Upstream: printService of pkg/printers/internalversion/printers.go */
export const serviceColumns: readonly Column<Service>[] = [
  nameColumn,
  describedColumn('Type', [SPEC, 'type'], ({ spec }) => spec.type ?? ''),
  describedColumn('Cluster-IP', [SPEC, 'clusterIP'], ({ spec }) => spec.clusterIPs?.[0] ?? '<none>'),
  describedColumn('External-IP', [SPEC, 'externalIPs'], externalIPText),
  describedColumn('Port(s)', [SPEC, 'ports'], ({ spec }) => (spec.ports ?? []).map(portText).join(',') || '<none>'),
  ageColumn,
  describedColumn('Selector', [SPEC, 'selector'], ({ spec }) => labelsText(spec.selector), { priority: 1 }),
];

function externalIPText({ spec, status }: Service): string {
  const { externalIPs = [] } = spec;
  switch (spec.type) {
    case 'ClusterIP':
    case 'NodePort':
      return externalIPs.join(',') || '<none>';
    case 'LoadBalancer':
      return [...loadBalancerPlaces(status.loadBalancer), ...externalIPs].join(',') || '<pending>';
    case 'ExternalName':
      return spec.externalName ?? '';
    default:
      return '<unknown>';
  }
}

/** The distinct addresses of the load balancer, in order. Upstream: loadBalancerStatusStringer */
function loadBalancerPlaces({ ingress = [] }: LoadBalancerStatus): string[] {
  return [...new Set(ingress.map(({ ip, hostname }) => ip || hostname || ''))].filter((place) => place !== '').sort();
}

function portText({ port, nodePort = 0, protocol = '' }: ServicePort): string {
  return nodePort > 0 ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`;
}
