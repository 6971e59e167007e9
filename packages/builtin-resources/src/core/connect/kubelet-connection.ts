import type { Node } from '@apiserver/api/core/v1';
import { plainFailure } from '@apiserver/apimachinery/errors';
import type { BackendTransport } from '@apiserver/proxy';
import type { ConnectionOptions } from './connections.js';

/** The feature that kubelets with WebSocket support declare, and the gate of the server that looks at it. */
const WEB_SOCKETS = 'ExtendWebSocketsToKubelet';

/** The address and transport of a node's kubelet. Upstream: pkg/kubelet/client.ConnectionInfo */
export interface KubeletConnection {
  readonly hostname: string;
  readonly port: string;
  readonly transport: BackendTransport;
  readonly insecureTransport: BackendTransport;
  /** True if it supports WebSocket for remote commands and port forwarding. */
  readonly speaksWebSocket: boolean;
}

/**
 * Locates the kubelet of a node. Throws 404 for an unknown node, 500 for one without a usable address.
 * Upstream: NodeConnectionInfoGetter in pkg/kubelet/client/kubelet_client.go
 */
export async function kubeletConnection(
  { objects, kubelet, features }: Pick<ConnectionOptions, 'objects' | 'kubelet' | 'features'>,
  nodeName: string,
): Promise<KubeletConnection> {
  const node = await objects.node(nodeName);
  const hostname = preferredAddress(node, kubelet.preferredAddressTypes);
  const reported = node.status.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
  return {
    hostname,
    port: String(reported > 0 ? reported : kubelet.port),
    transport: kubelet.transport,
    insecureTransport: kubelet.insecureTransport,
    speaksWebSocket: features.enabled(WEB_SOCKETS) && (node.status.declaredFeatures?.includes(WEB_SOCKETS) ?? false),
  };
}

/** Upstream: GetPreferredNodeAddress in pkg/util/node/node.go */
function preferredAddress({ status }: Node, types: readonly string[]): string {
  const addresses = status.addresses ?? [];
  for (const type of types) {
    const found = addresses.find((candidate) => candidate.type === type);
    if (found !== undefined) return found.address;
  }
  const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(' ');
  throw plainFailure(500, `no preferred addresses found; known addresses: [${known}]`);
}
