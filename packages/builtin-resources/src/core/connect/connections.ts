import type { Endpoints, Node, Pod, Service } from '@apiserver/api/core/v1';
import type { Authorizer } from '@apiserver/apiserver-contracts';
import type { BackendTransport } from '@apiserver/proxy';
import type { ConnectionMetrics } from './connection-metrics.js';

/** Reads what leads to a backend. Each rejects with a StatusError, 404 for what is not there. */
export interface BackendObjectGetter {
  pod(namespace: string, name: string): Promise<Pod>;
  node(name: string): Promise<Node>;
  service(namespace: string, name: string): Promise<Service>;
  endpoints(namespace: string, name: string): Promise<Endpoints>;
}

/** How kubelets are reached. Upstream: pkg/kubelet/client.KubeletClientConfig */
export interface KubeletClientConfig {
  /** Types of node addresses, the best one first. Upstream flag: --kubelet-preferred-address-types */
  readonly preferredAddressTypes: readonly string[];
  /** For nodes that do not say one. Upstream flag: --kubelet-port */
  readonly port: number;
  /** Asked for at each connection: it changes with the files it comes from. */
  readonly transport: BackendTransport;
  /** The same for logs whose reader does not want the kubelet's certificate verified. */
  readonly insecureTransport: BackendTransport;
}

/** What connections of one server are made with. */
export interface ConnectionOptions {
  readonly objects: BackendObjectGetter;
  readonly kubelet: KubeletClientConfig;
  /** For pods, services, and ports of nodes that are not their kubelet's. */
  readonly proxyTransport: BackendTransport;
  readonly authorizer: Authorizer;
  readonly metrics: ConnectionMetrics;
  /** The addresses of a host. Rejects when there is no such host. */
  readonly lookup: (hostname: string) => Promise<readonly string[]>;
  /** In [0, bound). */
  readonly random: (bound: number) => number;
}
