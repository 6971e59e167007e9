import {
  NodeProxyOptions,
  PodAttachOptions,
  PodExecOptions,
  PodPortForwardOptions,
  PodProxyOptions,
  ServiceProxyOptions,
} from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import type {
  ConnectEndpoint,
  ResourceDefinition,
  Strategy,
  SubresourceDefinition,
} from '@apiserver/apiserver-contracts';
import { attachEndpoint, COMMAND_VERBS, execEndpoint, portForwardEndpoint } from './command-endpoints.js';
import type { ConnectionOptions } from './connections.js';
import { logEndpoint } from './log-endpoint.js';
import { optionsKind } from './options-kind.js';
import { nodeBackend, podBackend, serviceBackend } from './proxy-backends.js';
import { PROXY_VERBS, proxyEndpoint } from './proxy-endpoint.js';

/**
 * The definition of a resource for one server that can reach kubelets, pods and services: pods get exec, attach,
 * portforward, log and proxy, services and nodes get proxy. Answers other definitions as they are.
 */
export function withConnections<T extends KubeObject>(
  definition: ResourceDefinition<T>,
  options: ConnectionOptions,
): ResourceDefinition<T> {
  if (definition.group !== '') return definition;
  const { strategy } = definition;
  switch (definition.resource) {
    case 'pods':
      return withSubresources(definition, podConnections(strategy, options));
    case 'services': {
      const proxy = proxyEndpoint((context, id) => serviceBackend(options, context, id));
      return withSubresources(definition, { proxy: connection(strategy, PROXY_VERBS, ServiceProxyOptions, proxy) });
    }
    case 'nodes': {
      const proxy = proxyEndpoint((_context, id) => nodeBackend(options, id));
      return withSubresources(definition, { proxy: connection(strategy, PROXY_VERBS, NodeProxyOptions, proxy) });
    }
    default:
      return definition;
  }
}

function podConnections<T extends KubeObject>(
  strategy: Strategy<T>,
  options: ConnectionOptions,
): ResourceDefinition<T>['subresources'] {
  const proxy = proxyEndpoint((context, id) => podBackend(options, context, id));
  return {
    attach: connection(strategy, COMMAND_VERBS, PodAttachOptions, attachEndpoint(options)),
    exec: connection(strategy, COMMAND_VERBS, PodExecOptions, execEndpoint(options)),
    log: { strategy, verbs: ['get'], override: () => ({ streamer: logEndpoint(options) }) },
    portforward: connection(strategy, COMMAND_VERBS, PodPortForwardOptions, portForwardEndpoint(options)),
    proxy: connection(strategy, PROXY_VERBS, PodProxyOptions, proxy),
  };
}

function connection<T extends KubeObject, O extends object>(
  strategy: Strategy<T>,
  verbs: readonly string[],
  schema: KindSchema<O>,
  connecter: ConnectEndpoint<O>,
): SubresourceDefinition<T> {
  return { strategy, verbs, schema: optionsKind(schema), override: () => ({ connecter }) };
}

function withSubresources<T extends KubeObject>(
  definition: ResourceDefinition<T>,
  subresources: ResourceDefinition<T>['subresources'],
): ResourceDefinition<T> {
  return { ...definition, subresources: { ...definition.subresources, ...subresources } };
}
