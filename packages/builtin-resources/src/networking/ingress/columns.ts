import type { Ingress, IngressLoadBalancerStatus, IngressRule } from '@apiserver/api/networking/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, column, nameColumn } from '@apiserver/resource-kit';

/** Further hosts are only counted. */
const MAX_HOSTS = 3;

/** Upstream: printIngress of pkg/printers/internalversion/printers.go */
export const ingressColumns: readonly Column<Ingress>[] = [
  nameColumn,
  column(
    'Class',
    'The name of the IngressClass resource that should be used for additional configuration',
    ({ spec }) => spec.ingressClassName ?? '<none>',
  ),
  column('Hosts', 'Hosts that incoming requests are matched against before the ingress rule', ({ spec }) =>
    hostsText(spec.rules ?? []),
  ),
  column('Address', 'Address is a list containing ingress points for the load-balancer', ({ status }) =>
    addressText(status.loadBalancer),
  ),
  column('Ports', 'Ports of TLS configurations that open', ({ spec }) =>
    (spec.tls ?? []).length > 0 ? '80, 443' : '80',
  ),
  ageColumn,
];

function hostsText(rules: readonly IngressRule[]): string {
  const shown: string[] = [];
  let more = false;
  for (const { host = '' } of rules) {
    more ||= shown.length === MAX_HOSTS;
    if (!more && host !== '') shown.push(host);
  }
  if (shown.length === 0) return '*';
  // The rest counts all rules, even those without a host, as upstream.
  return more ? `${shown.join(',')} + ${rules.length - MAX_HOSTS} more...` : shown.join(',');
}

function addressText({ ingress = [] }: IngressLoadBalancerStatus): string {
  const addresses = ingress.map(({ ip, hostname }) => ip || hostname || '').filter((address) => address !== '');
  return [...new Set(addresses)].sort().join(',');
}
