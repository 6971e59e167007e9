import type { EndpointAddress, Pod } from '@apiserver/api/core/v1';
import { TimeSlice } from '@apiserver/apimachinery/clock';
import { newBadRequest, newServiceUnavailable } from '@apiserver/apimachinery/errors';
import { quote } from '@apiserver/apimachinery/text';
import type { VerbContext } from '@apiserver/apiserver-contracts';
import type { ConnectionOptions } from './connections.js';
import { kubeletConnection } from './kubelet-connection.js';
import { namedByRequest } from './named-by-request.js';
import type { ProxyBackend } from './proxy-endpoint.js';
import { isProxyable } from './proxyable-address.js';
import { proxyableTransport } from './proxyable-transport.js';
import { splitSchemeNamePort } from './scheme-name-port.js';

/**
 * A pod at its own address, at the requested or its first port.
 * Upstream: ResourceLocation in pkg/registry/core/pod/strategy.go
 */
export async function podBackend(
  { objects, proxyTransport }: ConnectionOptions,
  { namespace }: VerbContext,
  id: string,
): Promise<ProxyBackend> {
  const { scheme, name, port } = splitSchemeNamePort(id, 'pod');
  const pod = await objects.pod(namespace, name);
  const hostname = pod.status.podIPs?.[0]?.ip ?? '';
  if (!isProxyable(hostname)) throw newBadRequest('address not allowed');
  return { scheme, hostname, port: port === '' ? firstPort(pod) : port, transport: proxyableTransport(proxyTransport) };
}

function firstPort({ spec }: Pod): string {
  const [first] = (spec.containers ?? []).flatMap(({ ports }) => ports?.slice(0, 1) ?? []);
  return first === undefined ? '' : String(first.containerPort);
}

/**
 * The kubelet of a node, or another of its ports. A node's address must not lead to this machine.
 * Upstream: ResourceLocation in pkg/registry/core/node/strategy.go
 */
export async function nodeBackend(options: ConnectionOptions, id: string): Promise<ProxyBackend> {
  const { scheme, name, port } = splitSchemeNamePort(id, 'node');
  const kubelet = await kubeletConnection(options, name);
  const { hostname } = kubelet;
  await checkProxyable(options, hostname);
  if (port === '' || port === kubelet.port) {
    return { scheme: 'https', hostname, port: kubelet.port, transport: proxyableTransport(kubelet.transport) };
  }
  return { scheme, hostname, port, transport: proxyableTransport(options.proxyTransport) };
}

/** Upstream: IsProxyableHostname in pkg/proxy/util/utils.go */
async function checkProxyable({ lookup }: ConnectionOptions, hostname: string): Promise<void> {
  const addresses = await lookup(hostname).catch(() => {
    throw newBadRequest(`lookup ${hostname}: no such host`);
  });
  if (addresses.length === 0) throw newBadRequest('No addresses for hostname');
  if (!addresses.every(isProxyable)) throw newBadRequest('address not allowed');
}

/**
 * A random ready endpoint of a service; its address must still belong to its pod.
 * Upstream: REST.ResourceLocation in pkg/registry/core/service/storage
 */
export async function serviceBackend(
  options: ConnectionOptions,
  { namespace }: VerbContext,
  id: string,
): Promise<ProxyBackend> {
  const { scheme, name, port } = splitSchemeNamePort(id, 'service');
  const portName = await servicePortName(options, namespace, { name, port });
  const { subsets = [] } = await namedByRequest('services', name, options.objects.endpoints(namespace, name));
  if (subsets.length === 0) throw noEndpoints(name);
  const slice = new TimeSlice();
  for (const { addresses = [], ports = [] } of fromRandom(subsets, options)) {
    const wanted = addresses.length === 0 ? undefined : ports.find((candidate) => (candidate.name ?? '') === portName);
    if (wanted === undefined) continue;
    for (const address of fromRandom(addresses, options)) {
      if (slice.over) await slice.yield();
      if (!(await isOfPod(options, namespace, address))) continue;
      return {
        scheme,
        hostname: address.ip,
        port: String(wanted.port),
        transport: proxyableTransport(options.proxyTransport),
      };
    }
  }
  throw noEndpoints(id);
}

function noEndpoints(name: string): Error {
  return newServiceUnavailable(`no endpoints available for service ${quote(name)}`);
}

/** The name of a port that was requested by number. */
async function servicePortName(
  { objects }: ConnectionOptions,
  namespace: string,
  { name, port }: { readonly name: string; readonly port: string },
): Promise<string> {
  if (!/^[+-]?\d+$/.test(port)) return port;
  const { spec } = await objects.service(namespace, name);
  const found = spec.ports?.find((candidate) => candidate.port === Number(port));
  if (found === undefined) {
    throw newServiceUnavailable(`no service port ${Number(port)} found for service ${quote(name)}`);
  }
  return found.name ?? '';
}

/** All elements, from a random start. */
function fromRandom<T>(list: readonly T[], { random }: ConnectionOptions): readonly T[] {
  const start = list.length === 0 ? 0 : random(list.length);
  return [...list.slice(start), ...list.slice(0, start)];
}

/** Upstream: isValidAddress */
async function isOfPod(
  { objects }: ConnectionOptions,
  namespace: string,
  { ip, targetRef }: EndpointAddress,
): Promise<boolean> {
  if (targetRef === undefined || targetRef.namespace !== namespace) return false;
  try {
    const { status } = await objects.pod(namespace, targetRef.name ?? '');
    return status.podIPs?.some((podIP) => podIP.ip === ip) ?? false;
  } catch {
    return false;
  }
}
