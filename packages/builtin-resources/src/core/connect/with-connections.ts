import {
  type Node,
  NodeProxyOptions,
  type Pod,
  PodAttachOptions,
  PodExecOptions,
  PodPortForwardOptions,
  PodProxyOptions,
  type Service,
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

/** Adds exec, attach, portforward, log and proxy to pods, for a server that can reach them. */
export function withPodConnections(
  definition: ResourceDefinition<Pod>,
  options: ConnectionOptions,
): ResourceDefinition<Pod> {
  return withSubresources(definition, podConnections(definition.strategy, options));
}

/** Adds proxy to services, for a server that can reach their pods. */
export function withServiceConnections(
  definition: ResourceDefinition<Service>,
  options: ConnectionOptions,
): ResourceDefinition<Service> {
  const proxy = proxyEndpoint(options, (context, id) => serviceBackend(options, context, id));
  return withSubresources(definition, {
    proxy: connection(definition.strategy, PROXY_VERBS, ServiceProxyOptions, proxy),
  });
}

/** Adds proxy to nodes, for a server that can reach kubelets. */
export function withNodeConnections(
  definition: ResourceDefinition<Node>,
  options: ConnectionOptions,
): ResourceDefinition<Node> {
  const proxy = proxyEndpoint(options, (_context, id) => nodeBackend(options, id));
  return withSubresources(definition, {
    proxy: connection(definition.strategy, PROXY_VERBS, NodeProxyOptions, proxy),
  });
}

function podConnections(strategy: Strategy<Pod>, options: ConnectionOptions): ResourceDefinition<Pod>['subresources'] {
  const proxy = proxyEndpoint(options, (context, id) => podBackend(options, context, id));
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
