import type { Service } from '@apiserver/api/core/v1';
import type { EndpointSlice } from '@apiserver/api/discovery/v1';
import { newServiceUnavailable } from '@apiserver/apimachinery/errors';
import type { RandomInt } from '@apiserver/apimachinery/random';
import type { Informer } from '@apiserver/apiserver-contracts';

/** The label of a slice with the name of its service. */
export const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';

/** The address of a remote server. */
export interface ServiceAddress {
  readonly hostname: string;
  readonly port: number;
}

/** Informers of a resolver. */
export interface ServiceViews {
  readonly services: Pick<Informer<Service>, 'get'>;
  readonly endpointSlices: Pick<Informer<EndpointSlice>, 'list'>;
}

/** A service as an APIService refers to it. */
export interface ServiceTarget {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** Resolves a service to an address. Throws an Error with the reason if it cannot. */
export type ServiceResolver = (target: ServiceTarget) => ServiceAddress;

/**
 * Resolves to the service's cluster IP, for servers on machines with kube-proxy.
 * Upstream: ResolveCluster of k8s.io/apiserver/pkg/util/proxy/proxy.go
 */
export function clusterIPResolver({ services }: Pick<ServiceViews, 'services'>): ServiceResolver {
  return (target) => {
    const { spec } = serviceOf(services, target);
    if (spec.type === 'ExternalName') return { hostname: spec.externalName ?? '', port: target.port };
    if (spec.type === 'ClusterIP' && spec.clusterIP === 'None') {
      throw new Error('cannot route to service with ClusterIP "None"');
    }
    return { hostname: spec.clusterIP ?? '', port: portOf(spec, target).port };
  };
}

/**
 * Resolves to any ready endpoint of the service, of its first IP family if it has one there.
 * Upstream flag: --enable-aggregator-routing; ResolveEndpoint of k8s.io/apiserver/pkg/util/proxy/proxy.go
 */
export function endpointResolver({ services, endpointSlices }: ServiceViews, random: RandomInt): ServiceResolver {
  return (target) => {
    const { spec } = serviceOf(services, target);
    if (spec.type === 'ExternalName') throw new Error(`unsupported service type "${spec.type}"`);
    const { name: portName = '' } = portOf(spec, target);
    const slices = slicesOf(endpointSlices, target);
    const addresses = preferredAddresses(slices, { family: spec.ipFamilies?.[0], portName });
    const address = addresses[random(Math.max(addresses.length, 1))];
    if (address === undefined) throw newServiceUnavailable(`no endpoints available for service "${target.name}"`);
    return address;
  };
}

/** Other families count only where the preferred one has no ready address. */
function preferredAddresses(
  slices: readonly EndpointSlice[],
  { family, portName }: { readonly family: string | undefined; readonly portName: string },
): readonly ServiceAddress[] {
  const isPreferred = ({ addressType }: EndpointSlice) => addressType === family;
  const ready = (some: readonly EndpointSlice[]) => some.flatMap((slice) => readyAddresses(slice, portName));
  const preferred = ready(slices.filter(isPreferred));
  return preferred.length > 0 ? preferred : ready(slices.filter((slice) => !isPreferred(slice)));
}

/** The slices of a service. */
export function slicesOf(
  endpointSlices: ServiceViews['endpointSlices'],
  { namespace, name }: Pick<ServiceTarget, 'namespace' | 'name'>,
): readonly EndpointSlice[] {
  return endpointSlices.list(namespace).filter(({ metadata }) => metadata.labels?.[SERVICE_NAME_LABEL] === name);
}

/** The ready addresses of a slice for the named port. */
export function readyAddresses({ endpoints, ports }: EndpointSlice, portName: string): readonly ServiceAddress[] {
  const port = (ports ?? []).find(({ name = '', port: number }) => name === portName && typeof number === 'number');
  if (typeof port?.port !== 'number') return [];
  const { port: number } = port;
  return (endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false)
    .flatMap(({ addresses }) => (addresses ?? []).slice(0, 1).map((hostname) => ({ hostname, port: number })));
}

function serviceOf(services: ServiceViews['services'], { namespace, name }: ServiceTarget): Service {
  const service = services.get(namespace, name);
  if (service === undefined) throw new Error(`service "${name}" not found`);
  return service;
}

function portOf({ ports }: Service['spec'], { name, port }: ServiceTarget) {
  const found = (ports ?? []).find(({ port: number }) => number === port);
  if (found === undefined) throw newServiceUnavailable(`no service port ${port} found for service "${name}"`);
  return found;
}
