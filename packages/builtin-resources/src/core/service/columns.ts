import type { LoadBalancerStatus, Service, ServicePort } from '@apiserver/api/core/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, nameColumn } from '@apiserver/resource-kit';

/** Upstream: printService of pkg/printers/internalversion/printers.go */
export const serviceColumns: readonly Column<Service>[] = [
  nameColumn,
  specColumn('Type', 'type', ({ spec }) => spec.type ?? ''),
  specColumn('Cluster-IP', 'clusterIP', ({ spec }) => spec.clusterIPs?.[0] ?? '<none>'),
  specColumn('External-IP', 'externalIPs', externalIPText),
  specColumn('Port(s)', 'ports', ({ spec }) => (spec.ports ?? []).map(portText).join(',') || '<none>'),
  ageColumn,
  { ...specColumn('Selector', 'selector', ({ spec }) => labelsText(spec.selector)), priority: 1 },
];

function specColumn(name: string, field: string, cell: (service: Service) => string): Column<Service> {
  const describedBy = { definition: 'io.k8s.api.core.v1.ServiceSpec', field };
  return { name, type: 'string', format: '', description: '', describedBy, priority: 0, cell };
}

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

function labelsText(labels: Readonly<Record<string, string>> = {}): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return pairs.sort().join(',') || '<none>';
}
