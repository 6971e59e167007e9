import { type Aggregator, type DiscoveryMetrics, newAggregator, type ProxyingConfig } from '@apiserver/aggregator';
import { groupVersions } from '@apiserver/api';
import type { ApiextensionsServer } from '@apiserver/apiextensions';
import { JWKS_PATH } from '@apiserver/authentication';
import { createOpenApi, mergedContainers, type OpenApiOptions } from '@apiserver/endpoints-installer';
import { type Completed, type GenericServer, groupVersionsOf, type HandlerSource } from '@apiserver/generic-server';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';
import { installOptionsOf } from './group-dependencies.js';
import { peerProxyingOf } from './peers.js';

/** The servers behind the aggregator, and metrics that it shares with them. */
export interface AggregatorDependencies {
  readonly server: GenericServer;
  readonly custom: ApiextensionsServer;
  readonly discoveryMetrics: DiscoveryMetrics;
}

/** The head of the chain; OpenAPI describes all servers behind it. */
export function aggregatorServer(
  config: Completed<CompletedKubeApiServerConfig>,
  { server, custom, discoveryMetrics }: AggregatorDependencies,
): Aggregator {
  const { generic, storage } = config;
  const aggregator = newAggregator(
    {
      generic,
      provider: storage.provider,
      clock: generic.clock,
      install: installOptionsOf(config),
      logger: generic.logger.named('aggregator'),
      delegated: mergedContainers(server.apiContainer, custom.server.apiContainer),
      definitions: custom.definitions,
      extraGroupVersions: config.extraGroups.flatMap(groupVersionsOf),
      proxying: proxyingOf(config),
      peers: peerProxyingOf(config),
      discoveryMetrics,
    },
    server,
  );
  const everything = [aggregator.server, server, custom.server].map(({ apiContainer }) => apiContainer);
  const hasOpenIdPaths = server.nonGoRestfulMux.listedPaths().includes(JWKS_PATH);
  const documents = { container: mergedContainers(...everything), remote: aggregator.openApi, hasOpenIdPaths };
  aggregator.server.addHandlerSource(openApi(config, documents));
  return aggregator;
}

function proxyingOf({ aggregator, generic, resources }: CompletedKubeApiServerConfig): ProxyingConfig {
  const { certificate: files, ...routing } = aggregator;
  return {
    ...routing,
    sendsUid: resources.features.enabled('RemoteRequestHeaderUID'),
    certificate: () => {
      const [certificate = '', key = ''] = files?.contents ?? [];
      return { certificate, key, dial: generic.egress?.('cluster') };
    },
    ...(files && {
      followCertificate: (changed, signal) => {
        files.onChange(changed);
        files.follow(signal);
      },
    }),
  };
}

/** Describes the kinds of all built-in groups, including those that are not served. */
function openApi(
  { generic, resources }: CompletedKubeApiServerConfig,
  documents: Pick<OpenApiOptions, 'container' | 'remote' | 'hasOpenIdPaths'>,
): HandlerSource {
  const { emulationMajor, emulationMinor } = generic.version;
  const { handlerFor } = createOpenApi({
    ...documents,
    logger: generic.logger.named('openapi'),
    info: { title: 'Kubernetes', version: `${emulationMajor}.${emulationMinor}` },
    knownGroupVersions: groupVersions,
    enums: resources.features.enabled('OpenAPIEnums'),
    now: generic.now,
  });
  return { handlerFor, listedPaths: () => ['/openapi/v2', '/openapi/v3'] };
}
