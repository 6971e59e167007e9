import type { Endpoints, Node, Pod, Service } from '@apiserver/api/core/v1';
import type { Authorizer, FeatureGates } from '@apiserver/apiserver-contracts';
import type { BackendTransport } from '@apiserver/proxy';
import type { ConnectionMetrics } from './connection-metrics.js';

/** Reads the objects that locate a backend. Each method rejects with a StatusError: 404 for a missing object. */
export interface BackendObjectGetter {
  pod(namespace: string, name: string): Promise<Pod>;
  node(name: string): Promise<Node>;
  service(namespace: string, name: string): Promise<Service>;
  endpoints(namespace: string, name: string): Promise<Endpoints>;
}

/** Connection settings for kubelets. Upstream: pkg/kubelet/client.KubeletClientConfig */
export interface KubeletClientConfig {
  /** Types of node addresses, in order of preference. Upstream flag: --kubelet-preferred-address-types */
  readonly preferredAddressTypes: readonly string[];
  /** The port of nodes that do not report one. Upstream flag: --kubelet-port */
  readonly port: number;
  /** Read on each connection: it changes with its files. */
  readonly transport: BackendTransport;
  /** The same without verification of the kubelet's certificate, for logs on request. */
  readonly insecureTransport: BackendTransport;
}

/** Dependencies of a server's connections. */
export interface ConnectionOptions {
  readonly objects: BackendObjectGetter;
  readonly kubelet: KubeletClientConfig;
  readonly features: FeatureGates;
  /** For pods, services, and ports of nodes other than the kubelet's. */
  readonly proxyTransport: BackendTransport;
  /** Limits each direction of an upgraded connection; 0 for no limit. Upstream flag: --max-connection-bytes-per-sec */
  readonly maxBytesPerSec: number;
  readonly authorizer: Authorizer;
  readonly metrics: ConnectionMetrics;
  /** Resolves a hostname. Rejects if it does not exist. */
  readonly lookup: (hostname: string) => Promise<readonly string[]>;
  /** In [0, bound). */
  readonly random: (bound: number) => number;
}
