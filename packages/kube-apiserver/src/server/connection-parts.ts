import type { Endpoints, Node, Pod, Service } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { AnyResourceDefinition, ResourceClient } from '@apiserver/apiserver-contracts';
import { type ConnectionOptions, withConnections } from '@apiserver/builtin-resources';
import { createConnectionMetrics } from './connection-metrics.js';
import type { CompletedKubeApiServerConfig } from './kube-api-server-config.js';

/** Upstream: CreateProxyTransport of pkg/controlplane/apiserver, and Go's default for dialing */
const proxyTransport = { ca: '', certificate: '', key: '', verify: false, connectTimeout: 30_000 };

/** What the ways to kubelets, pods and services need of one server. */
export interface ConnectionParts {
  /** The definition to install in the place of one of the built-in ones. */
  definitionFor(definition: AnyResourceDefinition): AnyResourceDefinition;
}

/** Makes the parts; nothing is looked up before the first connection. */
export function createConnectionParts(config: CompletedKubeApiServerConfig): ConnectionParts {
  const { kubelet, generic, loopbackClient, randomInt } = config;
  const client = <T extends KubeObject>(resource: string): ResourceClient<T> =>
    loopbackClient.resource<T>({ group: '', version: 'v1', resource });
  const options: ConnectionOptions = {
    objects: {
      pod: (namespace, name) => client<Pod>('pods').get(namespace, name),
      node: (name) => client<Node>('nodes').get('', name),
      service: (namespace, name) => client<Service>('services').get(namespace, name),
      endpoints: (namespace, name) => client<Endpoints>('endpoints').get(namespace, name),
    },
    kubelet,
    proxyTransport,
    authorizer: generic.authorizer,
    metrics: createConnectionMetrics(generic.metrics),
    lookup: async (hostname) => {
      const { lookup } = await import('node:dns/promises');
      return (await lookup(hostname, { all: true })).map(({ address }) => address);
    },
    random: randomInt,
  };
  return { definitionFor: (definition) => withConnections(definition, options) };
}
