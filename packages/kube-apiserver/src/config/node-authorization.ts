import type { KubeObject } from '@apiserver/apimachinery';
import type { RandomInt } from '@apiserver/apimachinery/random';
import type { Authorizer, FeatureGates, RuleResolver } from '@apiserver/apiserver-contracts';
import { createGraphMetrics, graphSinks, NodeGraph, nodeAuthorizer } from '@apiserver/authorization/node';
import type { ServerContext } from '@apiserver/generic-server';
import { nodeRules, rulesAllow } from '@apiserver/rbac-authorizer';
import { followResource } from '@apiserver/registry-store';
import type { ResourceConfig } from '../api-enablement/resource-config.js';
import { policyFeatures } from '../features/policy-features.js';

/** Dependencies of the Node authorizer. */
export interface NodeDependencies {
  readonly context: Pick<ServerContext, 'loopback' | 'clock' | 'logger' | 'metrics'>;
  readonly random: RandomInt;
  readonly features: FeatureGates;
}

/** The Node authorizer of one server. Until it is started, and before `synced`, nodes get less. */
export interface NodeAuthorization {
  readonly authorizer: Authorizer & RuleResolver;
  /** Follows the enabled resources that relate objects to nodes, by the server's own API, until the signal aborts. */
  start(enabled: ResourceConfig, signal: AbortSignal): void;
  /** Resolves when the graph has the first lists. */
  readonly synced: Promise<void>;
}

/** Upstream: the mode Node in pkg/kubeapiserver/authorizer */
export function createNodeAuthorization({ context, random, features }: NodeDependencies): NodeAuthorization {
  const { loopback, clock, metrics } = context;
  const logger = context.logger.named('node_authorizer');
  const graph = new NodeGraph();
  const podCertificateRequests = features.enabled('PodCertificateRequest');
  const sinks = graphSinks(graph, createGraphMetrics(metrics), { podCertificateRequests });
  const synced = Promise.withResolvers<void>();
  const rules = nodeRules(policyFeatures(features));
  return {
    authorizer: nodeAuthorizer({
      graph,
      logger,
      podCertificateRequests,
      rulesAllow: (attributes) => rulesAllow(attributes, rules),
    }),
    synced: synced.promise,
    start(enabled, signal) {
      const followed = sinks
        .filter(({ resource }) => enabled.isEnabled(resource))
        .map((sink) => {
          const listed = Promise.withResolvers<void>();
          const client = loopback.client.resource<KubeObject>(sink.resource);
          void followResource(
            { client, clock, random, logger },
            { replace: (items) => sink.replace(items).then(listed.resolve), event: (event) => sink.event(event) },
            signal,
          );
          return listed.promise;
        });
      void Promise.all(followed).then(() => synced.resolve());
    },
  };
}
