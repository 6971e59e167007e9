import type { Endpoints, Node, Pod, Service } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { newBadRequest } from '@apiserver/apimachinery/errors';
import type { AnyResourceDefinition, ResourceClient } from '@apiserver/apiserver-contracts';
import { type ConnectionOptions, withConnections } from '@apiserver/builtin-resources';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';
import { createConnectionMetrics } from './connection-metrics.js';

/** Upstream: CreateProxyTransport of pkg/controlplane/apiserver, and Go's default for dialing */
const proxyTransport = { ca: '', certificate: '', key: '', verify: false, connectTimeout: 30_000 };

/** What the ways to kubelets, pods and services need of one server. */
export interface ConnectionParts {
  /** The definition to install in the place of one of the built-in ones. */
  definitionFor(definition: AnyResourceDefinition): AnyResourceDefinition;
}

/** Makes the parts; nothing is looked up before the first connection. */
export function createConnectionParts(config: CompletedKubeApiServerConfig): ConnectionParts {
  const { kubelet, generic, randomInt } = config;
  const client = <T extends KubeObject>(resource: string): ResourceClient<T> =>
    generic.loopback.client.resource<T>({ group: '', version: 'v1', resource });
  const getFrom = <T extends KubeObject>(resource: string, namespace: string, name: string): Promise<T> => {
    if (namespace === '') throw newBadRequest('Namespace parameter required.');
    return client<T>(resource).get(namespace, name);
  };
  const options: ConnectionOptions = {
    objects: {
      pod: async (namespace, name) => getFrom<Pod>('pods', namespace, name),
      node: (name) => client<Node>('nodes').get('', name),
      service: async (namespace, name) => getFrom<Service>('services', namespace, name),
      endpoints: async (namespace, name) => getFrom<Endpoints>('endpoints', namespace, name),
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
