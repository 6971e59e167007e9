import type { EndpointPort, EndpointSubset, Endpoints } from '@apiserver/api/core/v1';
import type { EndpointSlice } from '@apiserver/api/discovery/v1';
import { cloneJson, equalJson } from '@apiserver/apimachinery/json';
import type { IPFamily } from '@apiserver/builtin-resources';

/** The service through which pods find the API. */
export const SERVICE_NAME = 'kubernetes';
export const SERVICE_NAMESPACE = 'default';

interface Desired {
  readonly addresses: readonly string[];
  readonly ports: readonly EndpointPort[];
  /** Replace existing ports too. */
  readonly withPorts: boolean;
}

/** The Endpoints with these addresses; other fields stay. Upstream: updateEndpoints of endpointsadapter.go */
export function desiredEndpoints(current: Endpoints | undefined, desired: Desired): Endpoints {
  const endpoints: Endpoints = current === undefined ? newEndpoints() : cloneJson(current);
  endpoints.metadata.labels = { 'endpointslice.kubernetes.io/skip-mirror': 'true' };
  if (desired.addresses.length === 0) {
    endpoints.subsets = [];
    return endpoints;
  }
  const [only, ...more] = endpoints.subsets ?? [];
  const subset: EndpointSubset = more.length > 0 || only === undefined ? {} : only;
  subset.addresses = desired.addresses.map((ip) => ({ ip }));
  if (needsPorts(subset.ports, desired)) subset.ports = desired.ports.map((port) => ({ ...port }));
  endpoints.subsets = [subset];
  return endpoints;
}

/** The slice with these addresses. Upstream: updateEndpointSlice of endpointsadapter.go */
export function desiredEndpointSlice(
  current: EndpointSlice | undefined,
  desired: Desired & { readonly name: string; readonly family: IPFamily },
): EndpointSlice {
  const slice: EndpointSlice = current === undefined ? newEndpointSlice(desired.name) : cloneJson(current);
  slice.metadata.labels = { 'kubernetes.io/service-name': SERVICE_NAME };
  slice.addressType = desired.family;
  slice.endpoints = desired.addresses.map((address) => ({ addresses: [address], conditions: { ready: true } }));
  if (needsPorts(slice.ports, desired)) slice.ports = desired.ports.map((port) => ({ ...port }));
  return slice;
}

function needsPorts(ports: readonly unknown[] | null | undefined, desired: Desired): boolean {
  if (!ports || ports.length === 0) return true;
  return desired.withPorts && !equalJson(ports, desired.ports);
}

function newEndpoints(): Endpoints {
  return {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { name: SERVICE_NAME, namespace: SERVICE_NAMESPACE },
  };
}

function newEndpointSlice(name: string): EndpointSlice {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, namespace: SERVICE_NAMESPACE },
    addressType: 'IPv4',
    endpoints: [],
    ports: [],
  };
}
