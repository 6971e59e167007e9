import type { Endpoints, Node, Pod, Service } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { newBadRequest } from '@apiserver/apimachinery/errors';
import type { ResourceClient } from '@apiserver/apiserver-contracts';
import { type ConnectionOptions, createConnectionMetrics } from '@apiserver/builtin-resources';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';

/** Upstream: CreateProxyTransport of pkg/controlplane/apiserver, and Go's default for dialing */
const proxyTransport = { ca: '', certificate: '', key: '', verify: false, connectTimeout: 30_000 };

/** Connections to kubelets, pods and services. Nothing is looked up before the first connection. */
export function connectionOptionsOf(config: CompletedKubeApiServerConfig): ConnectionOptions {
  const { kubelet, generic, maxConnectionBytesPerSec, randomInt, resources } = config;
  const client = <T extends KubeObject>(resource: string): ResourceClient<T> =>
    generic.loopback.client.resource<T>({ group: '', version: 'v1', resource });
  const getFrom = <T extends KubeObject>(resource: string, namespace: string, name: string): Promise<T> => {
    if (namespace === '') throw newBadRequest('Namespace parameter required.');
    return client<T>(resource).get(namespace, name);
  };
  return {
    objects: {
      pod: async (namespace, name) => getFrom<Pod>('pods', namespace, name),
      node: (name) => client<Node>('nodes').get('', name),
      service: async (namespace, name) => getFrom<Service>('services', namespace, name),
      endpoints: async (namespace, name) => getFrom<Endpoints>('endpoints', namespace, name),
    },
    kubelet,
    features: resources.features,
    proxyTransport: { ...proxyTransport, dial: generic.egress?.('cluster') },
    maxBytesPerSec: maxConnectionBytesPerSec,
    authorizer: generic.authorizer,
    metrics: createConnectionMetrics(generic.metrics),
    lookup: async (hostname) => {
      const { lookup } = await import('node:dns/promises');
      return (await lookup(hostname, { all: true })).map(({ address }) => address);
    },
    random: randomInt,
  };
}
